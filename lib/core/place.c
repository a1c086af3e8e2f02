/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A placement from beginning to end (DESIGN.md, section 4)
 */
#include "place.h"

#include <stdlib.h>

#include "placer.h"
#include "unit.h"

static uint32_t most_objects(const struct tb_topology *topology)
{
	uint32_t most = 0;

	for (unsigned class = 0; class < TB_CLASSES; class++) {
		uint32_t count = tb_run_below(topology, 0, class).count;

		if (count > most)
			most = count;
	}
	return most;
}

struct tb_placer *tb_placer_create(const struct tb_topology *topology)
{
	struct tb_placer *placer = calloc(1, sizeof(*placer));
	uint32_t units = most_objects(topology);

	if (!placer)
		return NULL;
	placer->topology = topology;
	placer->busy = tb_bitset_create(topology->nthreads);
	placer->granted = tb_bitset_create(topology->nthreads);
	placer->available = tb_bitset_create(units);
	placer->window = tb_bitset_create(units);
	placer->taken = calloc(units, sizeof(*placer->taken));
	placer->siblings = calloc(topology->nnodes,
				  sizeof(*placer->siblings));
	placer->children = calloc(topology->nnodes,
				  sizeof(*placer->children));
	placer->keys = calloc(topology->most_children, sizeof(*placer->keys));
	placer->moved = calloc(topology->most_children,
			       sizeof(*placer->moved));
	if (placer->busy && placer->granted && placer->available &&
	    placer->window && placer->taken && placer->siblings &&
	    placer->children && placer->keys && placer->moved)
		return placer;
	tb_placer_destroy(placer);
	return NULL;
}

void tb_placer_destroy(struct tb_placer *placer)
{
	if (!placer)
		return;
	tb_bitset_destroy(placer->busy);
	tb_bitset_destroy(placer->granted);
	tb_bitset_destroy(placer->available);
	tb_bitset_destroy(placer->window);
	free(placer->taken);
	free(placer->siblings);
	free(placer->children);
	free(placer->keys);
	free(placer->moved);
	free(placer);
}

struct tb_run tb_units_of(const struct tb_placer *placer, uint32_t node)
{
	const struct tb_node *at = &placer->topology->nodes[node];
	enum tb_class class = tb_class_of_letter(at->letter);
	uint32_t first = at->before[placer->bits];

	if (class == TB_CLASS_CORE)
		return tb_units_below(placer, node);
	return (struct tb_run){ first, class == placer->class };
}

struct tb_run tb_unit_threads(const struct tb_placer *placer, uint32_t unit)
{
	const struct tb_topology *topology = placer->topology;

	if (placer->class == TB_CLASS_CORE)
		unit = topology->thread_core[unit];
	return tb_threads_of_object(topology, placer->class, unit);
}

static bool level_is_of(const struct tb_topology *topology, uint32_t level,
			enum tb_class class)
{
	return level < topology->nlevels &&
	       tb_class_of_letter(topology->levels[level].letter) == class;
}

/* The levels outside the unit's own letter. */
static uint32_t count_outer_levels(const struct tb_topology *topology,
				   enum tb_class class)
{
	uint32_t outer = 0;

	while (outer < topology->nlevels &&
	       !level_is_of(topology, outer, class))
		outer++;
	return outer;
}

static void add_filter(struct tb_placer *placer,
		       const struct tb_request *request)
{
	if (request->filter)
		tb_filter_add(request->filter, placer->topology, placer->busy);
}

/* What is used, and what the request's filter masks. */
static void set_busy(struct tb_placer *placer, const struct tb_request *request,
		     const struct tb_bitset *used)
{
	if (used)
		tb_bitset_assign(placer->busy, used);
	else
		tb_bitset_clear_all(placer->busy);
	add_filter(placer, request);
}

