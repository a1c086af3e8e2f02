/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "placer.h"

#include <string.h>

#include "available.h"
#include "spread.h"

struct tb_run tb_units_of(const struct tb_placer *placer, uint32_t node)
{
	const struct tb_tree_node *at = &placer->topology->nodes[node];
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

uint32_t tb_count_available(const struct tb_placer *placer, uint32_t node)
{
	struct tb_run units = tb_units_below(placer, node);

	return tb_bitset_count_range(placer->available, units.first,
				     units.count);
}

/* Masked ones, too. */
static uint32_t count_in_shape(const struct tb_placer *placer, uint32_t node)
{
	const struct tb_topology *topology = placer->topology;
	struct tb_run run = tb_run_below(topology, node, placer->class);
	uint32_t count = 0;

	if (!(topology->nodes[node].kinds & 1u << !placer->kind))
		return run.count;
	if (placer->class == TB_CLASS_CORE)
		return tb_bitset_count_range(topology->kind_cores[placer->kind],
					     run.first, run.count);
	for (uint32_t i = run.first; i < run.first + run.count; i++)
		count += tb_object_has_kind(topology, placer->class, i,
					    placer->kind);
	return count;
}

uint32_t tb_count_units(const struct tb_placer *placer, uint32_t node)
{
	struct tb_run run;

	if (!placer->any_masked)
		return tb_count_all_units(placer, node);
	run = tb_units_below(placer, node);
	return tb_bitset_count_range(placer->units, run.first, run.count) /
	       placer->per_slot;
}

uint32_t tb_count_all_units(const struct tb_placer *placer, uint32_t node)
{
	return count_in_shape(placer, node) / placer->per_slot;
}

static bool level_has_class(const struct tb_topology *topology, uint32_t level,
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
	       !level_has_class(topology, outer, class))
		outer++;
	return outer;
}

bool tb_runs_tasks(const struct tb_placer *placer, uint32_t node,
		   enum tb_core_kind kind)
{
	const struct tb_topology *topology = placer->topology;
	struct tb_run run = tb_run_below(topology, node, TB_CLASS_THREAD);
	const struct tb_bitset *of_kind = topology->kind_threads[kind];
	uint32_t end = run.first + run.count, thread = run.first;

	if (!(topology->nodes[node].kinds & 1u << kind))
		return false;
	while (placer->any_masked &&
	       (thread = tb_bitset_next(of_kind, thread)) < end &&
	       tb_bitset_test(placer->masked, thread))
		thread++;
	return thread < end;
}

void tb_placer_find_load(struct tb_placer *placer)
{
	if (!placer->any_masked)
		return;
	tb_bitset_assign(placer->load, placer->busy);
	tb_bitset_andnot(placer->load, placer->masked);
}

void tb_placer_set_busy(struct tb_placer *placer, const struct tb_bitset *used)
{
	if (used)
		tb_bitset_assign(placer->busy, used);
	else
		tb_bitset_clear_all(placer->busy);
	tb_placer_find_load(placer);
}

static void find_masked(struct tb_placer *placer,
			const struct tb_request *request)
{
	placer->any_masked = request->masked || request->filter;
	if (!placer->any_masked)
		return;
	if (request->masked)
		tb_bitset_assign(placer->masked, request->masked);
	else
		tb_bitset_clear_all(placer->masked);
	if (request->filter)
		tb_filter_add(request->filter, placer->topology,
			      placer->masked);
	placer->any_masked = !tb_bitset_is_empty(placer->masked);
}

/* With nothing in use. */
static void find_units(struct tb_placer *placer)
{
	tb_bitset_clear_all(placer->busy);
	tb_find_free(placer);
	tb_bitset_assign(placer->units, placer->available);
}

void tb_placer_forget_order(struct tb_placer *placer)
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

void tb_placer_begin(struct tb_placer *placer, const struct tb_request *request,
		     const struct tb_bitset *used)
{
	const struct tb_topology *topology = placer->topology;

	placer->class = tb_class_of_unit(topology, request->unit);
	placer->bits = placer->class == TB_CLASS_CORE ? TB_CLASS_THREAD
						      : placer->class;
	placer->kind = request->unit.kind;
	placer->amount = request->cpus ? 0 : request->amount;
	placer->start = request->start;
	placer->stop = request->stop;
	memcpy(placer->sort, request->sort, sizeof(placer->sort));
	placer->outer_levels = count_outer_levels(topology, placer->class);
	placer->nested_units = level_has_class(topology,
					       placer->outer_levels + 1,
					       placer->class);
	placer->ntaken = 0;
	placer->groups = 0;
	placer->per_slot = 1;
	placer->use = NULL;
	placer->level = 0;
	placer->devices = NULL;
	tb_spread_begin(placer, request);
	tb_bitset_clear_all(placer->granted);
	find_masked(placer, request);
	if (placer->any_masked)
		find_units(placer);
	tb_placer_set_busy(placer, used);
	tb_placer_forget_order(placer);
}
