/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place.h - placement on one node (doc/design.md, "Placement")
 *
 * A placement sorts the node's objects, finds the window and takes units by one
 * of the strategies packed, linear and scatter.  A placer has the memory for
 * placements on nodes of one topology, so that placing does not allocate.  It
 * serves one thread at a time and can be used again and again.
 */
#ifndef TB_CORE_PLACE_PLACE_H
#define TB_CORE_PLACE_PLACE_H

#include "core/base/bitset.h"
#include "core/request/request.h"
#include "core/topology/topology.h"
#include "mismatch.h"
#include "share.h"

struct tb_placer;

/* The topology must outlive the placer.  NULL when out of memory. */
struct tb_placer *tb_placer_create(const struct tb_topology *topology);
void tb_placer_destroy(struct tb_placer *placer); /* NULL is fine */

/*
 * Place up to nslots slots (TB_HOST: the amount once, all or nothing) beside the
 * threads in used, which others have.  Returns how many slots fit, 0 to nslots
 * (TB_HOST: 0 or nslots).  Returns TB_PLACE_TOPOLOGY_MISMATCH when the request is
 * for another shape of node, TB_PLACE_FILTER_MISMATCH when its filter has another
 * shape.  used may be NULL (an idle node) and does not change.  The same input
 * always gives the same result.  A request that does not bind places nothing:
 * returns 0.  Does not allocate.
 *
 * A list of CPUs fits when the node has all these threads and none is in use or
 * masked.  One of OS numbers fits nowhere where the topology has none (topology.h).
 *
 * Threads can be masked, by the request's filter and by its masked (request.h).  No
 * task runs there.  For sorts, windows, load and whole containers it is as if they
 * were not there: neither used nor free.  A unit of which some are masked is
 * available when all of it is free, and it is granted as a whole: nobody else has
 * the masked threads.  A unit of which all are masked is not available.
 */
int tb_place(struct tb_placer *placer, const struct tb_request *request,
	     const struct tb_bitset *used, unsigned nslots);

/*
 * tb_place() for the slots of a job.  As many slots, each in as few containers; of
 * all slots together the containers are the fewest, level by level as for one slot,
 * instead of those that come next.  What says by itself which units come next (a
 * sort, a window, linear, scatter, a list of CPUs) is placed by tb_place().
 */
int tb_place_together(struct tb_placer *placer,
		      const struct tb_request *request,
		      const struct tb_bitset *used, unsigned nslots);

/*
 * tb_place() where up to limit jobs may have a unit, this one included.  Least
 * shared units come first: as many slots as fit on free units, then slots that
 * need units with one job, and so on.  In the place that the strategy finds for a
 * slot, too, the least shared units are taken first.  For the options that look
 * at what is in use (sort, window, scatter) a unit is free when it has no more
 * jobs than the turn of the slot allows.  use is what tb_share_only_units() made
 * for the request's unit.  Where no unit is shared, the result is tb_place()'s.
 */
int tb_place_shared(struct tb_placer *placer, const struct tb_request *request,
		    const struct tb_thread_use *use, unsigned limit,
		    unsigned nslots);

/*
 * From a node's grant to the slots of its tasks: task i of a step on the node
 * gets group i (doc/design.md, "Placement").  Controller and node both call this,
 * so that they agree.  It places the request once more, with only the wholly
 * granted units available, so that the strategy keeps the units of each slot
 * together, or apart:
 *
 * - The window does not count; it has chosen the units already.
 * - What other jobs use on the node is not known here.  It counts neither as load
 *   for scatter nor for a sort.  So the slots are those of tb_place(), one by
 *   one, on an idle node, and for packed and linear without a sort on any node.
 *   For scatter without a sort they are the same slots on any node, maybe in
 *   another order.  With a sort, the granted units can be grouped differently
 *   where the node was not idle.
 * - They can also be grouped differently, in as few containers, when a slot lay
 *   across several containers and spared a whole one, which a later slot broke:
 *   of the grant it is no longer a whole one.  That is rare.
 * - Of units inside each other (an N inside an N) the outermost that is wholly
 *   granted counts.
 * - With TB_HOST there is one group, all units of the grant: a step can have some
 *   of its job's.  A list of CPUs is one group, too: those of its threads that
 *   the grant has, or all of the grant where it has OS numbers and the topology
 *   has none.
 * - Parts (bunit=X:1+C:2) are one group, which is all of granted.
 * - granted may be of whole cores where the request has threads.
 *
 * Returns how many groups there are; never fails.  Does not allocate.
 */
unsigned tb_place_again(struct tb_placer *placer,
			const struct tb_request *request,
			const struct tb_bitset *granted);

/*
 * Of the last placement that placed something: the threads of all slots together,
 * how many groups of units there are (the slots; one for TB_HOST), and the
 * threads of each group, in the order in which they were placed.  Owned by the
 * placer, valid until its next use.
 */
const struct tb_bitset *tb_placed_threads(const struct tb_placer *placer);
unsigned tb_placed_groups(const struct tb_placer *placer);
void tb_placed_group(const struct tb_placer *placer, unsigned group,
		     struct tb_bitset *threads);
/*
 * Of a request with parts (core/request/parts.h), whose parts are one group: the threads
 * of each.  Empty where tb_place_again() had too few threads for both.
 */
const struct tb_bitset *tb_placed_part(const struct tb_placer *placer,
				       unsigned index);
/* On which threads of the node no task runs; NULL: there are none. */
const struct tb_bitset *tb_placed_masked(const struct tb_placer *placer);
/* Of such threads only those that run tasks: the masked ones are taken out. */
void tb_placed_drop_masked(const struct tb_placer *placer,
			   struct tb_bitset *threads);

#endif
