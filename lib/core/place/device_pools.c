/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "device_pools.h"

#include <stdlib.h>

struct tb_device_state *tb_device_state_create(void)
{
	return calloc(1, sizeof(struct tb_device_state));
}

void tb_device_state_destroy(struct tb_device_state *devices)
{
	if (!devices)
		return;
	free(devices->kinds);
	free(devices->pools);
	free(devices->words);
	free(devices);
}

/* A set of units for each pool, and two more. */
static bool reserve_sets(struct tb_device_state *devices, uint32_t npools,
			 unsigned nunits)
{
	size_t of_set = (nunits + 63) / 64, all = of_set * (npools + 2);

	if (all > devices->words_room) {
		uint64_t *words = realloc(devices->words, all * sizeof(*words));

		if (!words)
			return false;
		devices->words = words;
		devices->words_room = all;
	}
	devices->free_units = (struct tb_bitset){ nunits, devices->words };
	devices->open = (struct tb_bitset){ nunits, devices->words + of_set };
	return true;
}

bool tb_device_state_reserve(struct tb_device_state *devices, uint32_t nkinds,
			     uint32_t npools, unsigned nunits)
{
	struct tb_kind_state *kinds = devices->kinds;
	struct tb_pool_state *pools = devices->pools;

	if (nkinds > devices->kinds_room) {
		kinds = realloc(kinds, nkinds * sizeof(*kinds));
		if (!kinds)
			return false;
		devices->kinds = kinds;
		devices->kinds_room = nkinds;
	}
	if (npools > devices->pools_room) {
		pools = realloc(pools, npools * sizeof(*pools));
		if (!pools)
			return false;
		devices->pools = pools;
		devices->pools_room = npools;
	}
	return reserve_sets(devices, npools, nunits);
}

uint32_t tb_devices_asked(const struct tb_kind_state *kind)
{
	return kind->per_slot ? kind->per_slot : kind->per_node;
}

static uint32_t divide_up(uint32_t a, uint32_t b)
{
	return a / b + (a % b != 0);
}

static uint32_t count_left_devices(const struct tb_pool_state *pool)
{
	return pool->free - pool->taken;
}

/* --- which units are near a pool --------------------------------------------- */

/* All cores at once. */
static void find_near_cores(const struct tb_placer *placer,
			    struct tb_pool_state *pool)
{
	const struct tb_topology *topology = placer->topology;
	const uint64_t *kind = topology->kind_threads[placer->kind]->words;
	const uint64_t *ends = topology->core_ends->words;
	uint64_t carry = 0;

	for (uint32_t i = 0; i < (topology->nthreads + 63) / 64; i++) {
		uint64_t near = pool->threads->words[i] & kind[i];

		pool->units.words[i] = tb_core_ends_with(ends[i], near,
							 &carry) &
				       kind[i];
	}
}

static void find_near_threads(const struct tb_placer *placer,
			      struct tb_pool_state *pool)
{
	const struct tb_topology *topology = placer->topology;
	const uint64_t *kind = topology->kind_threads[placer->kind]->words;

	for (uint32_t i = 0; i < (topology->nthreads + 63) / 64; i++)
		pool->units.words[i] = pool->threads->words[i] & kind[i];
}

static void find_near_containers(const struct tb_placer *placer,
				 struct tb_pool_state *pool)
{
	const struct tb_topology *topology = placer->topology;
	uint32_t count = tb_run_below(topology, 0, placer->class).count;

	for (uint32_t i = 0; i < count; i++) {
		struct tb_run run = tb_threads_of_object(topology,
							 placer->class, i);

		if (tb_bitset_intersects_range(pool->threads,
					       topology->kind_threads
						       [placer->kind],
					       run.first, run.count))
			tb_bitset_set(&pool->units, i);
	}
}

/* A list of CPUs may name threads of both kinds, and each is a unit. */
static void find_units_of_pool(const struct tb_placer *placer,
			       struct tb_pool_state *pool)
{
	uint32_t nthreads = placer->topology->nthreads;

	tb_bitset_clear_all(&pool->units);
	if (!placer->amount) {
		tb_bitset_or_range(&pool->units, pool->threads, 0, nthreads);
	} else if (placer->class == TB_CLASS_THREAD) {
		find_near_threads(placer, pool);
	} else if (placer->class == TB_CLASS_CORE) {
		find_near_cores(placer, pool);
	} else {
		find_near_containers(placer, pool);
	}
}

void tb_devices_find_units(const struct tb_placer *placer,
			   struct tb_device_state *devices)
{
	unsigned nunits = placer->available->nbits, set = 2;

