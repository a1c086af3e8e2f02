/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * passes.h - the two passes in which select/cons_tres chooses nodes and cores
 *
 * Pass 1 offers select/cons_tres the free slots of each candidate node and hides all
 * other cores; the nodes and the number of slots on each that it picks are placed
 * exactly, and pass 2 repeats the call with only those cores left, so that memory and
 * GRES are chosen for the cores that the job gets.
 *
 * Offers are those of one class, [first, end); nodes are the candidates, and afterwards
 * those that were chosen.  The job is scaled to the class (scale.h).  Functions return
 * what Slurm expects of a job test.
 */
#ifndef TB_SELECT_TOPOBIND_ANSWER_PASSES_H
#define TB_SELECT_TOPOBIND_ANSWER_PASSES_H

#include "compat/select_compat.h"

#include "select_topobind/try/offers.h"
#include "select_topobind/try/slot_deal.h"

/* Pass 1 and, where the job starts, pass 2: it has exactly the cores of whole slots. */
int tb_passes_try(struct tb_offers *offers, const struct tb_test *test,
		  uint32_t first, uint32_t end, bitstr_t *nodes);

/* Pass 1. */
int tb_passes_pick(struct tb_offers *offers, const struct tb_test *test,
		   uint32_t first, uint32_t end, bitstr_t *nodes);

/* Pass 2: with only the exact cores of the deal; granted if they come back. */
int tb_passes_exact(struct tb_slot_deal *deal, struct tb_offers *offers,
		    const struct tb_test *test, bitstr_t *nodes);

/*
 * Has the job cores?  A yes without an allocation: jobs have to be preempted first, and
 * Slurm asks again when they are gone.
 */
bool tb_passes_has_allocation(const struct tb_test *test);

/* Takes what the job was given back if memory by GPU is not there. */
int tb_passes_check_memory(const struct tb_offers *offers,
			   const struct tb_test *test);

/* A question for select/cons_tres; NULL: no cores are hidden. */
int tb_passes_call(const struct tb_test *test, bitstr_t *nodes,
		   uint32_t min_nodes, uint32_t max_nodes,
		   struct tb_mask *mask);

#endif
