/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "near.h"

#include "placer.h"

#define ANY_POOL UINT32_MAX

/* One try to place; see near.h. */
struct attempt {
	uint32_t least; /* free devices near a unit */
	uint32_t only;  /* pool of the first kind, or ANY_POOL */
	uint32_t most;  /* so many pools of it, the largest ones; or ANY_POOL */
};

/* What does not change from try to try. */
struct search {
	struct tb_placer *placer;
	const struct tb_request *request;
	const struct tb_taken *by_others;
	struct tb_near *near;
	uint32_t wanted; /* slots; all that can be had while all is near */
	struct attempt best;
	uint32_t slots; /* by the best */
};

static uint32_t asked(const struct tb_near_kind *kind)
{
	return kind->per_slot ? kind->per_slot : kind->per_node;
}

static uint32_t divide_up(uint32_t a, uint32_t b)
{
	return a / b + (a % b != 0);
}

static uint32_t left_in(const struct tb_near_pool *pool)
{
	return pool->free - pool->taken;
}

/* --- what is near ------------------------------------------------------------ */

static bool run_is_near(const struct tb_placer *placer,
			const struct tb_near_pool *pool, struct tb_run run)
{
	const struct tb_bitset *of_kind =
		placer->topology->kind_threads[placer->kind];
	uint32_t end = run.first + run.count;

	for (uint32_t i = tb_bitset_next(pool->threads, run.first); i < end;
	     i = tb_bitset_next(pool->threads, i + 1))
		if (!placer->amount || tb_bitset_test(of_kind, i))
			return true;
	return false;
}

/* The units of a group; of a list of CPUs each is one. */
static uint32_t units_in_group(const struct tb_placer *placer)
{
	return placer->amount ? placer->amount
			      : tb_bitset_count(placer->granted);
}

/* The next one's threads; *at is 0 before the first. */
static struct tb_run next_unit(const struct tb_placer *placer, uint32_t group,
			       uint32_t *at)
{
	uint32_t thread;

	if (placer->amount)
		return tb_unit_threads(placer,
				       placer->taken[group * placer->amount +
						     (*at)++]);
	thread = tb_bitset_next(placer->granted, *at);
	*at = thread + 1;
	return (struct tb_run){ thread, 1 };
}

static bool group_is_near(const struct tb_placer *placer, uint32_t group,
			  const struct tb_near_pool *pool)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < units_in_group(placer); i++)
		if (run_is_near(placer, pool, next_unit(placer, group, &at)))
			return true;
	return false;
}

static bool any_group_is_near(const struct tb_placer *placer,
			      const struct tb_near_pool *pool)
{
	for (uint32_t group = 0; group < placer->groups; group++)
		if (group_is_near(placer, group, pool))
			return true;
	return false;
}

/* --- which units can be taken ------------------------------------------------ */

/* Are fewer than so many pools larger?  Of equal ones the first is. */
static bool is_large(const struct tb_near_kind *kind,
		     const struct tb_near_pool *pool, uint32_t most)
{
	uint32_t larger = 0;

	for (uint32_t i = 0; i < kind->npools; i++) {
		const struct tb_near_pool *other = &kind->pools[i];

		larger += other->slots > pool->slots ||
			  (other->slots == pool->slots && other < pool);
	}
	return larger < most;
}

static bool has_room(const struct tb_near_kind *kind)
{
	for (uint32_t i = 0; i < kind->npools; i++)
		if (kind->pools[i].room)
			return true;
	return false;
}

/*
 * May the next slot be near this pool?  Of devices for the node those that are
 * taken serve as many slots as is their share (room); when no more are to be
 * taken and all have had theirs, any.
 */
static bool may_open(const struct tb_near *near, uint32_t index,
		     const struct tb_near_pool *pool)
{
	const struct tb_near_kind *kind = &near->kinds[index];
	uint32_t least = asked(kind) < near->least ? asked(kind) : near->least;
	uint32_t share; /* of the next slot */

	if (index == 0 && near->only != ANY_POOL)
		return pool == &kind->pools[near->only];
	if (near->where == TB_NEAR_SOME)
		return pool->free > 0;
	if (index == 0 && near->most != ANY_POOL)
		return pool->free && is_large(kind, pool, near->most);
	if (kind->per_slot)
		return left_in(pool) >= least;
	if (pool->free < least)
		return false;
	if (!kind->left || near->placed == near->wanted)
		return pool->taken && (pool->room || !has_room(kind));
	share = divide_up(kind->left, near->wanted - near->placed);
	if (kind->per_node >= near->wanted)
		return left_in(pool) >= (least < share ? least : share);
	return pool->room > 0 || left_in(pool) > 0;
}

