/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placer.h - the state of one placement
 *
 * Private to lib/core.  Everything that depends on the request and on who uses
 * what; the tables of the topology do not change.  Three ideas keep it fast:
 * units are bits of one set, so that "how many are available below this
 * container" is a population count; children are sorted when they are first
 * looked at, so that a sort costs what is looked at; and as slots only ever
 * take units away, a container that had too few of them once is never looked
 * at again.
 */
#ifndef TB_CORE_PLACER_H
#define TB_CORE_PLACER_H

#include "near.h"
#include "place.h"
#include "share.h"
#include "tree.h"

#define TB_NO_NODE UINT32_MAX

/* The children of one node in this placement. */
struct tb_siblings {
	uint32_t placement; /* the placement in which this was made */
	uint32_t exhausted; /* so many of the first have no unit any more */
};

struct tb_placer {
	const struct tb_topology *topology;

	/* Of the request, as it is on this node. */
	enum tb_class class;
	enum tb_class bits; /* how units are numbered in sets, see below */
	enum tb_core_kind kind;
	uint32_t amount; /* 0: a list of CPUs, which is one group */
	char start, stop;
	const char *sort;
	uint32_t outer_levels; /* levels[0..n) lie outside the unit */
	bool nested_units;     /* some units lie inside others */

	/* Threads used by others or masked, as they were before slot 0. */
	struct tb_bitset *busy;
	/*
	 * Units that are in the window and not taken.  A unit is one bit: that
	 * of a container is its number among those of its letter, that of a
	 * thread is the thread, and that of a core is its last thread, because
	 * so all cores can be tested at once (see find_free_cores()).
	 */
	struct tb_bitset *available;
	struct tb_bitset *window;
	/* The result: threads, and the units in the order they were taken. */
	struct tb_bitset *granted;
	uint32_t *taken; /* bits */
	uint32_t ntaken;
	uint32_t groups;

	/*
	 * Sharing; held is NULL without.  A unit counts as free when it has at
	 * most level jobs; those with tier jobs are taken at the moment.
	 */
	const struct tb_holding *held;
	unsigned level, tier;
	struct tb_near *near; /* NULL: no devices are asked for */

	/* Sorting. */
	uint32_t placement;
	struct tb_siblings *siblings; /* by parent node */
	uint32_t *children;           /* sorted copy of topology->children */
	uint64_t *keys;               /* scratch for the longest list */
	uint32_t *moved;

	/* Packed: levels at and inside this one hold no whole amount. */
	uint32_t open_levels;
	bool cores_open;
};

/* What others have: used, or where units are shared held. */
struct tb_taken {
	const struct tb_bitset *used;
	const struct tb_holding *held;
	unsigned limit;
};

/*
 * place.c: how many slots to place at most (0: none is asked for; or a
 * mismatch), place them, and what to tell about it.
 */
int tb_slots_wanted(const struct tb_placer *placer,
		    const struct tb_request *request, unsigned nslots);
void tb_place_slots(struct tb_placer *placer, const struct tb_request *request,
		    const struct tb_taken *by_others, struct tb_near *near,
		    unsigned wanted);
int tb_slots_placed(const struct tb_placer *placer,
		    const struct tb_request *request, unsigned nslots);

/*
 * near.c: close the available units that are not near what the next slot
 * needs, and give the group that was just taken its devices.
 */
enum tb_served {
	TB_SERVED,
	TB_SERVED_OTHERWISE, /* so that other units are near from now on */
	TB_NOT_SERVED,
};
void tb_near_close(struct tb_placer *placer);
enum tb_served tb_near_serve(struct tb_placer *placer);
/* No more slots fit so: whether others can be tried, at last anywhere. */
bool tb_near_go_on(struct tb_placer *placer);

/* sort.c: the children of a node in the order of the sort; nchildren many. */
const uint32_t *tb_sorted_children(struct tb_placer *placer, uint32_t node);

/* window.c: which units lie in the window.  False when nothing starts it. */
bool tb_window_find(struct tb_placer *placer);

/* strategy.c: take one slot's amount.  False, nothing taken: no room. */
bool tb_take_slot(struct tb_placer *placer, enum tb_strategy strategy);
/* Units that were taken before are not available again. */
void tb_close_taken(struct tb_placer *placer);

/* The next number of jobs above this one that a thread has; or NEVER. */
unsigned tb_next_level(const struct tb_placer *placer, unsigned level);

/* The bits of the units below a node, itself included. */
static inline struct tb_run tb_units_below(const struct tb_placer *placer,
					   uint32_t node)
{
	return tb_run_below(placer->topology, node, placer->bits);
}

/* The threads of a unit, of both kinds. */
struct tb_run tb_unit_threads(const struct tb_placer *placer, uint32_t unit);

/*
 * The bits of the units that a node is itself: a container of the unit's
 * letter is one, a core is one or, for threads, several; any other is none.
 */
struct tb_run tb_units_of(const struct tb_placer *placer, uint32_t node);

#endif
