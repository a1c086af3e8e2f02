/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cores_taken.h - the cores of a node that a test must not use
 */
#ifndef TB_SELECT_TOPOBIND_BOOKS_CORES_TAKEN_H
#define TB_SELECT_TOPOBIND_BOOKS_CORES_TAKEN_H

#include "select_topobind/nodes/nodes.h"

#include "ledger.h"

/*
 * Replaces cores, which are Slurm's, by those that jobs of the view hold (NULL: as
 * if there were no jobs), and those reserved for the system (core specialization)
 * or by reservations, and, but for the question whether it may run ever, those that the
 * node has lost.
 */
void tb_node_taken(uint32_t node, const struct tb_view *view,
		   const struct tb_test *test, struct tb_bitset *cores);

/*
 * The same, into scratch->cores, and into scratch->used as threads.  Those that a
 * filter of topobind.conf masks for the test's job: into scratch->masked.
 */
void tb_node_used(uint32_t node, const struct tb_shape *shape,
		  const struct tb_view *view, const struct tb_test *test,
		  struct tb_scratch *scratch);

/* What the filter (tb_node_filter(); NULL: none) masks, into scratch->masked. */
void tb_node_mask(const struct tb_filter *filter, const struct tb_shape *shape,
		  struct tb_scratch *scratch);

#endif
