/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slots.h - from a node's grant to the slot of a task
 *
 * The granted units of a node, in string order, cut into groups of the
 * request's amount, are the slots; task i of the step on the node gets slot i.
 * With btype=host there is one slot, all granted units, shared by all tasks.
 * Controller and node both call this, so that they agree (DESIGN.md,
 * section 4).  Of units inside each other (an N in an N) the outermost that is
 * wholly granted counts.  A list of CPUs is one slot, too: as many of its
 * threads as the grant has.
 */
#ifndef TB_CORE_SLOTS_H
#define TB_CORE_SLOTS_H

#include "bitset.h"
#include "request.h"
#include "topology.h"

/* How many whole slots the granted threads hold. */
unsigned tb_slots_count(const struct tb_topology *topology,
			const struct tb_request *request,
			const struct tb_bitset *granted);

/*
 * The threads of one slot, into threads.  0, or -1 when the grant has no such
 * slot.
 */
int tb_slots_get(const struct tb_topology *topology,
		 const struct tb_request *request,
		 const struct tb_bitset *granted, unsigned slot,
		 struct tb_bitset *threads);

#endif
