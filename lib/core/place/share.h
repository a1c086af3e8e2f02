/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * share.h - units that several jobs may use (doc/design.md, "Sharing")
 *
 * Jobs share a unit as a whole.  A job can get a unit that others use when it is
 * exactly this unit for all of them, never a part of it or more around it.  So a
 * core that a job has as a C is out of reach for a job that asks for the X around
 * it, and the other way round.  Two letters that mean the same threads (a socket
 * with one L3 cache) mean the same unit.  Units inside each other (an N inside an
 * N) are not shared: nothing says which of them a job has.
 *
 * Jobs that take turns never run at the same time (doc/design.md, "Turns").  There one
 * without units, or with a node for itself, has its threads as any unit.
 */
#ifndef TB_CORE_PLACE_SHARE_H
#define TB_CORE_PLACE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/bitset.h"
#include "core/topology/topology.h"
#include "core/topology/unit.h"

/* A use that no job can share; more than any limit. */
#define TB_SHARE_NEVER UINT16_MAX

/* How jobs use a thread.  In arrays: one for each thread of a topology. */
struct tb_thread_use {
	uint16_t jobs; /* so many; 0: it is free; TB_SHARE_NEVER */
	/*
	 * Where jobs is more than 0: the first and the last thread of the unit
	 * that all of them have, threads of the other core kind included.
	 */
	uint16_t first, last; /* 0, TB_SHARE_ANY: as any unit */
};

/* Jobs have a thread as whatever unit others have it. */
#define TB_SHARE_ANY UINT16_MAX

/*
 * One more job has the thread, as this unit (own->first and own->last); own->jobs is
 * TB_SHARE_NEVER: it shares with nobody.
 */
void tb_share_join(struct tb_thread_use *use, const struct tb_thread_use *own);

/*
 * For the threads of a grant of these units: note in use which unit each belongs
 * to.  others are the threads that are not in the grant.  Threads of the grant
 * outside all whole units get a unit that no other is equal to.
 */
void tb_share_mark(const struct tb_topology *topology, struct tb_unit unit,
		   const struct tb_bitset *others, struct tb_thread_use *use);

/*
 * For a job that asks for such units: threads that others have as part of
 * another unit become TB_SHARE_NEVER.
 */
void tb_share_only_units(const struct tb_topology *topology,
			 struct tb_unit unit, struct tb_thread_use *use);

/*
 * For a job that wants all of a node: the most jobs that have one of its threads, or
 * TB_SHARE_NEVER.  use is not what tb_share_only_units() made.  turns: the jobs take
 * turns; else it shares the node with those that have all of it as one unit.
 */
unsigned tb_share_whole(const struct tb_thread_use *use, unsigned threads,
			bool turns);

/* The threads that at least limit jobs have, or that nobody can share. */
void tb_share_used(const struct tb_thread_use *use, unsigned limit,
		   struct tb_bitset *used);

/* The next larger number of jobs that a thread has; or TB_SHARE_NEVER. */
unsigned tb_share_next_level(const struct tb_thread_use *use, unsigned threads,
			     unsigned level);

#endif