/* Returns whether some pool is opened or closed that was not. */
static bool open_pools(struct tb_near *near)
{
	bool changed = false;

	for (uint32_t k = 0; k < near->nkinds; k++)
		for (uint32_t i = 0; i < near->kinds[k].npools; i++) {
			struct tb_near_pool *pool = &near->kinds[k].pools[i];
			bool open = may_open(near, k, pool);

			changed = changed || open != pool->open;
			pool->open = open;
		}
	return changed;
}

static bool near_open_pool(const struct tb_placer *placer,
			   const struct tb_near_kind *kind, struct tb_run unit)
{
	for (uint32_t i = 0; i < kind->npools; i++)
		if (kind->pools[i].open &&
		    run_is_near(placer, &kind->pools[i], unit))
			return true;
	return false;
}

void tb_near_close(struct tb_placer *placer)
{
	const struct tb_near *near = placer->near;
	struct tb_bitset *units = placer->available;

	if (near->where == TB_ANYWHERE || !placer->amount)
		return;
	for (unsigned unit = tb_bitset_next(units, 0); unit < units->nbits;
	     unit = tb_bitset_next(units, unit + 1))
		for (uint32_t k = 0; k < near->nkinds; k++)
			if (!near_open_pool(placer, &near->kinds[k],
					    tb_unit_threads(placer, unit))) {
				tb_bitset_clear(units, unit);
				break;
			}
}

/* --- the devices of a slot --------------------------------------------------- */

static void take_device(struct tb_near_kind *kind, struct tb_near_pool *pool,
			uint32_t room)
{
	pool->taken++;
	pool->fresh++;
	pool->room += room;
	kind->left -= kind->left > 0;
}

/* Does a device that the job has already serve this unit, too? */
static bool is_covered(const struct tb_placer *placer,
		       const struct tb_near_kind *kind, struct tb_run unit)
{
	const struct tb_near *near = placer->near;
	bool last_ones = near->only != ANY_POOL || near->most != ANY_POOL ||
			 !kind->left;

	for (uint32_t i = 0; i < kind->npools; i++) {
		const struct tb_near_pool *pool = &kind->pools[i];
		bool serves = pool->fresh || (!kind->per_slot && pool->taken &&
					      (pool->room || last_ones));

		if (serves && run_is_near(placer, pool, unit))
			return true;
	}
	return false;
}

/*
 * The pool that has the most left, near a unit of the group or, without one, the
 * group.  NULL: none has any.
 */
static struct tb_near_pool *fullest_pool(const struct tb_placer *placer,
					 struct tb_near_kind *kind,
					 uint32_t group,
					 const struct tb_run *unit)
{
	struct tb_near_pool *best = NULL;

	for (uint32_t i = 0; i < kind->npools; i++) {
		struct tb_near_pool *pool = &kind->pools[i];

		if (left_in(pool) && (!best || left_in(pool) > left_in(best)) &&
		    (unit ? run_is_near(placer, pool, *unit)
			  : group_is_near(placer, group, pool)))
			best = pool;
	}
	return best;
}

/* Devices of one kind for the group; false: not all is near. */
static bool serve_kind(struct tb_placer *placer, struct tb_near_kind *kind,
		       uint32_t group)
{
	uint32_t slots = placer->near->wanted - group; /* this one included */
	uint32_t budget = kind->per_slot ? kind->per_slot : kind->left;
	uint32_t share = budget >= slots ? divide_up(budget, slots) : 0;
	uint32_t room = share || !budget ? 0 : divide_up(slots, budget);
	uint32_t at = 0, taken = 0;
	struct tb_near_pool *pool;

	if (kind->per_slot)
		share = kind->per_slot;
	for (uint32_t i = 0; i < units_in_group(placer); i++) {
		struct tb_run unit = next_unit(placer, group, &at);

		if (is_covered(placer, kind, unit))
			continue;
		pool = fullest_pool(placer, kind, group, &unit);
		if (!pool || taken == budget)
			return false;
		take_device(kind, pool, room);
		taken++;
	}
	while (taken < share &&
	       (pool = fullest_pool(placer, kind, group, NULL))) {
		take_device(kind, pool, room);
		taken++;
	}
	return !kind->per_slot || taken == kind->per_slot;
}

static void give_back(struct tb_near_kind *kind)
{
	for (uint32_t i = 0; i < kind->npools; i++) {
		kind->pools[i].taken -= kind->pools[i].fresh;
		kind->left += kind->per_slot ? 0 : kind->pools[i].fresh;
	}
}

