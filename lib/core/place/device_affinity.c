/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "device_affinity.h"

#include "available.h"
#include "device_pools.h"
#include "placer.h"
#include "slots.h"

/* What stays the same from attempt to attempt, and the best one so far. */
struct affinity_search {
	struct tb_placer *placer;
	const struct tb_request *request;
	const struct tb_others *others;
	struct tb_device_state *devices;
	uint32_t wanted; /* slots; all that can be had while all is near */
	uint32_t enough; /* no attempt can place more */
	struct tb_device_attempt best;
	uint32_t slots; /* by the best */
};

/* How many slots fit; 0 when all should be near and is not. */
static uint32_t try_attempt(struct affinity_search *search,
			    struct tb_device_attempt attempt)
{
	struct tb_device_state *devices = search->devices;
	struct tb_placer *placer = search->placer;

	tb_devices_begin(devices, attempt, search->wanted);
	tb_place_slots(placer, search->request, search->others, devices,
		       search->wanted);
	tb_devices_complete(placer);
	if (attempt.where == TB_ALL_NEAR && !devices->all_near)
		return 0;
	return placer->groups;
}

/* Remembers the best attempt.  Returns whether no other can be better. */
static bool try_all_near(struct affinity_search *search, uint32_t least,
			 uint32_t only, uint32_t most)
{
	struct tb_device_attempt attempt = { least, only, most, TB_ALL_NEAR };
	uint32_t slots = try_attempt(search, attempt);

	if (slots > search->slots) {
		search->slots = slots;
		search->best = attempt;
	}
	return search->slots >= search->enough;
}

/* With units near any pool; where says how strictly. */
static uint32_t try_all_pools(struct affinity_search *search, int where)
{
	struct tb_device_attempt attempt = { 1, TB_ANY_POOL, TB_ANY_POOL,
					     where };

	return try_attempt(search, attempt);
}

