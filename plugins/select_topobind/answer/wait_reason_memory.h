/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_reason_memory.h - no node has the memory on the NUMA nodes of free units
 */
#ifndef TB_SELECT_TOPOBIND_ANSWER_WAIT_REASON_MEMORY_H
#define TB_SELECT_TOPOBIND_ANSWER_WAIT_REASON_MEMORY_H

#include "compat/select_compat.h"

#include "select_topobind/try/offers.h"

/*
 * "no node has 1 free X unit with 16 GB on its NUMA node: 3 nodes have 4 GB", where
 * nodes with units enough for a slot lack memory (offers->without_memory): the memory
 * that a slot needs, and the most that is free on a NUMA node with a free core.
 * xfree() it.
 */
char *tb_explain_memory(struct tb_offers *offers, const struct tb_test *test,
			bool required);

#endif
