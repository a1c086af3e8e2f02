/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidate_memory.h - has a node the memory of slots on the NUMA nodes of units?
 *
 * For jobs with bmem=local, by what nodes show (cluster/node_memory.h) and the same
 * decision as the controller's (core/place/local_memory.h).
 */
#ifndef TB_TOOLS_PLAN_CANDIDATE_MEMORY_H
#define TB_TOOLS_PLAN_CANDIDATE_MEMORY_H

#include "candidate_nodes.h"
#include "cluster/node_memory.h"
#include "core/base/error.h"
#include "core/place/local_memory.h"

/* What was found; all true where nothing is known. */
struct tb_candidate_memory {
	bool ever; /* of all memory: on units that are not masked */
	bool now;  /* of the free memory: on free units, or there are none */
	uint64_t needed; /* MB of one slot */
};

/*
 * The NUMA nodes of a node in Slurm's cores, and their memory.  NULL where it does not show
 * any, or memory is out.
 */
struct tb_candidate_numa {
	struct tb_numa_nodes *numa;
	struct tb_node_memory memory; /* plenty where there is none */
};
struct tb_candidate_numa *
tb_candidate_numa_create(const struct tb_candidate_node *node);
void tb_candidate_numa_destroy(struct tb_candidate_numa *numa); /* NULL ok */

/* What a hold has of each; NULL: it has none, or memory is out.  free() it. */
uint64_t *tb_candidate_numa_share(const struct tb_candidate_numa *numa,
				  const struct tb_candidate_node *node,
				  const struct tb_holder_job *hold);

/*
 * For most slots or fewer.  need: per_core is for each CPU.  -1 with a sentence when
 * out of memory.
 */
int tb_candidate_memory_find(const struct tb_candidate_node *node,
			     const struct tb_request *request, unsigned most,
			     struct tb_memory_need need,
			     struct tb_candidate_memory *found,
			     struct tb_error *err);

#endif