/* A slot was served by the devices near it. */
static void use_room(const struct tb_placer *placer, struct tb_near_kind *kind,
		     uint32_t group)
{
	for (uint32_t i = 0; i < kind->npools; i++) {
		struct tb_near_pool *pool = &kind->pools[i];

		if (pool->room && group_is_near(placer, group, pool))
			pool->room--;
	}
}

static void begin_slot(struct tb_near *near)
{
	for (uint32_t k = 0; k < near->nkinds; k++)
		for (uint32_t i = 0; i < near->kinds[k].npools; i++)
			near->kinds[k].pools[i].fresh = 0;
}

enum tb_served tb_near_serve(struct tb_placer *placer)
{
	struct tb_near *near = placer->near;
	uint32_t group = placer->groups - 1;
	bool served = true;

	if (near->where == TB_NEAR_SOME)
		return TB_SERVED;
	begin_slot(near);
	for (uint32_t k = 0; k < near->nkinds; k++)
		served = serve_kind(placer, &near->kinds[k], group) && served;
	if (near->where == TB_ANYWHERE)
		return TB_SERVED;
	for (uint32_t k = 0; k < near->nkinds; k++)
		if (served)
			use_room(placer, &near->kinds[k], group);
		else
			give_back(&near->kinds[k]);
	if (!served)
		return TB_NOT_SERVED;
	near->placed = placer->groups;
	return open_pools(near) ? TB_SERVED_OTHERWISE : TB_SERVED;
}

/* --- the devices of the node ------------------------------------------------- */

/* So many of them, or only those near the placed units. */
static uint32_t take_more(const struct tb_placer *placer,
			  struct tb_near_kind *kind, uint32_t count,
			  bool near_ones)
{
	for (uint32_t i = 0; i < kind->npools && count; i++) {
		struct tb_near_pool *pool = &kind->pools[i];
		uint32_t more = left_in(pool) < count ? left_in(pool) : count;

		if (near_ones && !any_group_is_near(placer, pool))
			continue;
		pool->taken += more;
		count -= more;
	}
	return count;
}

/*
 * What is left to take comes from where units are already, and serves as many
 * slots as there are.
 */
static void take_what_is_left(const struct tb_placer *placer)
{
	struct tb_near *near = placer->near;

	for (uint32_t k = 0; k < near->nkinds; k++) {
		struct tb_near_kind *kind = &near->kinds[k];

		kind->left = take_more(placer, kind, kind->left, true);
		for (uint32_t i = 0; i < kind->npools; i++)
			kind->pools[i].room = 0;
	}
}

bool tb_near_go_on(struct tb_placer *placer)
{
	struct tb_near *near = placer->near;

	if (near->where != TB_NEAR_ALL && near->where != TB_NEAR_FIRST)
		return false;
	take_what_is_left(placer);
	if (open_pools(near))
		return true;
	if (near->where != TB_NEAR_FIRST)
		return false;
	near->where = TB_ANYWHERE;
	return true;
}

static uint32_t devices_taken(const struct tb_near_kind *kind)
{
	uint32_t taken = 0;

	for (uint32_t i = 0; i < kind->npools; i++)
		taken += kind->pools[i].taken;
	return taken;
}

static void complete_kind(const struct tb_placer *placer, struct tb_near *near,
			  struct tb_near_kind *kind)
{
	uint32_t wanted = kind->per_slot ? kind->per_slot * placer->groups
					 : kind->per_node;
	uint32_t taken = devices_taken(kind), missing;

	missing = taken < wanted ? wanted - taken : 0;
	missing = take_more(placer, kind, missing, true);
	if (missing)
		near->all_near = false;
	take_more(placer, kind, missing, false);
}

/* --- attempts ---------------------------------------------------------------- */

static void forget_devices(struct tb_near *near)
{
	for (uint32_t k = 0; k < near->nkinds; k++) {
		struct tb_near_kind *kind = &near->kinds[k];

		kind->left = kind->per_node;
		for (uint32_t i = 0; i < kind->npools; i++)
			kind->pools[i].taken = kind->pools[i].room = 0;
	}
}

/* How many slots fit in this way; 0 when all should be near and is not. */
static uint32_t try_how(struct search *search, struct attempt how, int where)
{
	struct tb_near *near = search->near;

	near->least = how.least;
	near->only = how.only;
	near->most = how.most;
	near->where = where;
	near->wanted = search->wanted;
	near->placed = 0;
	near->all_near = true;
	forget_devices(near);
	open_pools(near);
	tb_place_slots(search->placer, search->request, search->by_others, near,
		       search->wanted);
	for (uint32_t k = 0; k < near->nkinds; k++)
		complete_kind(search->placer, near, &near->kinds[k]);
	return where != TB_NEAR_ALL || near->all_near ? search->placer->groups
						      : 0;
}

