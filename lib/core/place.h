/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place.h - placement on one node (DESIGN.md, section 4)
 *
 * Sorting, windows and the strategies packed, linear and scatter.  A placer
 * holds the scratch memory for one topology, so that placing does not
 * allocate; it serves one thread at a time and is used again and again.
 */
#ifndef TB_CORE_PLACE_H
#define TB_CORE_PLACE_H

#include "bitset.h"
#include "request.h"
#include "topology.h"

struct tb_placer;

/* The topology must outlive the placer.  NULL when out of memory. */
struct tb_placer *tb_placer_create(const struct tb_topology *topology);
void tb_placer_destroy(struct tb_placer *placer); /* NULL is fine */

#define TB_PLACE_FILTER_MISMATCH (-1)
#define TB_PLACE_TOPOLOGY_MISMATCH (-2)

/*
 * Place up to nslots slots (TB_HOST: the amount once, all or nothing) with the
 * threads in used taken by others.  Returns how many slots fit, 0 to nslots
 * (TB_HOST: 0 or nslots), or TB_PLACE_TOPOLOGY_MISMATCH when the request is for
 * another shape of node, or TB_PLACE_FILTER_MISMATCH when its filter has another
 * shape.  used may be NULL (an idle node) and is not changed.  The same input
 * always gives the same result.  A request that does not bind places nothing:
 * returns 0.  Does not allocate.
 *
 * A list of CPUs fits when the node has all these threads and none is in use.
 */
int tb_place(struct tb_placer *placer, const struct tb_request *request,
	     const struct tb_bitset *used, unsigned nslots);

/*
 * From a node's grant to the slots of its tasks: task i of a step on the node
 * gets group i (DESIGN.md, section 4).  Controller and node both call this, so
 * that they agree.  It is the placement of the request once more, with nothing
 * but the wholly granted units available, so that each slot is kept together,
 * or apart, as the strategy says:
 *
 * - No window counts; it has chosen the units already.
 * - What else is used on the node is not known here and counts nowhere, not as
 *   load for scatter and not for a sort.  So on an idle node, and for packed and
 *   linear without a sort on any node, the slots are those of tb_place(), one by
 *   one.  For scatter without a sort they are the same on any node, but may be
 *   in another order.  With a sort the granted units can be grouped otherwise
 *   where the node was not idle.
 * - Of units inside each other (an N in an N) the outermost that is wholly
 *   granted counts.
 * - With TB_HOST there is one group, all units of the grant, as a step can have
 *   some of its job's.  A list of CPUs is one group, too: as many of its
 *   threads as the grant has.
 * - granted may be of whole cores where the request has threads.
 *
 * Returns how many groups there are; never fails.  Does not allocate.
 */
unsigned tb_place_again(struct tb_placer *placer,
			const struct tb_request *request,
			const struct tb_bitset *granted);

/*
 * Of the last tb_place() or tb_place_again() that placed something; owned by
 * the placer, valid until its next use.  The threads of all slots together, and
 * how many groups of units there are (the slots; one for TB_HOST) with the
 * threads of each, in the order in which they were placed.
 */
const struct tb_bitset *tb_placed_threads(const struct tb_placer *placer);
unsigned tb_placed_groups(const struct tb_placer *placer);
void tb_placed_group(const struct tb_placer *placer, unsigned group,
		     struct tb_bitset *threads);

/*
 * How many units of the request's kind the node has, and how many of them are
 * available; for messages such as "no node has 2 free X units".  An object
 * without a thread of the kind is no unit, and of an N inside an N only one
 * counts: as many as can be held at the same time.  used may be NULL.
 */
unsigned tb_units_total(const struct tb_topology *topology,
			struct tb_unit unit);
unsigned tb_units_available(const struct tb_topology *topology,
			    struct tb_unit unit, const struct tb_bitset *used);

/*
 * Which unit each thread of the kind belongs to, by the unit's first thread;
 * TB_NO_UNIT for threads of the other kind and outside all units.  unit_of has
 * room for all threads.
 */
#define TB_NO_UNIT UINT32_MAX
void tb_units_of_threads(const struct tb_topology *topology,
			 struct tb_unit unit, uint32_t *unit_of);

#endif
