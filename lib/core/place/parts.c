/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

#include "core/request/parts.h"
#include "available.h"
#include "nearest.h"
#include "sort.h"
#include "strategy.h"
#include "take.h"

struct tb_parts {
	struct tb_bitset *threads[TB_PARTS_MAX]; /* the result */
	struct tb_bitset *used;
	struct tb_bitset *larger; /* units that were free at first */
	/* The smaller kind, while the larger one is placed. */
	struct tb_bitset *free; /* units, as the placer numbers them */
	enum tb_class class, bits;
	enum tb_core_kind kind;
	bool nested;
	uint32_t amount;
	uint32_t *with; /* how many larger units have so many of them inside */
};

struct tb_parts *tb_parts_create(const struct tb_topology *topology,
				 uint32_t units)
{
	struct tb_parts *parts = calloc(1, sizeof(*parts));

	if (!parts)
		return NULL;
	for (unsigned i = 0; i < TB_PARTS_MAX; i++)
		parts->threads[i] = tb_bitset_create(topology->nthreads);
	parts->used = tb_bitset_create(topology->nthreads);
	parts->larger = tb_bitset_create(units);
	parts->free = tb_bitset_create(units);
	parts->with = calloc(units + 1, sizeof(*parts->with));
	if (parts->threads[0] && parts->threads[1] && parts->used &&
	    parts->larger && parts->free && parts->with)
		return parts;
	tb_parts_destroy(parts);
	return NULL;
}

void tb_parts_destroy(struct tb_parts *parts)
{
	if (!parts)
		return;
	for (unsigned i = 0; i < TB_PARTS_MAX; i++)
		tb_bitset_destroy(parts->threads[i]);
	tb_bitset_destroy(parts->used);
	tb_bitset_destroy(parts->larger);
	tb_bitset_destroy(parts->free);
	free(parts->with);
	free(parts);
}

const struct tb_bitset *tb_parts_threads(const struct tb_parts *parts,
					 unsigned index)
{
	return parts->threads[index];
}

/* From now on units of this part are placed, beside parts->used. */
static void turn_to(struct tb_placer *placer, const struct tb_request *request,
		    unsigned index, bool alone)
{
	struct tb_request only = tb_request_only_part(request, index);

	tb_placer_begin(placer, &only, placer->parts->used);
	tb_find_free(placer);
	if (alone)
		tb_placer_set_busy(placer, NULL);
}

static unsigned find_larger(struct tb_placer *placer,
			    const struct tb_request *request, bool alone)
{
	uint32_t outside;

	turn_to(placer, request, 0, alone);
	outside = placer->outer_levels;
	turn_to(placer, request, 1, alone);
	return placer->outer_levels < outside;
}

/* The placer has turned to the smaller kind. */
static void note_smaller(const struct tb_placer *placer)
{
	struct tb_parts *parts = placer->parts;

	tb_bitset_assign(parts->free, placer->available);
	parts->class = placer->class;
	parts->bits = placer->bits;
	parts->kind = placer->kind;
	parts->nested = placer->nested_units;
	parts->amount = placer->amount;
}

/* Smaller units below a tree node; of those inside each other the outermost. */
static uint32_t count_smaller(const struct tb_placer *placer, uint32_t node)
{
	const struct tb_parts *parts = placer->parts;
	struct tb_run run = tb_run_below(placer->topology, node, parts->bits);
	uint32_t end = run.first + run.count, count = 0;

	if (!parts->nested)
		return tb_bitset_count_range(parts->free, run.first, run.count);
	for (uint32_t unit = tb_bitset_next(parts->free, run.first); unit < end;
	     unit = tb_bitset_next(parts->free, unit)) {
		count++;
		unit = tb_object_after(placer->topology, parts->class, unit);
	}
	return count;
}

static uint32_t node_of_unit(const struct tb_placer *placer, uint32_t unit)
{
	const struct tb_topology *topology = placer->topology;

	if (placer->class == TB_CLASS_CORE)
		unit = topology->thread_core[unit];
	return topology->objects[placer->class][unit];
}