/* No list is sorted, no place was looked at. */
static void forget_order(struct tb_placer *placer)
{
	placer->open_levels = placer->outer_levels;
	placer->cores_open = placer->class == TB_CLASS_THREAD;
	placer->placement++;
	if (!placer->placement) { /* after 2^32 placements */
		for (uint32_t i = 0; i < placer->topology->nnodes; i++)
			placer->siblings[i].placement = 0;
		placer->placement = 1;
	}
}

/* A new placement: nothing is granted, no list is sorted. */
static void begin(struct tb_placer *placer, const struct tb_request *request,
		  const struct tb_bitset *used)
{
	const struct tb_topology *topology = placer->topology;

	placer->class = tb_class_of_unit(topology, request->unit);
	placer->bits = placer->class == TB_CLASS_CORE ? TB_CLASS_THREAD :
							placer->class;
	placer->kind = request->unit.kind;
	placer->amount = request->cpus ? 0 : request->amount;
	placer->start = request->start;
	placer->stop = request->stop;
	placer->sort = request->sort;
	placer->outer_levels = count_outer_levels(topology, placer->class);
	placer->nested_units = level_is_of(topology, placer->outer_levels + 1,
					   placer->class);
	placer->ntaken = 0;
	placer->groups = 0;
	placer->held = NULL;
	placer->level = 0;
	placer->near = NULL;
	tb_bitset_clear_all(placer->granted);
	set_busy(placer, request, used);
	forget_order(placer);
}

static void find_free_threads(struct tb_placer *placer)
{
	uint32_t nthreads = placer->topology->nthreads;

	tb_bitset_clear_all(placer->available);
	tb_bitset_or_range(placer->available,
			   placer->topology->kind_threads[placer->kind], 0,
			   nthreads);
	tb_bitset_andnot_range(placer->available, placer->busy, 0, nthreads);
}

/*
 * All cores at once: add ones to all but the last thread of each core.  A used
 * thread among them carries into the last one, and no further, so that this
 * is then set when a thread of the core is used.
 */
static void find_free_cores(struct tb_placer *placer)
{
	const struct tb_topology *topology = placer->topology;
	const struct tb_bitset *ends = topology->core_ends;
	const struct tb_bitset *busy = placer->busy;
	uint64_t carry = 0;

	tb_bitset_clear_all(placer->available);
	for (uint32_t i = 0; i < (topology->nthreads + 63) / 64; i++) {
		uint64_t rest = busy->words[i] & ~ends->words[i];
		uint64_t sum = rest + ~ends->words[i] + carry;

		/* The last word's ones past the end carry nowhere. */
		carry = sum < rest || (carry && sum == rest);
		placer->available->words[i] = ends->words[i] &
			~(sum | busy->words[i]) &
			topology->kind_threads[placer->kind]->words[i];
	}
}

static void find_free_containers(struct tb_placer *placer)
{
	const struct tb_topology *topology = placer->topology;
	uint32_t count = tb_run_below(topology, 0, placer->class).count;

	tb_bitset_clear_all(placer->available);
	for (uint32_t i = 0; i < count; i++)
		if (tb_object_is_free(topology, placer->class, i, placer->kind,
				      placer->busy))
			tb_bitset_set(placer->available, i);
}

/* False when the window has no start. */
static bool find_available(struct tb_placer *placer)
{
	bool windowed = placer->start || placer->stop;

	if (windowed && !tb_window_find(placer))
		return false;
	switch (placer->class) {
	case TB_CLASS_THREAD:
		find_free_threads(placer);
		break;
	case TB_CLASS_CORE:
		find_free_cores(placer);
		break;
	default:
		find_free_containers(placer);
	}
	if (windowed)
		tb_bitset_and(placer->available, placer->window);
	return true;
}

/* All of the listed threads, or nothing. */
static bool take_cpus(struct tb_placer *placer, const struct tb_bitset *cpus)
{
	if (cpus->nbits > placer->topology->nthreads)
		return false;
	tb_bitset_or_range(placer->granted, cpus, 0, cpus->nbits);
	if (!tb_bitset_intersects(placer->granted, placer->busy))
		return true;
	tb_bitset_clear_all(placer->granted);
	return false;
}

