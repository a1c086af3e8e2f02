/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place.h"

#include <stdlib.h>

#include "available.h"
#include "device_pools.h"
#include "fewest.h"
#include "flat.h"
#include "listed.h"
#include "nearest.h"
#include "parts.h"
#include "placer.h"
#include "slots.h"
#include "spread.h"
#include "strategy.h"

static uint32_t count_most_objects(const struct tb_topology *topology)
{
	uint32_t most = 0;

	for (unsigned class = 0; class < TB_CLASSES; ++class) {
		uint32_t count = tb_run_below(topology, 0, class).count;

		if (count > most)
			most = count;
	}
	return most;
}

struct tb_placer *tb_placer_create(const struct tb_topology *topology)
{
	struct tb_placer *placer = calloc(1, sizeof(*placer));
	uint32_t units = count_most_objects(topology);

	if (!placer)
		return NULL;
	placer->topology = topology;
	placer->busy = tb_bitset_create(topology->nthreads);
	placer->masked = tb_bitset_create(topology->nthreads);
	placer->load = tb_bitset_create(topology->nthreads);
	placer->units = tb_bitset_create(units);
	placer->granted = tb_bitset_create(topology->nthreads);
	placer->available = tb_bitset_create(units);
	placer->window = tb_bitset_create(units);
	placer->possible = tb_bitset_create(units);
	placer->taken = calloc(units, sizeof(*placer->taken));
	placer->siblings = calloc(topology->nnodes, sizeof(*placer->siblings));
	placer->children = calloc(topology->nnodes, sizeof(*placer->children));
	placer->keys = calloc(topology->most_children, sizeof(*placer->keys));
	placer->moved = calloc(topology->most_children, sizeof(*placer->moved));
	placer->device_memory = tb_device_state_create();
	placer->fewest = tb_fewest_create(topology);
	placer->flat = tb_flat_create(topology, units);
	placer->nearest = tb_nearest_create(topology, units);
	placer->parts = tb_parts_create(topology, units);
	placer->hidden = tb_bitset_create(units);
	placer->chosen = tb_bitset_create(units);
	if (placer->busy && placer->masked && placer->load && placer->units &&
	    placer->granted && placer->available && placer->window &&
	    placer->possible && placer->taken && placer->siblings &&
	    placer->children && placer->keys && placer->moved &&
	    placer->device_memory && placer->fewest && placer->flat &&
	    placer->nearest && placer->parts && placer->hidden &&
	    placer->chosen)
		return placer;
	tb_placer_destroy(placer);
	return NULL;
}

void tb_placer_destroy(struct tb_placer *placer)
{
	if (!placer)
		return;
	tb_bitset_destroy(placer->busy);
	tb_bitset_destroy(placer->masked);
	tb_bitset_destroy(placer->load);
	tb_bitset_destroy(placer->units);
	tb_bitset_destroy(placer->granted);
	tb_bitset_destroy(placer->available);
	tb_bitset_destroy(placer->window);
	tb_bitset_destroy(placer->possible);
	free(placer->taken);
	free(placer->siblings);
	free(placer->children);
	free(placer->keys);
	free(placer->moved);
	tb_device_state_destroy(placer->device_memory);
	tb_fewest_destroy(placer->fewest);
	tb_flat_destroy(placer->flat);
	tb_nearest_destroy(placer->nearest);
	tb_parts_destroy(placer->parts);
	tb_bitset_destroy(placer->hidden);
	tb_bitset_destroy(placer->chosen);
	free(placer);
}

static int place_beside(struct tb_placer *placer,
			const struct tb_request *request,
			const struct tb_others *others, unsigned nslots)
{
	int wanted = tb_slots_wanted(placer, request, nslots);

	if (wanted < 0)
		return wanted;
	tb_place_slots(placer, request, others, NULL, (unsigned)wanted);
	return tb_slots_placed(placer, request, nslots);
}