/* Returns whether there is nothing better to be found. */
static bool try_near(struct search *search, struct attempt how)
{
	uint32_t slots = try_how(search, how, TB_NEAR_ALL);

	if (slots > search->slots) {
		search->slots = slots;
		search->best = how;
	}
	return search->slots == search->wanted;
}

static int compare(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

/* The fewest free devices first, then in the order of the string. */
static int by_turn(const struct tb_near_pool *a, const struct tb_near_pool *b)
{
	int order = compare(a->free, b->free);

	if (!order)
		order = compare(tb_bitset_next(a->threads, 0),
				tb_bitset_next(b->threads, 0));
	return order ? order : (a > b) - (a < b);
}

/* The next one that has enough devices, after the one that was tried last. */
static uint32_t pool_after(const struct tb_near_kind *kind, uint32_t last)
{
	const struct tb_near_pool *pools = kind->pools;
	uint32_t next = ANY_POOL;

	for (uint32_t i = 0; i < kind->npools; i++)
		if (pools[i].free >= kind->per_node &&
		    (last == ANY_POOL || by_turn(&pools[i], &pools[last]) > 0) &&
		    (next == ANY_POOL || by_turn(&pools[i], &pools[next]) < 0))
			next = i;
	return next;
}

static bool try_one_pool(struct search *search)
{
	const struct tb_near_kind *kind = &search->near->kinds[0];
	uint32_t pool = ANY_POOL;

	if (kind->per_slot)
		return false;
	while ((pool = pool_after(kind, pool)) != ANY_POOL)
		if (try_near(search, (struct attempt){ 1, pool, ANY_POOL }))
			return true;
	return false;
}

static bool try_several_pools(struct search *search)
{
	uint32_t least = 1;

	for (uint32_t k = 0; k < search->near->nkinds; k++)
		if (asked(&search->near->kinds[k]) > least)
			least = asked(&search->near->kinds[k]);
	for (; least; least = least > 1 ? divide_up(least, 2) : 0)
		if (try_near(search,
			     (struct attempt){ least, ANY_POOL, ANY_POOL }))
			return true;
	return false;
}

static bool try_largest_pools(struct search *search)
{
	struct tb_near_kind *kind = &search->near->kinds[0];

	for (uint32_t i = 0; i < kind->npools; i++)
		kind->pools[i].slots = !kind->pools[i].free ? 0 : try_how(
			search, (struct attempt){ 1, i, ANY_POOL },
			TB_NEAR_SOME);
	for (uint32_t most = 2; most < kind->npools && most <= kind->per_node;
	     most++)
		if (try_near(search,
			     (struct attempt){ 1, ANY_POOL, most }))
			return true;
	return false;
}

/* Leaves the best in the placer; search->slots says whether there is one. */
static void find_best(struct search *search)
{
	const struct tb_request *request = search->request;
	struct attempt some = { 1, ANY_POOL, ANY_POOL };
	bool spread = request->strategy == TB_SCATTER || request->sort[0];
	uint32_t wanted = search->wanted;

	/* So many at most: devices are shared out among them. */
	search->wanted = try_how(search, some, TB_NEAR_SOME);
	if (search->wanted && !(spread && try_several_pools(search)) &&
	    !try_one_pool(search) && (spread || !try_several_pools(search)) &&
	    !try_largest_pools(search) && search->slots)
		try_how(search, search->best, TB_NEAR_ALL);
	search->wanted = wanted;
}

/* Never fewer than anywhere. */
static void place_more(struct search *search)
{
	struct attempt some = { 1, ANY_POOL, ANY_POOL };
	struct attempt how = search->slots ? search->best : some;
	uint32_t anywhere = try_how(search, some, TB_ANYWHERE);

	if (try_how(search, how, TB_NEAR_FIRST) < anywhere)
		try_how(search, some, TB_ANYWHERE);
}

int tb_place_near(struct tb_placer *placer, const struct tb_request *request,
		  const struct tb_bitset *used, const struct tb_holding *held,
		  unsigned limit, struct tb_near *near, unsigned nslots)
{
	int wanted = tb_slots_wanted(placer, request, nslots);
	struct tb_taken by_others = { used, held, limit };
	struct search search = {
		.placer = placer, .request = request, .by_others = &by_others,
		.near = near, .wanted = (uint32_t)wanted,
	};

	if (wanted <= 0)
		return wanted;
	find_best(&search);
	if (!near->must && search.slots < search.wanted)
		place_more(&search);
	else if (!search.slots)
		forget_devices(near);
	/* Of a try that failed nothing counts. */
	if (near->must && !search.slots)
		return 0;
	return tb_slots_placed(placer, request, nslots);
}
