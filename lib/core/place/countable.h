/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * countable.h - how many slots fit, where that is a matter of counting
 *
 * Where any free units make up a slot, wherever they lie, each strategy finds as many
 * slots as there are units for.  Who only wants to know how many need not place them,
 * which takes a hundred times as long.
 */
#ifndef TB_CORE_PLACE_COUNTABLE_H
#define TB_CORE_PLACE_COUNTABLE_H

#include "core/request/request.h"
#include "core/topology/topology.h"

/* The slots of a request on nodes with one topology. */
struct tb_countable {
	struct tb_unit unit;
	uint32_t amount;     /* units of a slot, which is more than none */
	uint32_t unit_cores; /* cores of each unit; 0: it has none of these units */
};

/*
 * Can they be counted?  False: what a slot is depends on where units are (a window, a
 * mask, a list), on what else is there (units inside others, or of several sizes),
 * or slots of threads share a core.
 */
bool tb_slots_are_countable(const struct tb_topology *topology,
			    const struct tb_request *request,
			    struct tb_countable *countable);

/*
 * How many slots tb_place_together() would find, or whether it would find the host's
 * units (1), where these cores are used as a whole, and no others; wanted at most.
 */
uint32_t tb_count_slots(const struct tb_topology *topology,
			const struct tb_request *request,
			const struct tb_countable *countable,
			const struct tb_bitset *used, uint32_t wanted);

#endif