/* The smaller units that nobody can have beside this larger one. */
static uint32_t count_lost(const struct tb_placer *placer, uint32_t unit)
{
	if (placer->parts->kind != placer->kind)
		return 0;
	return count_smaller(placer, node_of_unit(placer, unit));
}

/* Those that are lost at least when the larger units below a node are taken. */
static uint32_t count_least_lost(const struct tb_placer *placer, uint32_t node)
{
	uint32_t *with = placer->parts->with, all = count_smaller(placer, node);
	struct tb_run units = tb_units_below(placer, node);
	uint32_t end = units.first + units.count, unit = units.first;
	uint32_t missing = placer->amount, lost = 0;

	memset(with, 0, (all + 1) * sizeof(*with));
	for (; (unit = tb_bitset_next(placer->available, unit)) < end; unit++)
		with[count_lost(placer, unit)]++;
	for (uint32_t size = 0; missing && size <= all; size++) {
		uint32_t taken = with[size] < missing ? with[size] : missing;

		lost += taken * size;
		missing -= taken;
	}
	return lost;
}

/* Do both parts fit below a node? */
static bool holds_parts(const struct tb_placer *placer, uint32_t node)
{
	uint64_t wanted = placer->parts->amount;
	uint32_t smaller;

	if (!tb_holds_amount(placer, node))
		return false;
	smaller = count_smaller(placer, node);
	return smaller >= wanted &&
	       smaller >= wanted + count_least_lost(placer, node);
}

/*
 * The first container of a level, at or below a node in sorted order, with room for
 * both.  Depth is bounded by TB_DEPTH_MAX.
 */
static uint32_t find_container(struct tb_placer *placer, uint32_t node,
			       uint32_t level)
{
	const struct tb_topology *topology = placer->topology;
	const struct tb_tree_node *at = &topology->nodes[node];
	char letter = topology->levels[level].letter;
	const uint32_t *children;

	if (!tb_run_below(topology, node, tb_class_of_letter(letter)).count ||
	    !holds_parts(placer, node))
		return TB_NO_NODE;
	if (at->letter == letter && at->level == level)
		return node;
	children = tb_sorted_children(placer, node);
	for (uint32_t i = 0; i < at->nchildren; i++) {
		uint32_t found = find_container(placer, children[i], level);

		if (found != TB_NO_NODE)
			return found;
	}
	return TB_NO_NODE;
}

static uint32_t find_place(struct tb_placer *placer)
{
	if (!holds_parts(placer, 0))
		return TB_NO_NODE;
	for (uint32_t level = placer->outer_levels; level-- > 0;) {
		uint32_t found = find_container(placer, 0, level);

		if (found != TB_NO_NODE)
			return found;
	}
	return 0;
}

static uint32_t count_lost_of_taken(const struct tb_placer *placer)
{
	uint32_t lost = 0;

	for (uint32_t i = 0; i < placer->ntaken; i++)
		lost += count_lost(placer, placer->taken[i]);
	return lost;
}

/* The available unit below a node with the fewest smaller ones inside. */
static uint32_t find_smallest(const struct tb_placer *placer, uint32_t node)
{
	struct tb_run units = tb_units_below(placer, node);
	uint32_t end = units.first + units.count, unit = units.first;
	uint32_t found = end, least = UINT32_MAX;

	for (; (unit = tb_bitset_next(placer->available, unit)) < end; unit++) {
		uint32_t lost = count_lost(placer, unit);

		if (lost >= least)
			continue;
		least = lost;
		found = unit;
	}
	return found;
}

static void take_larger(struct tb_placer *placer, uint32_t place)
{
	uint32_t smaller = count_smaller(placer, place);
	struct tb_parts *parts = placer->parts;

	tb_bitset_assign(parts->larger, placer->available);
	tb_take_packed_below(placer, place);
	if (smaller >= parts->amount + count_lost_of_taken(placer))
		return;
	tb_bitset_clear_all(placer->granted);
	placer->ntaken = 0;
	tb_bitset_assign(placer->available, parts->larger);
	while (placer->ntaken < placer->amount)
		tb_take_unit(placer, find_smallest(placer, place));
}

