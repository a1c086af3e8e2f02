/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node_memory.h - the memory that a job with bmem=local needs on its NUMA nodes
 *
 * By --mem, --mem-per-cpu, --mem-per-gpu and the defaults for them, where Slurm counts
 * memory.  How it is divided, what is free and what fits is for
 * core/place/local_memory.h to say (doc/design.md, "Memory of NUMA nodes").
 */
#ifndef TB_SELECT_TOPOBIND_TRY_NODE_MEMORY_H
#define TB_SELECT_TOPOBIND_TRY_NODE_MEMORY_H

#include "compat/select_compat.h"
#include "core/place/local_memory.h"
#include "core/request/request.h"

#include "select_topobind/books/ledger.h"
#include "select_topobind/nodes/nodes.h"

/*
 * NULL: the job needs none that is counted.  The caller destroys; test and view live
 * longer.
 */
struct tb_node_memory;
struct tb_node_memory *tb_node_memory_create(const struct tb_test *test,
					     const struct tb_request *request,
					     const struct tb_view *view);
void tb_node_memory_destroy(struct tb_node_memory *memory); /* NULL is fine */

/*
 * What the job needs on a node and what is free there, with the sets of scratch.
 * False, also where memory is NULL: nothing limits it.
 */
bool tb_node_memory_find(const struct tb_node_memory *memory, uint32_t node,
			 const struct tb_shape *shape,
			 struct tb_scratch *scratch,
			 struct tb_local_memory *local);

/*
 * All that the placement of so many slots depends on: these words, and what was found.
 * Valid until the next call.
 */
const struct tb_bitset *
tb_node_memory_state(struct tb_node_memory *memory,
		     const struct tb_local_memory *local, uint32_t slots,
		     const struct tb_bitset *words);

/*
 * The job has an allocation: does the memory that Slurm gives it fit on the NUMA nodes
 * of its cores?
 */
bool tb_node_memory_is_there(const struct tb_node_memory *memory);

#endif
