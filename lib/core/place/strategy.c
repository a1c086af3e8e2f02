/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doc/design.md, "Placement", says what the strategies do.
 */
#include "strategy.h"

#include "fewest.h"
#include "sort.h"
#include "spread.h"
#include "take.h"

/* Does the whole amount fit below a node, were no units inside others? */
static bool may_hold_amount(const struct tb_placer *placer, uint32_t node)
{
	struct tb_run units = tb_units_below(placer, node);

	return tb_bitset_count_range(placer->available, units.first,
				     units.count) >= placer->amount;
}

/* Of units inside each other only the outermost counts: those inside go with it. */
bool tb_holds_amount(const struct tb_placer *placer, uint32_t node)
{
	struct tb_run units = tb_units_below(placer, node);
	uint32_t end = units.first + units.count;
	uint32_t unit = units.first;

	if (!placer->nested_units)
		return may_hold_amount(placer, node);
	for (uint32_t i = 0; i < placer->amount; i++) {
		unit = tb_bitset_next(placer->available, unit);
		if (unit >= end)
			return false;
		unit = tb_object_after(placer->topology, placer->class, unit);
	}
	return true;
}

/*
 * Take the whole amount below a node, from left to right, units with the fewest
 * jobs first; or nothing.
 */
static bool take_slot_linear(struct tb_placer *placer, uint32_t node)
{
	uint32_t missing = placer->amount;

	if (!tb_holds_amount(placer, node))
		return false;
	placer->tier = 0;
	tb_take_units_below(placer, node, &missing);
	while (missing && placer->tier < placer->level) {
		placer->tier = tb_share_next_level(placer->use,
						   placer->busy->nbits,
						   placer->tier);
		tb_take_units_below(placer, node, &missing);
	}
	return true;
}

/*
 * The first container of a level, at or below a node in sorted order, with the
 * whole amount.  Depth is bounded by TB_DEPTH_MAX.
 */
static uint32_t find_container(struct tb_placer *placer, uint32_t node,
			       uint32_t level)
{
	const struct tb_topology *topology = placer->topology;
	const struct tb_tree_node *at = &topology->nodes[node];
	char letter = topology->levels[level].letter;
	const uint32_t *children;

	if (!tb_run_below(topology, node, tb_class_of_letter(letter)).count ||
	    !may_hold_amount(placer, node))
		return TB_NO_NODE;
	if (at->letter == letter && at->level == level)
		return tb_holds_amount(placer, node) ? node : TB_NO_NODE;
	children = tb_sorted_children(placer, node);
	for (uint32_t i = 0; i < at->nchildren; i++) {
		uint32_t found = find_container(placer, children[i], level);

		if (found != TB_NO_NODE)
			return found;
	}
	return TB_NO_NODE;
}

/* The first core with the whole amount of threads, likewise. */
static uint32_t find_core(struct tb_placer *placer, uint32_t node)
{
	const struct tb_tree_node *at = &placer->topology->nodes[node];
	const uint32_t *children;

	if (!may_hold_amount(placer, node))
		return TB_NO_NODE;
	if (tb_class_of_letter(at->letter) == TB_CLASS_CORE)
		return node;
	children = tb_sorted_children(placer, node);
	for (uint32_t i = 0; i < at->nchildren; i++) {
		uint32_t found = find_core(placer, children[i]);

		if (found != TB_NO_NODE)
			return found;
	}
	return TB_NO_NODE;
}

/*
 * The innermost object below a node that holds the whole amount; TB_NO_NODE when
 * only the node does.  *levels and *cores say which objects are still worth
 * looking at.  What holds too few units is left out from then on: units never
 * become more.
 */
static uint32_t find_innermost(struct tb_placer *placer, uint32_t node,
			       uint32_t *levels, bool *cores)
{
	const struct tb_topology *topology = placer->topology;

	if (*cores) {
		uint32_t core = find_core(placer, node);

		if (core != TB_NO_NODE)
			return core;
		*cores = false;
	}
	while (*levels) {
		uint32_t level = *levels - 1;
		uint32_t found = TB_NO_NODE;

		if (topology->levels[level].most[placer->class] >=
		    placer->amount)
			found = find_container(placer, node, level);
		if (found != TB_NO_NODE)
			return found;
		--*levels;
	}
	return TB_NO_NODE;
}

/* For a single unit no place is better than another: take the first one. */
static bool take_slot_packed(struct tb_placer *placer, uint32_t node,
			     uint32_t *levels, bool *cores)
{
	uint32_t place = TB_NO_NODE;

	if (!may_hold_amount(placer, node))
		return false;
	if (placer->amount > 1)
		place = find_innermost(placer, node, levels, cores);
	if (place == TB_NO_NODE)
		place = node;
	/* Where jobs share units, those with the fewest jobs come first. */
	if (placer->amount == 1 || placer->nested_units || placer->level)
		return take_slot_linear(placer, place);
	tb_take_fewest(placer, place);
	return true;
}

bool tb_take_packed_below(struct tb_placer *placer, uint32_t node)
{
	uint32_t levels = placer->outer_levels;
	bool cores = placer->class == TB_CLASS_THREAD;

	return take_slot_packed(placer, node, &levels, &cores);
}

