/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * share.h - units that several jobs may hold (DESIGN.md, section 5, Sharing)
 *
 * A unit is shared as a whole: a job can have a unit that others have when it
 * is exactly this unit for all of them, and never a part of it or more around
 * it.  So a core that a job has as a C is out of reach for a job that asks for
 * the X around it, and the other way round.  Two letters that mean the same
 * threads (a socket with one L3) mean the same unit.  Of units inside each other
 * (an N in an N) it cannot be told which a job has: they are not shared.
 */
#ifndef TB_CORE_SHARE_H
#define TB_CORE_SHARE_H

#include <stdint.h>

#include "bitset.h"
#include "place.h"
#include "request.h"
#include "topology.h"

/* Held in a way that nobody can share; more than any limit. */
#define TB_SHARE_NEVER UINT16_MAX

/* Who holds a thread.  In arrays: one for each thread of a topology. */
struct tb_holding {
	uint16_t jobs; /* so many; 0: it is free; TB_SHARE_NEVER */
	/*
	 * Where jobs is more: the threads of the unit as which all of them hold
	 * it, those of the other core kind between them included.
	 */
	uint16_t first, last;
};

/*
 * Say for the threads of a grant of these units as which unit they are held.
 * others are the threads that are not in the grant.  Threads of the grant that
 * belong to no whole unit get one that no unit is like.
 */
void tb_share_mark(const struct tb_topology *topology, struct tb_unit unit,
		   const struct tb_bitset *others, struct tb_holding *held);

/*
 * For a job that asks for such units: threads that others hold as something
 * else become TB_SHARE_NEVER.
 */
void tb_share_only_units(const struct tb_topology *topology,
			 struct tb_unit unit, struct tb_holding *held);

/* The threads that limit jobs hold already, or nobody can share. */
void tb_share_used(const struct tb_holding *held, unsigned limit,
		   struct tb_bitset *used);

/*
 * tb_place() where a unit may have limit jobs, the one to be placed included.
 * Least shared units first: as many slots as fit on free ones, then those that
 * need units with one job, and so on; and of the units of the place that the
 * strategy finds for a slot the least shared ones.  To the options that look at
 * what is in use (sort, window, scatter) a unit is free when it has no more
 * jobs than the slot's turn allows.  held is what tb_share_only_units() made
 * for the request's unit.  With nothing to be shared the same as tb_place().
 */
int tb_place_shared(struct tb_placer *placer, const struct tb_request *request,
		    const struct tb_holding *held, unsigned limit,
		    unsigned nslots);

#endif
