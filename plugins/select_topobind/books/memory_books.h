/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_books.h - how much memory jobs have on each node, beside which cores
 *
 * What is free of each NUMA node is worked out from this for the jobs of one node
 * (core/place/local_memory.h, doc/design.md, "Memory of NUMA nodes"), with the
 * topology that it has then.  A job has its memory as long as it is allocated: one that
 * an administrator suspended, too, though the ledger has no cores of it any more.
 * The books can be rebuilt from the job list at any time.
 */
#ifndef TB_SELECT_TOPOBIND_BOOKS_MEMORY_BOOKS_H
#define TB_SELECT_TOPOBIND_BOOKS_MEMORY_BOOKS_H

#include "compat/select_compat.h"

#include "select_topobind/nodes/nodes.h"

/* Forget everything; sized for the present node table. */
void tb_memory_books_reset(void);
void tb_memory_books_fini(void);

/*
 * What the job has from now on: the memory of its allocation.  local: on the NUMA nodes
 * of its cores only.  Jobs that do not count (CountMemory=) have none here.
 */
void tb_memory_books_put(const job_record_t *job, bool local);
/* Returns whether it had any. */
bool tb_memory_books_remove(const job_record_t *job);

/*
 * In the view of this number (books/ledger.h) the job has ended, or has not after all;
 * the ledger says so of its views.  Jobs may have ended in one view at a time only.
 */
void tb_memory_books_end(const job_record_t *job, uint64_t view);
void tb_memory_books_restore(const job_record_t *job);

/*
 * What is free of each of the shape's NUMA nodes in a view (0: if no job ran), in MiB.
 * False: the node's memory is not known, or is not counted.
 * Leaves the sizes of all NUMA nodes in scratch->memory.
 */
bool tb_memory_books_free(uint32_t node, const struct tb_shape *shape,
			  uint64_t view, struct tb_scratch *scratch,
			  uint64_t *available);

#endif