static uint32_t count_granted(const struct tb_placer *placer,
			      struct tb_run threads)
{
	uint32_t end = threads.first + threads.count, count = 0;

	if (!placer->any_masked)
		return tb_bitset_count_range(placer->granted, threads.first,
					     threads.count);
	for (uint32_t thread = tb_bitset_next(placer->granted, threads.first);
	     thread < end; thread = tb_bitset_next(placer->granted, thread + 1))
		count += !tb_bitset_test(placer->masked, thread);
	return count;
}

static uint32_t count_load(const struct tb_placer *placer, uint32_t node)
{
	struct tb_run threads = tb_run_below(placer->topology, node,
					     TB_CLASS_THREAD);

	return tb_bitset_count_range(tb_load_of(placer), threads.first,
				     threads.count) +
	       count_granted(placer, threads);
}

/* The least loaded container found so far. */
struct least_loaded {
	uint32_t node, load;
};

/*
 * Find it among the containers of a level, or the cores (level == nlevels), that
 * hold the whole amount.  Depth is bounded by TB_DEPTH_MAX.
 */
static void find_least_loaded(struct tb_placer *placer, uint32_t node,
			      uint32_t level, struct least_loaded *least)
{
	const struct tb_topology *topology = placer->topology;
	const struct tb_tree_node *at = &topology->nodes[node];
	enum tb_class class = tb_class_of_letter(at->letter);
	const uint32_t *children;

	if (!may_hold_amount(placer, node))
		return;
	if (class == TB_CLASS_CORE ? level == topology->nlevels
				   : node && at->level == level) {
		uint32_t load = count_load(placer, node);

		if ((least->node == TB_NO_NODE || load < least->load) &&
		    tb_holds_amount(placer, node))
			*least = (struct least_loaded){ node, load };
		return;
	}
	children = tb_sorted_children(placer, node);
	for (uint32_t i = 0; i < at->nchildren; i++)
		find_least_loaded(placer, children[i], level, least);
}

/*
 * The outermost level that occurs more than once, outside the unit; nlevels
 * for the cores (of threads), one more when there is none.  Threads scatter over
 * cores where no container occurs twice, as packed puts them into cores first
 * (doc/design.md, "Placement").
 */
static uint32_t find_scatter_level(const struct tb_placer *placer)
{
	const struct tb_topology *topology = placer->topology;

	for (uint32_t i = 0; i < placer->outer_levels; i++)
		if (topology->levels[i].count > 1)
			return i;
	if (placer->class == TB_CLASS_THREAD &&
	    tb_bitset_count(topology->kind_cores[placer->kind]) > 1)
		return topology->nlevels;
	return topology->nlevels + 1;
}

/*
 * A container that cannot hold the slot (too few units are left, none has the
 * core kind, or it is outside the window) is passed over, however little load it
 * has; test/data/binding_vectors.tsv has such cases.
 */
static bool take_slot_scattered(struct tb_placer *placer)
{
	uint32_t level = find_scatter_level(placer);
	struct least_loaded least = { TB_NO_NODE, 0 };

	if (level <= placer->topology->nlevels)
		find_least_loaded(placer, 0, level, &least);
	if (least.node != TB_NO_NODE)
		return tb_take_packed_below(placer, least.node);
	return take_slot_packed(placer, 0, &placer->open_levels,
				&placer->cores_open);
}

/* In the container whose turn it is. */
static bool take_slot_in_turn(struct tb_placer *placer,
			      enum tb_strategy strategy)
{
	uint32_t node = tb_spread_next(placer);
	uint32_t levels = placer->outer_levels;
	bool cores = placer->class == TB_CLASS_THREAD;

	if (node == TB_NO_NODE)
		return false;
	return strategy == TB_LINEAR
		       ? take_slot_linear(placer, node)
		       : take_slot_packed(placer, node, &levels, &cores);
}

bool tb_take_slot(struct tb_placer *placer, enum tb_strategy strategy)
{
	/* When an inner unit is taken, more units can count than before. */
	if (placer->nested_units)
		placer->open_levels = placer->outer_levels;
	if (placer->spread)
		return take_slot_in_turn(placer, strategy);
	switch (strategy) {
	case TB_LINEAR:
		return take_slot_linear(placer, 0);
	case TB_SCATTER:
		return take_slot_scattered(placer);
	case TB_PACKED:
		break;
	}
	return take_slot_packed(placer, 0, &placer->open_levels,
				&placer->cores_open);
}

uint32_t tb_take_next_slots(struct tb_placer *placer, enum tb_strategy strategy,
			    uint32_t wanted)
{
	bool in_order = strategy == TB_LINEAR ||
			(strategy == TB_PACKED && placer->amount == 1);
	struct tb_run units = tb_units_below(placer, 0);
	uint32_t missing, slots;

	/* Nothing is wanted of a request that has no amount. */
	if (!wanted || !in_order || placer->use || placer->nested_units ||
	    placer->spread)
		return 0;
	slots = tb_bitset_count_range(placer->available, units.first,
				      units.count) /
		placer->amount;
	if (!slots)
		return 0;
	if (slots > wanted)
		slots = wanted;
	missing = slots * placer->amount;
	tb_take_units_below(placer, 0, &missing);
	return slots;
}
