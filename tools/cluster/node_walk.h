/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node_walk.h - the nodes of a job, or of a partition, one after another
 *
 * Slurm has them as pairs of first and last index into its table of nodes, the
 * last pair followed by -1: node_inx.
 */
#ifndef TB_TOOLS_CLUSTER_NODE_WALK_H
#define TB_TOOLS_CLUSTER_NODE_WALK_H

#include <stdbool.h>
#include <stdint.h>

struct tb_node_walk {
	const int32_t *pair; /* NULL: no node */
	unsigned next, nnodes;
};

/* node_inx may be NULL; nnodes is how many the table has. */
struct tb_node_walk tb_node_walk_begin(const int32_t *node_inx,
				       unsigned nnodes);

/* Step to the next node: its index in the table.  False: there is none. */
bool tb_node_walk_next(struct tb_node_walk *walk, unsigned *node);

#endif
