/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_walk.c - see node_walk.h */
#include <stddef.h>

#include "node_walk.h"

/* At the first node of a pair, or at the end. */
static void enter_pair(struct tb_node_walk *walk, const int32_t *pair)
{
	walk->pair = pair && pair[0] >= 0 ? pair : NULL;
	if (walk->pair)
		walk->next = (unsigned)pair[0];
}

struct tb_node_walk tb_node_walk_begin(const int32_t *node_inx, unsigned nnodes)
{
	struct tb_node_walk walk = { .nnodes = nnodes };

	enter_pair(&walk, node_inx);
	return walk;
}

/* The table may have become shorter since the job's record was written. */
bool tb_node_walk_next(struct tb_node_walk *walk, unsigned *node)
{
	while (walk->pair) {
		if ((int32_t)walk->next > walk->pair[1]) {
			enter_pair(walk, walk->pair + 2);
			continue;
		}
		*node = walk->next++;
		if (*node < walk->nnodes)
			return true;
	}
	return false;
}
