/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blockers.h - what is missing for a request, and whose end would suffice
 *
 * Given are nodes, the threads of each that holders use until some time, and a
 * request for slots: how many slots does each node have room for now, do these
 * suffice, and if not, which holders would have to end, and when is that?  The
 * controller answers the same question for backfill (doc/design.md,
 * "Controller"); here it is answered outside of it, for people to read.
 *
 * Devices that the request asks for with the slots are counted (device_counts.h), and
 * units are near them where it is known which are; and memory is counted.
 */
#ifndef TB_CORE_PLAN_BLOCKERS_H
#define TB_CORE_PLAN_BLOCKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/bitset.h"

#include "held_nodes.h"

/* The end of a holder that has none, or whose end is not known. */
#define TB_END_NEVER INT64_MAX

struct tb_blockers;

/*
 * nodes, ends (one for each holder, seconds) and what need points to must
 * outlive it.  NULL when out of memory.
 */
struct tb_blockers *tb_blockers_create(const struct tb_need *need,
				       const struct tb_used_node *nodes,
				       unsigned nnodes, const int64_t *ends,
				       unsigned nholders);
void tb_blockers_destroy(struct tb_blockers *blockers); /* NULL is fine */

/*
 * While no holder has ended: how many slots (TB_HOST: tasks) has a node room for,
 * and do the nodes suffice?
 */
unsigned tb_blockers_room(const struct tb_blockers *blockers, unsigned node);
bool tb_blockers_fits(struct tb_blockers *blockers);

/*
 * How many devices of a kind are free there then, and have the memory that goes with
 * each.
 */
uint32_t tb_blockers_devices(const struct tb_blockers *blockers, unsigned node,
			     unsigned kind);

/*
 * The offers of the class that suffices then, in the order of nodes; NULL: none does.
 * Valid until the next question.
 */
const struct tb_offer *tb_blockers_choose(struct tb_blockers *blockers,
					  unsigned *count);

/*
 * Then, too: tb_node_offers_place() on a node; the placement is left with its placer.
 */
unsigned tb_blockers_place(struct tb_blockers *blockers, unsigned node,
			   const struct tb_offer *offer, unsigned slots);

/*
 * The first time at which enough holders have ended; TB_END_NEVER when one of
 * them has no end; -1 when the nodes suffice now.  ended (as many bits as holders)
 * gets holders whose end suffices; each of them must end.  False: the nodes do
 * not suffice even when all holders have ended; with a window, which depends on
 * what is in use: neither then, nor after any of the ends before.
 */
bool tb_blockers_find(struct tb_blockers *blockers, struct tb_bitset *ended,
		      int64_t *when);

#endif