	for (uint32_t k = 0; k < devices->nkinds; k++)
		for (uint32_t i = 0; i < devices->kinds[k].npools; i++, set++) {
			struct tb_pool_state *pool = &devices->kinds[k].pools[i];

			pool->units.nbits = nunits;
			pool->units.words = devices->words +
					    (size_t)set * ((nunits + 63) / 64);
			find_units_of_pool(placer, pool);
		}
}

/* How many units a group has; each CPU of a list is one. */
static uint32_t count_units_in_group(const struct tb_placer *placer)
{
	return placer->amount ? placer->amount
			      : tb_bitset_count(placer->granted);
}

/* The next unit; *at is 0 before the first. */
static uint32_t get_next_unit(const struct tb_placer *placer, uint32_t group,
			      uint32_t *at)
{
	uint32_t unit;

	if (placer->amount)
		return placer->taken[group * placer->amount + (*at)++];
	unit = tb_bitset_next(placer->granted, *at);
	*at = unit + 1;
	return unit;
}

static bool group_has_affinity(const struct tb_placer *placer, uint32_t group,
			       const struct tb_pool_state *pool)
{
	uint32_t count = count_units_in_group(placer), at = 0;

	for (uint32_t i = 0; i < count; i++)
		if (tb_bitset_test(&pool->units,
				   get_next_unit(placer, group, &at)))
			return true;
	return false;
}

static bool any_group_has_affinity(const struct tb_placer *placer,
				   const struct tb_pool_state *pool)
{
	for (uint32_t group = 0; group < placer->groups; group++)
		if (group_has_affinity(placer, group, pool))
			return true;
	return false;
}

/* --- which units can be taken ------------------------------------------------ */

/* Is the pool among the `most` largest?  Of equal ones the first is larger. */
static bool is_among_largest_pools(const struct tb_kind_state *kind,
				   const struct tb_pool_state *pool,
				   uint32_t most)
{
	uint32_t larger = 0;

	for (uint32_t i = 0; i < kind->npools; i++) {
		const struct tb_pool_state *other = &kind->pools[i];

		larger += other->slots > pool->slots ||
			  (other->slots == pool->slots && other < pool);
	}
	return larger < most;
}

static bool any_pool_has_room(const struct tb_kind_state *kind)
{
	for (uint32_t i = 0; i < kind->npools; i++)
		if (kind->pools[i].room)
			return true;
	return false;
}

/*
 * May the next slot be near this pool?  Each device for the node that is taken
 * serves its share of the slots (room).  When no more devices are to be taken
 * and all have served their share, each may serve any slot.
 */
static bool may_open_pool(const struct tb_device_state *devices, uint32_t index,
			  const struct tb_pool_state *pool)
{
	const struct tb_kind_state *kind = &devices->kinds[index];
	const struct tb_device_attempt *attempt = &devices->attempt;
	uint32_t asked = tb_devices_asked(kind);
	uint32_t least = asked < attempt->least ? asked : attempt->least;
	uint32_t share; /* of the next slot */

	if (index == 0 && attempt->only != TB_ANY_POOL)
		return pool == &kind->pools[attempt->only];
	if (attempt->where == TB_SOME_NEAR)
		return pool->free > 0;
	if (index == 0 && attempt->most != TB_ANY_POOL)
		return pool->free &&
		       is_among_largest_pools(kind, pool, attempt->most);
	if (kind->per_slot)
		return count_left_devices(pool) >= least;
	if (pool->free < least)
		return false;
	if (!kind->left || devices->placed == devices->wanted)
		return pool->taken && (pool->room || !any_pool_has_room(kind));
	share = divide_up(kind->left, devices->wanted - devices->placed);
	if (kind->per_node >= devices->wanted)
		return count_left_devices(pool) >=
		       (least < share ? least : share);
	return pool->room > 0 || count_left_devices(pool) > 0;
}

/* Returns whether this opened or closed any pool. */
static bool open_pools(struct tb_device_state *devices)
{
	bool changed = false;

	for (uint32_t k = 0; k < devices->nkinds; k++)
		for (uint32_t i = 0; i < devices->kinds[k].npools; i++) {
			struct tb_pool_state *pool = &devices->kinds[k].pools[i];
			bool open = may_open_pool(devices, k, pool);

			changed = changed || open != pool->open;
			pool->open = open;
		}
	return changed;
}