int tb_place(struct tb_placer *placer, const struct tb_request *request,
	     const struct tb_bitset *used, unsigned nslots)
{
	struct tb_others others = { .used = used };

	return place_beside(placer, request, &others, nslots);
}

int tb_place_together(struct tb_placer *placer,
		      const struct tb_request *request,
		      const struct tb_bitset *used, unsigned nslots)
{
	struct tb_others others = { .used = used, .together = true };

	return place_beside(placer, request, &others, nslots);
}

int tb_place_shared(struct tb_placer *placer, const struct tb_request *request,
		    const struct tb_thread_use *use, unsigned limit,
		    unsigned nslots)
{
	struct tb_others others = { .use = use, .limit = limit };

	return place_beside(placer, request, &others, nslots);
}

/* Those of the listed threads that are granted; grants may be of whole cores. */
static unsigned place_listed_cpus(struct tb_placer *placer,
				  const struct tb_request *request,
				  const struct tb_bitset *granted)
{
	if (tb_listed_threads(request, placer->topology, placer->granted) ==
	    TB_LISTED_UNKNOWN)
		tb_bitset_assign(placer->granted, granted);
	tb_bitset_and(placer->granted, granted);
	tb_placed_drop_masked(placer, placer->granted);
	placer->groups = !tb_bitset_is_empty(placer->granted);
	return placer->groups;
}

/*
 * Wholly granted units are the available ones.  Nothing is busy afterwards: what
 * other jobs use is no load here, so that the result is the same on any node.
 */
static void find_granted_units(struct tb_placer *placer,
			       const struct tb_request *request,
			       const struct tb_bitset *granted)
{
	uint32_t nthreads = placer->topology->nthreads;

	tb_bitset_set_range(placer->busy, 0, nthreads);
	tb_bitset_andnot_range(placer->busy, granted, 0, nthreads);
	tb_placer_find_load(placer);
	tb_find_available(placer);
	if (placer->spread)
		tb_spread_note_possible(placer);
	if (request->type == TB_HOST)
		placer->amount = tb_units_available(placer->topology,
						    request->unit, placer->busy,
						    placer->any_masked
							    ? placer->masked
							    : NULL);
	tb_placer_set_busy(placer, NULL);
}

/* A step can have some cores of its job, in which both parts do not fit. */
static unsigned place_parts_again(struct tb_placer *placer,
				  const struct tb_request *request,
				  const struct tb_bitset *granted)
{
	tb_bitset_set_range(placer->load, 0, placer->topology->nthreads);
	tb_bitset_andnot(placer->load, granted);
	tb_take_parts(placer, request, placer->load, true);
	tb_bitset_assign(placer->granted, granted);
	placer->groups = !tb_bitset_is_empty(granted);
	return placer->groups;
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
	tb_placer_begin(placer, &inside, NULL);
	if (inside.cpus)
		return place_listed_cpus(placer, &inside, granted);
	if (!tb_request_binds(&inside))
		return 0;
	if (inside.nparts)
		return place_parts_again(placer, &inside, granted);
	find_granted_units(placer, &inside, granted);
	while (placer->amount && tb_take_slot(placer, inside.strategy)) {
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

const struct tb_bitset *tb_placed_masked(const struct tb_placer *placer)
{
	return placer->any_masked ? placer->masked : NULL;
}

void tb_placed_drop_masked(const struct tb_placer *placer,
			   struct tb_bitset *threads)
{
	if (placer->any_masked)
		tb_bitset_andnot(threads, placer->masked);
}

unsigned tb_placed_groups(const struct tb_placer *placer)
{
	return placer->groups;
}

const struct tb_bitset *tb_placed_part(const struct tb_placer *placer,
				       unsigned index)
{
	return tb_parts_threads(placer->parts, index);
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
		struct tb_run run = tb_unit_threads(placer, placer->taken[i]);

		tb_bitset_or_range(threads,
				   topology->kind_threads[placer->kind],
				   run.first, run.count);
	}
}
