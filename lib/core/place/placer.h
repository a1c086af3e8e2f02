/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placer.h - the state of one placement
 *
 * Private to lib/core.  A placer has everything that depends on the request and
 * on what is in use; the tables of the topology do not change.  Three ideas keep
 * a placement fast:
 *
 * - Units are bits of one set.  How many are available below a container is a
 *   population count.
 * - The children of an object are sorted when they are first needed.  A sort
 *   costs only what the placement looks at.
 * - Slots only ever take units away.  A container that had too few of them once
 *   is not looked at again.
 */
#ifndef TB_CORE_PLACE_PLACER_H
#define TB_CORE_PLACE_PLACER_H

#include "core/request/request.h"
#include "core/topology/tree.h"
#include "share.h"

#define TB_NO_NODE UINT32_MAX

struct tb_device_state; /* device_pools.h */
struct tb_fewest;	/* fewest.h */
struct tb_flat;		/* flat.h */
struct tb_nearest;	/* nearest.h */
struct tb_parts;	/* parts.h */

/* The children of one tree node in this placement. */
struct tb_siblings {
	uint32_t placement; /* the placement in which they were sorted */
	uint32_t exhausted; /* so many of the first have no unit any more */
};

struct tb_placer {
	const struct tb_topology *topology;

	/* What the request means on this node. */
	enum tb_class class;
	enum tb_class bits; /* how sets number units, see below */
	enum tb_core_kind kind;
	uint32_t amount; /* 0: a list of CPUs, which is one group */
	char start, stop;
	char sort[TB_SORT_MAX + 1]; /* a copy: a part is a request for a moment */
	uint32_t outer_levels;	    /* levels[0..n) lie outside the unit */
	bool nested_units;	    /* some units lie inside others */

	/* Threads used by others, as they were before slot 0. */
	struct tb_bitset *busy;
	/*
	 * Threads that run no tasks.  load is what counts as used: busy without
	 * these.  units are the units that run tasks; without a mask it is not
	 * filled, as tb_count_units() does not need it.
	 */
	bool any_masked;
	struct tb_bitset *masked;
	struct tb_bitset *load;
	struct tb_bitset *units;
	/*
	 * Units that are in the window and not taken.  A unit is one bit: for a
	 * container its number among the objects of its letter, for a thread
	 * the thread, for a core its last thread.  With the last thread all
	 * cores can be tested at once (see find_free_cores()).
	 */
	struct tb_bitset *available;
	struct tb_bitset *window;
	/* The result: threads, and the units in the order they were taken. */
	struct tb_bitset *granted;
	uint32_t *taken; /* bits */
	uint32_t ntaken;
	uint32_t groups;

	/*
	 * Shared units; use is NULL without.  A unit counts as free when it has
	 * at most level jobs.  Those with tier jobs are being taken.
	 */
	const struct tb_thread_use *use;
	unsigned level, tier;

	/* Devices; NULL when the job asks for none. */
	struct tb_device_state *devices;
	struct tb_device_state *device_memory; /* where they are, if any */

	/* Sorting. */
	uint32_t placement;
	struct tb_siblings *siblings; /* by parent tree node */
	uint32_t *children;	      /* sorted copy of topology->children */
	uint64_t *keys;		      /* scratch for the longest list */
	uint32_t *moved;

	/* Slots in containers of their own, see spread.h. */
	bool spread;
	uint32_t spread_level;	    /* of the containers */
	struct tb_bitset *possible; /* units that the job could ever have */

	/* Packed: levels from this one inwards hold no whole amount. */
	uint32_t open_levels;
	bool cores_open;
	struct tb_fewest *fewest;
	struct tb_flat *flat;
	struct tb_nearest *nearest;
	struct tb_parts *parts;

	/* Slots together. */
	uint32_t per_slot;	  /* tb_count_units() counts slots of so many */
	struct tb_bitset *hidden; /* what is available, while slots are chosen */
	struct tb_bitset *chosen; /* units that stand for slots */
};

/*
 * A new placement of a request: nothing is granted, no list is sorted.  used
 * (may be NULL: nothing) is busy, masked is what the request says.
 */
void tb_placer_begin(struct tb_placer *placer, const struct tb_request *request,
		     const struct tb_bitset *used);
/* Busy is from now on used (may be NULL). */
void tb_placer_set_busy(struct tb_placer *placer, const struct tb_bitset *used);
/* What is busy has changed otherwise. */
void tb_placer_find_load(struct tb_placer *placer);
/* Sort lists again, look at every container again. */
void tb_placer_forget_order(struct tb_placer *placer);

/* The bits of the units below a tree node, the node itself included. */
static inline struct tb_run tb_units_below(const struct tb_placer *placer,
					   uint32_t node)
{
	return tb_run_below(placer->topology, node, placer->bits);
}

/* The threads of a unit, of both kinds. */
struct tb_run tb_unit_threads(const struct tb_placer *placer, uint32_t unit);

/*
 * The bits of the units that a tree node is itself: a container of the unit's
 * letter is one, a core is one or, for threads, several; any other is none.
 */
struct tb_run tb_units_of(const struct tb_placer *placer, uint32_t node);

/* Which of them counts as used? */
static inline const struct tb_bitset *tb_load_of(const struct tb_placer *placer)
{
	return placer->any_masked ? placer->load : placer->busy;
}

/* Does a tree node have a thread of the kind that is not masked? */
bool tb_runs_tasks(const struct tb_placer *placer, uint32_t node,
		   enum tb_core_kind kind);

/*
 * How many units are available below a tree node; how many there are in all that
 * run tasks (while slots are chosen: how many slots of these).
 */
uint32_t tb_count_available(const struct tb_placer *placer, uint32_t node);
uint32_t tb_count_units(const struct tb_placer *placer, uint32_t node);
/* Those that run no tasks, too. */
uint32_t tb_count_all_units(const struct tb_placer *placer, uint32_t node);

#endif