/* Of one kind the available units near open pools stay. */
static void close_units_of_kind(const struct tb_placer *placer,
				const struct tb_kind_state *kind)
{
	struct tb_bitset *open = &placer->devices->open;

	tb_bitset_clear_all(open);
	for (uint32_t i = 0; i < kind->npools; i++)
		if (kind->pools[i].open)
			tb_bitset_or(open, &kind->pools[i].units);
	tb_bitset_and(placer->available, open);
}

void tb_devices_close_units(struct tb_placer *placer)
{
	const struct tb_device_state *devices = placer->devices;

	if (devices->attempt.where == TB_ANYWHERE || !placer->amount)
		return;
	for (uint32_t k = 0; k < devices->nkinds; k++)
		close_units_of_kind(placer, &devices->kinds[k]);
}

/* --- the devices of a slot --------------------------------------------------- */

static void take_device(struct tb_kind_state *kind, struct tb_pool_state *pool,
			uint32_t room)
{
	pool->taken++;
	pool->fresh++;
	pool->room += room;
	kind->left -= kind->left > 0;
}

/* Does a device that the job has already serve this unit too? */
static bool unit_is_served(const struct tb_placer *placer,
			   const struct tb_kind_state *kind, uint32_t unit)
{
	const struct tb_device_attempt *attempt = &placer->devices->attempt;
	bool last_ones = attempt->only != TB_ANY_POOL ||
			 attempt->most != TB_ANY_POOL || !kind->left;

	for (uint32_t i = 0; i < kind->npools; i++) {
		const struct tb_pool_state *pool = &kind->pools[i];
		bool serves = pool->fresh || (!kind->per_slot && pool->taken &&
					      (pool->room || last_ones));

		if (serves && tb_bitset_test(&pool->units, unit))
			return true;
	}
	return false;
}

/*
 * The pool with the most devices left among those near a unit of the group, or
 * near the group when unit is NULL.  NULL: none has any.
 */
static struct tb_pool_state *find_fullest_pool(const struct tb_placer *placer,
					       struct tb_kind_state *kind,
					       uint32_t group,
					       const uint32_t *unit)
{
	struct tb_pool_state *best = NULL;

	for (uint32_t i = 0; i < kind->npools; i++) {
		struct tb_pool_state *pool = &kind->pools[i];
		uint32_t left = count_left_devices(pool);

		if (left > (best ? count_left_devices(best) : 0) &&
		    (unit ? tb_bitset_test(&pool->units, *unit)
			  : group_has_affinity(placer, group, pool)))
			best = pool;
	}
	return best;
}

/* Take devices of one kind for the group; false: not all of them are near. */
static bool serve_group(struct tb_placer *placer, struct tb_kind_state *kind,
			uint32_t group)
{
	uint32_t slots = placer->devices->wanted -
			 group; /* this one included */
	uint32_t budget = kind->per_slot ? kind->per_slot : kind->left;
	uint32_t share = budget >= slots ? divide_up(budget, slots) : 0;
	uint32_t room = share || !budget ? 0 : divide_up(slots, budget);
	uint32_t units = count_units_in_group(placer), at = 0, taken = 0;
	struct tb_pool_state *pool;

	if (kind->per_slot)
		share = kind->per_slot;
	for (uint32_t i = 0; i < units; i++) {
		uint32_t unit = get_next_unit(placer, group, &at);

		if (unit_is_served(placer, kind, unit))
			continue;
		pool = find_fullest_pool(placer, kind, group, &unit);
		if (!pool || taken == budget)
			return false;
		take_device(kind, pool, room);
		taken++;
	}
	while (taken < share &&
	       (pool = find_fullest_pool(placer, kind, group, NULL))) {
		take_device(kind, pool, room);
		taken++;
	}
	return !kind->per_slot || taken == kind->per_slot;
}

static void give_back_devices(struct tb_kind_state *kind)
{
	for (uint32_t i = 0; i < kind->npools; i++) {
		kind->pools[i].taken -= kind->pools[i].fresh;
		kind->left += kind->per_slot ? 0 : kind->pools[i].fresh;
	}
}

/* The devices near a slot have served it. */
static void use_pool_room(const struct tb_placer *placer,
			  struct tb_kind_state *kind, uint32_t group)
{
	for (uint32_t i = 0; i < kind->npools; i++) {
		struct tb_pool_state *pool = &kind->pools[i];

		if (pool->room && group_has_affinity(placer, group, pool))
			pool->room--;
	}
}

static void forget_fresh_devices(struct tb_device_state *devices)
{
	for (uint32_t k = 0; k < devices->nkinds; k++)
		for (uint32_t i = 0; i < devices->kinds[k].npools; i++)
			devices->kinds[k].pools[i].fresh = 0;
}