/* The innermost tree node with all that was taken. */
static uint32_t find_around_taken(const struct tb_placer *placer)
{
	const struct tb_tree_node *nodes = placer->topology->nodes;
	uint32_t around = node_of_unit(placer, placer->taken[0]);

	for (uint32_t i = 1; i < placer->ntaken; i++) {
		uint32_t node = node_of_unit(placer, placer->taken[i]);

		while (around && (node < around || node >= nodes[around].end))
			around = nodes[around].parent;
	}
	return around;
}

/* How far a NUMA node is from those on which the larger units are, both ways. */
static uint64_t sum_distances(const struct tb_placer *placer, uint32_t from,
			      const struct tb_bitset *larger)
{
	const struct tb_topology *topology = placer->topology;
	size_t count = tb_run_below(topology, 0, TB_CLASS_N).count;
	uint64_t sum = 0;

	for (uint32_t to = 0; to < count; to++) {
		struct tb_run run = tb_threads_of_object(topology, TB_CLASS_N,
							 to);

		if (tb_bitset_any_in_range(larger, run.first, run.count))
			sum += (uint64_t)topology->distances[from * count + to] +
			       topology->distances[to * count + from];
	}
	return sum;
}

/* The nearest NUMA node below a tree node with enough units; the node: none has. */
static uint32_t find_nearest(const struct tb_placer *placer, uint32_t around,
			     const struct tb_bitset *larger)
{
	const struct tb_topology *topology = placer->topology;
	struct tb_run run = tb_run_below(topology, around, TB_CLASS_N);
	uint32_t nearest = around;
	uint64_t least = UINT64_MAX;

	for (uint32_t i = run.first; i < run.first + run.count; i++) {
		uint32_t node = topology->objects[TB_CLASS_N][i];
		uint64_t sum = sum_distances(placer, i, larger);

		if (sum >= least || !tb_holds_amount(placer, node))
			continue;
		least = sum;
		nearest = node;
	}
	return nearest;
}

/* From the node outwards, where there are enough. */
static bool take_smaller(struct tb_placer *placer, uint32_t around,
			 const struct tb_bitset *larger)
{
	while (around && !tb_holds_amount(placer, around))
		around = placer->topology->nodes[around].parent;
	if (tb_nearest_applies(placer, around))
		around = find_nearest(placer, around, larger);
	return tb_take_packed_below(placer, around);
}

/* False: the smaller ones have no room beside the larger ones. */
static bool take_both(struct tb_placer *placer,
		      const struct tb_request *request, unsigned larger,
		      bool alone)
{
	struct tb_parts *parts = placer->parts;
	uint32_t place = find_place(placer), around;

	if (place == TB_NO_NODE)
		return false;
	take_larger(placer, place);
	tb_bitset_assign(parts->threads[larger], placer->granted);
	tb_bitset_or(parts->used, placer->granted);
	around = find_around_taken(placer);
	turn_to(placer, request, !larger, alone);
	if (!take_smaller(placer, around, parts->threads[larger]))
		return false;
	tb_bitset_assign(parts->threads[!larger], placer->granted);
	tb_bitset_or(placer->granted, parts->threads[larger]);
	return true;
}

bool tb_take_parts(struct tb_placer *placer, const struct tb_request *request,
		   const struct tb_bitset *used, bool alone)
{
	struct tb_parts *parts = placer->parts;
	unsigned larger;
	bool placed;

	if (used)
		tb_bitset_assign(parts->used, used);
	else
		tb_bitset_clear_all(parts->used);
	larger = find_larger(placer, request, alone);
	turn_to(placer, request, !larger, alone);
	note_smaller(placer);
	turn_to(placer, request, larger, alone);
	placed = take_both(placer, request, larger, alone);
	if (!placed) {
		tb_bitset_clear_all(placer->granted);
		for (unsigned i = 0; i < TB_PARTS_MAX; i++)
			tb_bitset_clear_all(parts->threads[i]);
	}
	placer->amount = 0; /* what is granted is one group */
	placer->groups = placed;
	return placed;
}