static bool take_slot(struct tb_placer *placer,
		      const struct tb_request *request)
{
	return request->cpus ? take_cpus(placer, request->cpus) :
			       tb_take_slot(placer, request->strategy);
}

static bool is_once(const struct tb_request *request)
{
	return request->type == TB_HOST || request->cpus;
}

int tb_slots_wanted(const struct tb_placer *placer,
		    const struct tb_request *request, unsigned nslots)
{
	if (!tb_request_matches(request, placer->topology))
		return TB_PLACE_TOPOLOGY_MISMATCH;
	if (request->filter &&
	    !tb_filter_matches(request->filter, placer->topology))
		return TB_PLACE_FILTER_MISMATCH;
	if (!tb_request_binds(request) || !nslots)
		return 0;
	return is_once(request) ? 1 : (int)nslots;
}

int tb_slots_placed(const struct tb_placer *placer,
		    const struct tb_request *request, unsigned nslots)
{
	if (is_once(request))
		return placer->groups ? (int)nslots : 0;
	return (int)placer->groups;
}

/* The last group is none: its units are free as before, but stay closed. */
static void give_back_slot(struct tb_placer *placer)
{
	placer->groups--;
	if (!placer->amount)
		tb_bitset_clear_all(placer->granted);
	placer->ntaken -= placer->amount;
	for (uint32_t i = 0; i < placer->amount; i++) {
		struct tb_run run = tb_unit_threads(
			placer, placer->taken[placer->ntaken + i]);

		tb_bitset_andnot_range(placer->granted,
				       placer->topology->kind_threads[placer->kind],
				       run.first, run.count);
	}
}

/* Of what is available.  True: other units are than before, look again. */
static bool take_available(struct tb_placer *placer,
			   const struct tb_request *request, unsigned wanted)
{
	while (placer->groups < wanted && take_slot(placer, request)) {
		enum tb_served served = TB_SERVED;

		placer->groups++;
		if (placer->near)
			served = tb_near_serve(placer);
		if (served == TB_NOT_SERVED)
			give_back_slot(placer);
		if (served != TB_SERVED)
			return served == TB_SERVED_OTHERWISE;
	}
	return false;
}

/* Slots, as long as there is room, beside those that were taken before. */
static void take_slots(struct tb_placer *placer,
		       const struct tb_request *request, unsigned wanted)
{
	do {
		if (!find_available(placer))
			return;
		tb_close_taken(placer);
		if (placer->near) {
			forget_order(placer);
			tb_near_close(placer);
		}
	} while (take_available(placer, request, wanted) ||
		 (placer->near && placer->groups < wanted &&
		  tb_near_go_on(placer)));
}

/* Units with so many jobs are free now. */
static void open_level(struct tb_placer *placer,
		       const struct tb_request *request, unsigned level)
{
	placer->level = level;
	tb_share_used(placer->held, level + 1, placer->busy);
	add_filter(placer, request);
	forget_order(placer);
}

void tb_place_slots(struct tb_placer *placer, const struct tb_request *request,
		    const struct tb_taken *by_others, struct tb_near *near,
		    unsigned wanted)
{
	begin(placer, request, by_others->used);
	placer->near = near;
	placer->held = by_others->held;
	if (!placer->held) {
		take_slots(placer, request, wanted);
		return;
	}
	for (unsigned level = 0;
	     level < by_others->limit && placer->groups < wanted;
	     level = tb_next_level(placer, level)) {
		open_level(placer, request, level);
		take_slots(placer, request, wanted);
	}
}

