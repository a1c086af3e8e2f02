/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidate_parts.h - GPUs of which jobs have parts: shards, MPS
 *
 * To Slurm such a GPU is free, but nobody gets it as a whole until the last of these jobs
 * has ended.  So it is held by the one of them that ends last.
 */
#ifndef TB_TOOLS_PLAN_CANDIDATE_PARTS_H
#define TB_TOOLS_PLAN_CANDIDATE_PARTS_H

#include "candidate_nodes.h"

/* Another job that has parts of a GPU, and the holder of the GPU; both are holders. */
struct tb_part {
	unsigned holder, until;
};

struct tb_candidate_parts {
	struct tb_bitset **gpus; /* by hold of the node: their numbers; or NULL */
	unsigned nholds;
	struct tb_part *others;
	unsigned nothers;
};

/*
 * Of a node whose holds are there, those who are hidden last, with what Slurm says that
 * each has there (NULL: nothing), and when holders end.  -1 with a sentence;
 * tb_candidate_parts_clear() is right after both.
 */
int tb_candidate_parts_find(struct tb_candidate_parts *parts,
			    const struct tb_candidate_node *node,
			    const char *const *lists, const int64_t *ends,
			    struct tb_error *err);
void tb_candidate_parts_clear(struct tb_candidate_parts *parts);

/* How many of the GPUs that a hold has so are of the kind that is asked for? */
uint32_t tb_candidate_parts_count(const struct tb_candidate_parts *parts,
				  unsigned hold,
				  const struct tb_candidate_node *node,
				  const char *asked, unsigned kind);

#endif