static int compare_numbers(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

/* The fewest free devices first, then in the order of the string. */
static int compare_pools(const struct tb_pool_state *a,
			 const struct tb_pool_state *b)
{
	int order = compare_numbers(a->free, b->free);

	if (!order)
		order = compare_numbers(tb_bitset_next(a->threads, 0),
					tb_bitset_next(b->threads, 0));
	return order ? order : (a > b) - (a < b);
}

/* The next pool with enough devices, after the one that was tried last. */
static uint32_t find_pool_after(const struct tb_kind_state *kind, uint32_t last)
{
	const struct tb_pool_state *pools = kind->pools;
	uint32_t next = TB_ANY_POOL;

	for (uint32_t i = 0; i < kind->npools; i++)
		if (pools[i].free >= kind->per_node &&
		    (last == TB_ANY_POOL ||
		     compare_pools(&pools[i], &pools[last]) > 0) &&
		    (next == TB_ANY_POOL ||
		     compare_pools(&pools[i], &pools[next]) < 0))
			next = i;
	return next;
}

/* At most so many slots have all their units near the pool. */
static uint32_t count_slots_near(const struct affinity_search *search,
				 const struct tb_pool_state *pool)
{
	const struct tb_placer *placer = search->placer;

	/* Of shared units more become free from level to level. */
	if (!placer->amount || search->others->use)
		return UINT32_MAX;
	return tb_bitset_count_both(&search->devices->free_units,
				    &pool->units) /
	       placer->amount;
}

static bool try_one_pool(struct affinity_search *search)
{
	const struct tb_kind_state *kind = &search->devices->kinds[0];
	uint32_t pool = TB_ANY_POOL;

	if (kind->per_slot)
		return false;
	while ((pool = find_pool_after(kind, pool)) != TB_ANY_POOL)
		if (count_slots_near(search, &kind->pools[pool]) >
			    search->slots &&
		    try_all_near(search, 1, pool, TB_ANY_POOL))
			return true;
	return false;
}

/* Units near as many free devices as are asked for, then half as many... */
static bool try_several_pools(struct affinity_search *search)
{
	uint32_t least = 1;

	for (uint32_t k = 0; k < search->devices->nkinds; k++)
		if (tb_devices_asked(&search->devices->kinds[k]) > least)
			least = tb_devices_asked(&search->devices->kinds[k]);
	for (; least; least = least > 1 ? (least + 1) / 2 : 0)
		if (try_all_near(search, least, TB_ANY_POOL, TB_ANY_POOL))
			return true;
	return false;
}

/* How many slots fit near each pool of the first kind alone. */
static void count_slots_of_pools(struct affinity_search *search)
{
	struct tb_kind_state *kind = &search->devices->kinds[0];

	for (uint32_t i = 0; i < kind->npools; i++) {
		struct tb_device_attempt attempt = { 1, i, TB_ANY_POOL,
						     TB_SOME_NEAR };

		kind->pools[i].slots = kind->pools[i].free
					       ? try_attempt(search, attempt)
					       : 0;
	}
}

static bool try_largest_pools(struct affinity_search *search)
{
	const struct tb_kind_state *kind = &search->devices->kinds[0];

	if (kind->npools < 3 || kind->per_node < 2)
		return false;
	count_slots_of_pools(search);
	for (uint32_t most = 2; most < kind->npools && most <= kind->per_node;
	     most++)
		if (try_all_near(search, 1, TB_ANY_POOL, most))
			return true;
	return false;
}

/* As many slots as there are devices for. */
static uint32_t count_served_slots(const struct tb_device_state *devices)
{
	uint32_t served = UINT32_MAX;

	for (uint32_t k = 0; k < devices->nkinds; k++) {
		const struct tb_kind_state *kind = &devices->kinds[k];
		uint32_t free = 0;

		for (uint32_t i = 0; i < kind->npools; i++)
			free += kind->pools[i].free;
		if (kind->per_slot && free / kind->per_slot < served)
			served = free / kind->per_slot;
		if (free < kind->per_node)
			served = 0;
	}
	return served;
}

/* Is the pool among as many as devices can be taken of, those with most units? */
static bool is_among_widest_pools(const struct tb_kind_state *kind,
				  const struct tb_pool_state *pool)
{
	uint32_t wider = 0;

	for (uint32_t i = 0; i < kind->npools; i++) {
		const struct tb_pool_state *other = &kind->pools[i];

		wider += other->near > pool->near ||
			 (other->near == pool->near && other < pool);
	}
	return wider < kind->per_node;
}

/* So many free units have one of the kind's devices near, whichever are taken. */
static uint32_t count_units_near(const struct affinity_search *search,
				 struct tb_kind_state *kind)
{
	uint32_t units = 0;

	for (uint32_t i = 0; i < kind->npools; i++) {
		struct tb_pool_state *pool = &kind->pools[i];

		pool->near =
			pool->free ? tb_bitset_count_both(&search->devices
								   ->free_units,
							  &pool->units)
				   : 0;
	}
	for (uint32_t i = 0; i < kind->npools; i++)
		if (is_among_widest_pools(kind, &kind->pools[i]))
			units += kind->pools[i].near;
	return units;
}

/* At most so many slots have all their units near devices for the node. */
static uint32_t count_most_near(const struct affinity_search *search)
{
	uint32_t most = UINT32_MAX;

	const struct tb_placer *placer = search->placer;

	/* Of shared units more become free from level to level, and windows move. */
	if (!placer->amount || search->others->use || placer->start ||
	    placer->stop)
		return most;
	for (uint32_t k = 0; k < search->devices->nkinds; k++) {
		struct tb_kind_state *kind = &search->devices->kinds[k];
		uint32_t slots;

		if (kind->per_slot)
			continue;
		slots = count_units_near(search, kind) / placer->amount;
		if (slots < most)
			most = slots;
	}
	return most;
}

/* Leaves the best in the placer; search->slots says whether there is one. */
static void find_best_attempt(struct affinity_search *search)
{
	const struct tb_request *request = search->request;
	bool spread = request->strategy == TB_SCATTER || request->sort[0];
	uint32_t wanted = search->wanted;
	uint32_t served = count_served_slots(search->devices);
	uint32_t near = served ? count_most_near(search) : 0;

	if (!near)
		return;
	if (near < served)
		served = near;
	/* So many at most: devices are shared out among them. */
	search->wanted = try_all_pools(search, TB_SOME_NEAR);
	search->enough = served < search->wanted ? served : search->wanted;
	if (search->wanted && !(spread && try_several_pools(search)) &&
	    !try_one_pool(search) && (spread || !try_several_pools(search)) &&
	    !try_largest_pools(search) && search->slots)
		try_attempt(search, search->best);
	search->wanted = wanted;
}

/* As many slots near as fit so, the others anywhere; never fewer than anywhere. */
static void place_near_first(struct affinity_search *search)
{
	uint32_t anywhere = try_all_pools(search, TB_ANYWHERE), slots;

	if (search->slots) {
		search->best.where = TB_NEAR_FIRST;
		slots = try_attempt(search, search->best);
	} else {
		slots = try_all_pools(search, TB_NEAR_FIRST);
	}
	if (slots < anywhere)
		try_all_pools(search, TB_ANYWHERE);
}

/* --- what the caller gave, and gets ------------------------------------------- */

static bool copy_pools_in(struct tb_device_state *devices,
			  const struct tb_affinity *affinity, unsigned nunits)
{
	uint32_t npools = 0;

	for (uint32_t k = 0; k < affinity->nkinds; k++)
		npools += affinity->kinds[k].npools;
	if (!tb_device_state_reserve(devices, affinity->nkinds, npools, nunits))
		return false;
	devices->nkinds = affinity->nkinds;
	npools = 0;
	for (uint32_t k = 0; k < affinity->nkinds; k++) {
		const struct tb_device_kind *kind = &affinity->kinds[k];

		devices->kinds[k] = (struct tb_kind_state){
			.per_slot = kind->per_slot,
			.per_node = kind->per_node,
			.npools = kind->npools,
			.pools = &devices->pools[npools],
		};
		for (uint32_t i = 0; i < kind->npools; i++)
			devices->pools[npools++] = (struct tb_pool_state){
				.threads = kind->pools[i].threads,
				.free = kind->pools[i].free,
			};
	}
	return true;
}

static void copy_taken_out(const struct tb_device_state *devices,
			   struct tb_affinity *affinity)
{
	for (uint32_t k = 0; k < affinity->nkinds; k++)
		for (uint32_t i = 0; i < affinity->kinds[k].npools; i++)
			affinity->kinds[k].pools[i].taken =
				devices->kinds[k].pools[i].taken;
}

/* Units are free in all attempts, and near a pool, or are not. */
static void find_units(const struct affinity_search *search)
{
	struct tb_placer *placer = search->placer;

	tb_placer_begin(placer, search->request, search->others->used);
	if (!search->others->use && placer->amount && tb_find_available(placer))
		tb_bitset_assign(&search->devices->free_units,
				 placer->available);
	else
		tb_bitset_clear_all(&search->devices->free_units);
	tb_devices_find_units(placer, search->devices);
}

/* Parts are placed for being near each other; core/request/combination.c. */
static void take_no_devices(struct tb_affinity *affinity)
{
	for (uint32_t k = 0; k < affinity->nkinds; k++)
		for (uint32_t i = 0; i < affinity->kinds[k].npools; i++)
			affinity->kinds[k].pools[i].taken = 0;
}

int tb_place_with_devices(struct tb_placer *placer,
			  const struct tb_request *request,
			  const struct tb_bitset *used,
			  const struct tb_thread_use *use, unsigned limit,
			  struct tb_affinity *affinity, unsigned nslots)
{
	int wanted = tb_slots_wanted(placer, request, nslots);
	struct tb_others others = { used, use, limit, false };
	struct affinity_search search = {
		.placer = placer,
		.request = request,
		.others = &others,
		.devices = placer->device_memory,
		.wanted = (uint32_t)wanted,
	};

	if (wanted <= 0)
		return wanted;
	if (request->nparts) {
		take_no_devices(affinity);
		tb_place_slots(placer, request, &others, NULL, search.wanted);
		return tb_slots_placed(placer, request, nslots);
	}
	if (!copy_pools_in(search.devices, affinity, placer->available->nbits))
		return TB_PLACE_NO_MEMORY;
	find_units(&search);
	find_best_attempt(&search);
	if (!affinity->must && search.slots < search.wanted)
		place_near_first(&search);
	else if (!search.slots)
		tb_devices_forget(search.devices);
	copy_taken_out(search.devices, affinity);
	/* What a failed attempt has placed does not count. */
	if (affinity->must && !search.slots)
		return 0;
	return tb_slots_placed(placer, request, nslots);
}