static int place(struct tb_placer *placer, const struct tb_request *request,
		 const struct tb_taken *by_others, unsigned nslots)
{
	int wanted = tb_slots_wanted(placer, request, nslots);

	if (wanted < 0)
		return wanted;
	tb_place_slots(placer, request, by_others, NULL, (unsigned)wanted);
	return tb_slots_placed(placer, request, nslots);
}

int tb_place(struct tb_placer *placer, const struct tb_request *request,
	     const struct tb_bitset *used, unsigned nslots)
{
	struct tb_taken by_others = { .used = used };

	return place(placer, request, &by_others, nslots);
}

int tb_place_shared(struct tb_placer *placer, const struct tb_request *request,
		    const struct tb_holding *held, unsigned limit,
		    unsigned nslots)
{
	struct tb_taken by_others = { .held = held, .limit = limit };

	return place(placer, request, &by_others, nslots);
}

unsigned tb_next_level(const struct tb_placer *placer, unsigned level)
{
	unsigned next = TB_SHARE_NEVER;

	for (uint32_t i = 0; i < placer->topology->nthreads; i++) {
		unsigned jobs = placer->held[i].jobs;

		if (jobs > level && jobs < next)
			next = jobs;
	}
	return next;
}

/* The listed threads that are granted; a grant may be of whole cores. */
static unsigned place_listed(struct tb_placer *placer,
			     const struct tb_bitset *cpus,
			     const struct tb_bitset *granted)
{
	unsigned both = cpus->nbits < granted->nbits ? cpus->nbits :
						       granted->nbits;

	tb_bitset_or_range(placer->granted, cpus, 0, both);
	tb_bitset_and(placer->granted, granted);
	placer->groups = !tb_bitset_is_empty(placer->granted);
	return placer->groups;
}

/*
 * The units that are granted wholly are the available ones.  Afterwards what
 * others have is no load: only what is placed here counts, on any node.
 */
static void find_granted(struct tb_placer *placer,
			 const struct tb_request *request,
			 const struct tb_bitset *granted)
{
	uint32_t nthreads = placer->topology->nthreads;

	tb_bitset_set_range(placer->busy, 0, nthreads);
	tb_bitset_andnot_range(placer->busy, granted, 0, nthreads);
	add_filter(placer, request);
	find_available(placer);
	if (request->type == TB_HOST)
		placer->amount = tb_units_available(placer->topology,
						    request->unit,
						    placer->busy);
	set_busy(placer, request, NULL);
}

unsigned tb_place_again(struct tb_placer *placer,
			const struct tb_request *request,
			const struct tb_bitset *granted)
{
	struct tb_request inside = *request; /* borrows what it points to */

	inside.start = inside.stop = 0;
	if (inside.filter &&
	    !tb_filter_matches(inside.filter, placer->topology))
		inside.filter = NULL;
	begin(placer, &inside, NULL);
	if (inside.cpus)
		return place_listed(placer, inside.cpus, granted);
	if (!tb_request_binds(&inside))
		return 0;
	find_granted(placer, &inside, granted);
	while (placer->amount && take_slot(placer, &inside)) {
		placer->groups++;
		if (inside.type == TB_HOST)
			break;
	}
	return placer->groups;
}

const struct tb_bitset *tb_placed_threads(const struct tb_placer *placer)
{
	return placer->granted;
}

unsigned tb_placed_groups(const struct tb_placer *placer)
{
	return placer->groups;
}

void tb_placed_group(const struct tb_placer *placer, unsigned group,
		     struct tb_bitset *threads)
{
	const struct tb_topology *topology = placer->topology;
	uint32_t first = group * placer->amount;

	if (!placer->amount) {
		tb_bitset_assign(threads, placer->granted);
		return;
	}
	tb_bitset_clear_all(threads);
	for (uint32_t i = first; i < first + placer->amount; i++) {
		struct tb_run run = tb_unit_threads(placer,
						    placer->taken[i]);

		tb_bitset_or_range(threads,
				   topology->kind_threads[placer->kind],
				   run.first, run.count);
	}
}
