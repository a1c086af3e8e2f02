/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_build.h - a topology under construction
 *
 * Private to lib/core.
 */
#ifndef TB_CORE_TOPOLOGY_TREE_BUILD_H
#define TB_CORE_TOPOLOGY_TREE_BUILD_H

#include "tree.h"

/*
 * An empty topology with room for so many tree nodes and threads.  The caller
 * fills in letter, parent, end and before[] of the tree nodes, the totals after
 * the last of them, nnodes, nthreads, ncores and thread_core.  NULL when out of
 * memory.
 */
struct tb_topology *tb_tree_create(uint32_t most_nodes, uint32_t most_threads);

/* Make all other tables from these.  -1 when out of memory. */
int tb_tree_finish(struct tb_topology *topology);

#endif