bool tb_devices_follow_slots(const struct tb_placer *placer)
{
	return placer->devices &&
	       placer->devices->attempt.where != TB_SOME_NEAR;
}

enum tb_served tb_devices_serve(struct tb_placer *placer)
{
	struct tb_device_state *devices = placer->devices;
	uint32_t group = placer->groups - 1;
	bool served = true;

	if (devices->attempt.where == TB_SOME_NEAR)
		return TB_SERVED;
	forget_fresh_devices(devices);
	for (uint32_t k = 0; k < devices->nkinds; k++)
		served = serve_group(placer, &devices->kinds[k], group) &&
			 served;
	if (devices->attempt.where == TB_ANYWHERE)
		return TB_SERVED;
	for (uint32_t k = 0; k < devices->nkinds; k++)
		if (served)
			use_pool_room(placer, &devices->kinds[k], group);
		else
			give_back_devices(&devices->kinds[k]);
	if (!served)
		return TB_NOT_SERVED;
	devices->placed = placer->groups;
	return open_pools(devices) ? TB_SERVED_OTHERWISE : TB_SERVED;
}

/* --- the devices of the node ------------------------------------------------- */

/*
 * Take up to count devices, only from pools near the placed units where near_ones
 * says so.  Returns how many were not there.
 */
static uint32_t take_more_devices(const struct tb_placer *placer,
				  struct tb_kind_state *kind, uint32_t count,
				  bool near_ones)
{
	for (uint32_t i = 0; i < kind->npools && count; i++) {
		struct tb_pool_state *pool = &kind->pools[i];
		uint32_t left = count_left_devices(pool);
		uint32_t more = left < count ? left : count;

		if (near_ones && !any_group_has_affinity(placer, pool))
			continue;
		pool->taken += more;
		count -= more;
	}
	return count;
}

/*
 * Take the remaining devices from pools near units that are placed already; they
 * serve any number of slots.
 */
static void take_remaining_devices(const struct tb_placer *placer)
{
	struct tb_device_state *devices = placer->devices;

	for (uint32_t k = 0; k < devices->nkinds; k++) {
		struct tb_kind_state *kind = &devices->kinds[k];

		kind->left = take_more_devices(placer, kind, kind->left, true);
		for (uint32_t i = 0; i < kind->npools; i++)
			kind->pools[i].room = 0;
	}
}

bool tb_devices_open_more(struct tb_placer *placer)
{
	struct tb_device_state *devices = placer->devices;
	struct tb_device_attempt *attempt = &devices->attempt;

	if (attempt->where != TB_ALL_NEAR && attempt->where != TB_NEAR_FIRST)
		return false;
	take_remaining_devices(placer);
	if (open_pools(devices))
		return true;
	if (attempt->where != TB_NEAR_FIRST)
		return false;
	attempt->where = TB_ANYWHERE;
	return true;
}

static uint32_t count_taken_devices(const struct tb_kind_state *kind)
{
	uint32_t taken = 0;

	for (uint32_t i = 0; i < kind->npools; i++)
		taken += kind->pools[i].taken;
	return taken;
}

static void complete_kind(const struct tb_placer *placer,
			  struct tb_kind_state *kind)
{
	uint32_t wanted = kind->per_slot ? kind->per_slot * placer->groups
					 : kind->per_node;
	uint32_t taken = count_taken_devices(kind), missing;

	missing = taken < wanted ? wanted - taken : 0;
	missing = take_more_devices(placer, kind, missing, true);
	if (missing)
		placer->devices->all_near = false;
	take_more_devices(placer, kind, missing, false);
}

void tb_devices_complete(const struct tb_placer *placer)
{
	for (uint32_t k = 0; k < placer->devices->nkinds; k++)
		complete_kind(placer, &placer->devices->kinds[k]);
}

/* --- an attempt --------------------------------------------------------------- */

void tb_devices_forget(struct tb_device_state *devices)
{
	for (uint32_t k = 0; k < devices->nkinds; k++) {
		struct tb_kind_state *kind = &devices->kinds[k];

		kind->left = kind->per_node;
		for (uint32_t i = 0; i < kind->npools; i++)
			kind->pools[i].taken = kind->pools[i].room = 0;
	}
}

void tb_devices_begin(struct tb_device_state *devices,
		      struct tb_device_attempt attempt, uint32_t wanted)
{
	devices->attempt = attempt;
	devices->wanted = wanted;
	devices->placed = 0;
	devices->all_near = true;
	tb_devices_forget(devices);
	open_pools(devices);
}
