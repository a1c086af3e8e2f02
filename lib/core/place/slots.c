/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slots.h"

#include "available.h"
#include "device_pools.h"
#include "listed.h"
#include "mismatch.h"
#include "parts.h"
#include "spread.h"
#include "strategy.h"
#include "take.h"
#include "together.h"

/* Take all of the listed threads, or nothing. */
static bool take_listed_cpus(struct tb_placer *placer,
			     const struct tb_request *request)
{
	if (tb_listed_threads(request, placer->topology, placer->granted) ==
		    TB_LISTED_ALL &&
	    !tb_bitset_intersects(placer->granted, placer->busy) &&
	    !(placer->any_masked &&
	      tb_bitset_intersects(placer->granted, placer->masked)))
		return true;
	tb_bitset_clear_all(placer->granted);
	return false;
}

static bool take_next_slot(struct tb_placer *placer,
			   const struct tb_request *request)
{
	return request->cpus ? take_listed_cpus(placer, request)
			     : tb_take_slot(placer, request->strategy);
}

static bool has_one_group(const struct tb_request *request)
{
	return request->type == TB_HOST || request->cpus;
}

int tb_slots_wanted(const struct tb_placer *placer,
		    const struct tb_request *request, unsigned nslots)
{
	int mismatch = tb_find_mismatch(placer->topology, request);

	if (mismatch)
		return mismatch;
	if (!tb_request_binds(request) || !nslots)
		return 0;
	return has_one_group(request) ? 1 : (int)nslots;
}

int tb_slots_placed(const struct tb_placer *placer,
		    const struct tb_request *request, unsigned nslots)
{
	if (has_one_group(request))
		return placer->groups ? (int)nslots : 0;
	return (int)placer->groups;
}

/* Undo the last group.  Its units are free again, but stay closed. */
static void give_back_slot(struct tb_placer *placer)
{
	placer->groups--;
	if (!placer->amount)
		tb_bitset_clear_all(placer->granted);
	placer->ntaken -= placer->amount;
	for (uint32_t i = 0; i < placer->amount; i++) {
		struct tb_run run =
			tb_unit_threads(placer,
					placer->taken[placer->ntaken + i]);

		tb_bitset_andnot_range(placer->granted,
				       placer->topology
					       ->kind_threads[placer->kind],
				       run.first, run.count);
	}
}

/*
 * Take slots of what is available.  True: other units have become available, find
 * them again.
 */
static bool take_available_slots(struct tb_placer *placer,
				 const struct tb_request *request,
				 unsigned wanted)
{
	if (!request->cpus && !tb_devices_follow_slots(placer))
		placer->groups += tb_take_next_slots(placer, request->strategy,
						     wanted - placer->groups);
	while (placer->groups < wanted && take_next_slot(placer, request)) {
		enum tb_served served = TB_SERVED;

		placer->groups++;
		if (placer->devices)
			served = tb_devices_serve(placer);
		if (served == TB_NOT_SERVED)
			give_back_slot(placer);
		if (served != TB_SERVED)
			return served == TB_SERVED_OTHERWISE;
	}
	return false;
}

/* Take slots beside those that were taken before, as long as any fit. */
static void take_fitting_slots(struct tb_placer *placer,
			       const struct tb_request *request,
			       unsigned wanted)
{
	do {
		if (!tb_find_available(placer))
			return;
		tb_close_taken(placer);
		if (placer->devices) {
			tb_placer_forget_order(placer);
			tb_devices_close_units(placer);
		}
	} while (take_available_slots(placer, request, wanted) ||
		 (placer->devices && placer->groups < wanted &&
		  tb_devices_open_more(placer)));
}

/* From now on units with so many jobs are free. */
static void open_sharing_level(struct tb_placer *placer, unsigned level)
{
	placer->level = level;
	tb_share_used(placer->use, level + 1, placer->busy);
	tb_placer_find_load(placer);
	tb_placer_forget_order(placer);
}

/* With nothing in use. */
static void note_possible_units(struct tb_placer *placer,
				const struct tb_bitset *used)
{
	tb_placer_set_busy(placer, NULL);
	tb_find_free(placer);
	tb_spread_note_possible(placer);
	tb_placer_set_busy(placer, used);
}

/* Parts are never shared: what one job has is in use. */
static void place_parts(struct tb_placer *placer,
			const struct tb_request *request,
			const struct tb_others *others)
{
	const struct tb_bitset *used = others->used;

	if (others->use) {
		tb_share_used(others->use, 1, placer->busy);
		used = placer->busy;
	}
	tb_take_parts(placer, request, used, false);
}

void tb_place_slots(struct tb_placer *placer, const struct tb_request *request,
		    const struct tb_others *others,
		    struct tb_device_state *devices, unsigned wanted)
{
	if (request->nparts) {
		place_parts(placer, request, others);
		return;
	}
	tb_placer_begin(placer, request, others->used);
	if (placer->spread)
		note_possible_units(placer, others->used);
	placer->devices = devices;
	placer->use = others->use;
	if (others->together && tb_together_applies(placer, request, wanted)) {
		if (tb_find_available(placer))
			tb_take_together(placer, wanted);
		return;
	}
	if (!placer->use) {
		take_fitting_slots(placer, request, wanted);
		return;
	}
	for (unsigned level = 0;
	     level < others->limit && placer->groups < wanted;
	     level = tb_share_next_level(placer->use, placer->busy->nbits,
					 level)) {
		open_sharing_level(placer, level);
		take_fitting_slots(placer, request, wanted);
	}
}
