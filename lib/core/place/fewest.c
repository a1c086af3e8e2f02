/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fewest.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "flat.h"
#include "nearest.h"
#include "sort.h"
#include "take.h"

/*
 * Limits on the tables and on the sums of one slot, so that none holds the
 * controller up for longer than a millisecond.  Slots of hundreds of threads come
 * near them; beyond them, units are taken in sorted order.
 */
#define ROOM_MAX 16384
#define SUMS_MAX 250000
#define COST_BITS 63

/* A tree node in the calculation for one slot. */
struct part {
	uint32_t available;
	uint32_t units; /* available ones, the amount at most */
	uint32_t costs; /* of taking 0 to units of them: into costs[] */
	/* The same for the siblings behind it, together. */
	uint32_t units_behind, costs_behind;
};

/* The field of a level in a cost. */
struct field {
	uint8_t shift, bits; /* 0 bits: the level does not count */
};

struct tb_fewest {
	struct part *parts;   /* by tree node */
	struct field *fields; /* by level; cores are the last */
	uint32_t inner;	      /* levels from this one inwards do not count */
	bool cores_count;
	bool crossed; /* inner levels lie around outer ones, too */
	bool near;    /* distances of NUMA nodes count, too */
	uint64_t *costs;
	uint32_t room, used;
	uint32_t sums_left;
};

/* One table for a core, and one for each list of siblings. */
static uint32_t find_room(const struct tb_topology *topology)
{
	uint64_t room = 1;

	for (uint32_t i = 0; i < topology->nnodes && room < ROOM_MAX; i++) {
		const struct tb_tree_node *at = &topology->nodes[i];
		uint64_t units =
			tb_run_below(topology, i, TB_CLASS_THREAD).count;

		room += (units + 1) * (1 + at->nchildren);
	}
	return room < ROOM_MAX ? (uint32_t)room : ROOM_MAX;
}

/* As in N(X(C)C)X(N(C)): the order of the levels is not that of each branch. */
static bool levels_cross(const struct tb_topology *topology)
{
	for (uint32_t i = 1; i < topology->nnodes; i++) {
		const struct tb_tree_node *at = &topology->nodes[i];

		if (at->parent &&
		    tb_class_of_letter(at->letter) != TB_CLASS_CORE &&
		    at->level < topology->nodes[at->parent].level)
			return true;
	}
	return false;
}

struct tb_fewest *tb_fewest_create(const struct tb_topology *topology)
{
	struct tb_fewest *fewest = calloc(1, sizeof(*fewest));

	if (!fewest)
		return NULL;
	fewest->room = find_room(topology);
	fewest->crossed = levels_cross(topology);
	fewest->parts = calloc(topology->nnodes, sizeof(*fewest->parts));
	fewest->fields = calloc(topology->nlevels + 1, sizeof(*fewest->fields));
	fewest->costs = calloc(fewest->room, sizeof(*fewest->costs));
	if (fewest->parts && fewest->fields && fewest->costs)
		return fewest;
	tb_fewest_destroy(fewest);
	return NULL;
}

void tb_fewest_destroy(struct tb_fewest *fewest)
{
	if (!fewest)
		return;
	free(fewest->parts);
	free(fewest->fields);
	free(fewest->costs);
	free(fewest);
}

bool tb_sort_names(const struct tb_placer *placer, char letter)
{
	for (const char *named = placer->sort; *named; named++)
		if (tb_upper(*named) == letter)
			return true;
	return false;
}

/* --- what a cost is ------------------------------------------------------------- */

static bool level_counts(const struct tb_placer *placer, uint32_t level)
{
	const struct tb_level *at = &placer->topology->levels[level];

	return at->most[placer->class] > 1 ||
	       (at->letter == 'N' && placer->fewest->near);
}

static void find_counting_levels(const struct tb_placer *placer)
{
	const struct tb_topology *topology = placer->topology;
	struct tb_fewest *fewest = placer->fewest;

	fewest->near = tb_distances_matter(placer);
	fewest->inner = placer->outer_levels;
	while (fewest->inner && !level_counts(placer, fewest->inner - 1))
		fewest->inner--;
	fewest->cores_count = placer->class == TB_CLASS_THREAD &&
			      topology->nthreads > topology->ncores;
}

static uint8_t bits_for(uint64_t number)
{
	uint8_t bits = 0;

	for (; number; number >>= 1)
		bits++;
	return bits;
}

/* As many bits as a slot can touch containers of the level. */
static uint8_t find_field_bits(const struct tb_placer *placer, uint32_t level)
{
	const struct tb_topology *topology = placer->topology;
	bool cores = level == topology->nlevels;
	uint32_t count = cores ? topology->ncores
			       : topology->levels[level].count;

	if (cores ? !placer->fewest->cores_count
		  : level >= placer->fewest->inner ||
			    !level_counts(placer, level))
		return 0;
	return bits_for(count < placer->amount ? count : placer->amount);
}

/* From the inside out; where bits are short, inner levels do not count. */
static void lay_out_fields(const struct tb_placer *placer)
{
	uint32_t levels = placer->topology->nlevels;
	struct field *fields = placer->fewest->fields;
	uint8_t shift = bits_for((uint64_t)placer->amount * (levels + 1));
	unsigned all = shift;

	for (uint32_t level = 0; level <= levels; level++) {
		fields[level].bits = find_field_bits(placer, level);
		all += fields[level].bits;
	}
	for (uint32_t level = levels + 1; level-- > 0;) {
		if (all > COST_BITS) {
			all -= fields[level].bits;
			fields[level].bits = 0;
		}
		fields[level].shift = shift;
		shift += fields[level].bits;
	}
}

uint32_t tb_fewest_count(const struct tb_placer *placer, uint64_t cost,
			 uint32_t level)
{
	struct field field = placer->fewest->fields[level];

	return (uint32_t)(cost >> field.shift &
			  (((uint64_t)1 << field.bits) - 1));
}

uint64_t tb_fewest_down_to(const struct tb_placer *placer, uint64_t cost,
			   uint32_t level)
{
	return cost >> placer->fewest->fields[level].shift;
}

/* --- the tables ----------------------------------------------------------------- */

bool tb_fewest_is_plain(const struct tb_placer *placer, uint32_t node)
{
	const struct tb_tree_node *at = &placer->topology->nodes[node];
	enum tb_class class = tb_class_of_letter(at->letter);

	if (class == TB_CLASS_CORE || class == placer->class)
		return true;
	if (placer->fewest->cores_count || placer->fewest->crossed)
		return false;
	return node ? at->level + 1u >= placer->fewest->inner
		    : !placer->fewest->inner;
}

/* Room for a table of 0 to units; false when there is none. */
static bool add_table(struct tb_fewest *fewest, uint32_t units, uint32_t *table)
{
	if (units >= fewest->room - fewest->used)
		return false;
	*table = fewest->used;
	fewest->used += units + 1;
	return true;
}

/* What it costs to take any of all the node's units, besides what is below it. */
static uint64_t find_own_cost(const struct tb_placer *placer, uint32_t node,
			      uint32_t all)
{
	const struct tb_topology *topology = placer->topology;
	const struct tb_tree_node *at = &topology->nodes[node];
	bool core = tb_class_of_letter(at->letter) == TB_CLASS_CORE;
	struct field field;

	if (!node || (all < 2 && !(placer->fewest->near && at->letter == 'N')))
		return 0;
	field = placer->fewest->fields[core ? topology->nlevels : at->level];
	return field.bits ? (uint64_t)1 << field.shift : 0;
}

/* Add to a node's table, from least on, what the node itself costs. */
static void add_own_costs(const struct tb_placer *placer, uint32_t node,
			  uint32_t least)
{
	const struct part *part = &placer->fewest->parts[node];
	uint64_t *costs = placer->fewest->costs + part->costs;
	uint32_t all = tb_count_units(placer, node);
	uint64_t own = find_own_cost(placer, node,
				     placer->any_masked
					     ? tb_count_all_units(placer, node)
					     : all);
	bool whole = node && part->available == all;

	for (uint32_t units = least ? least : 1; units <= part->units; units++)
		costs[units] += own + (whole && units < all);
}

/* In a list that the sort puts into order the next units are taken. */
static bool list_is_sorted(const struct tb_placer *placer, uint32_t node)
{
	const struct tb_topology *topology = placer->topology;
	const struct tb_tree_node *at = &topology->nodes[node];

	for (uint32_t i = 0; *placer->sort && i < at->nchildren; i++) {
		uint32_t child = topology->children[at->first_child + i];

		if (tb_sort_names(placer, topology->nodes[child].letter))
			return true;
	}
	return false;
}

/*
 * Of how many units a part has, when so many are taken of it and the siblings
 * behind it: how many it gives at the least and at the most.
 */
struct share {
	uint32_t least, most;
};

static struct share find_share(const struct part *part, uint32_t units,
			       bool sorted)
{
	uint32_t most = units < part->units ? units : part->units;
	uint32_t least = units > part->units_behind ? units - part->units_behind
						    : 0;

	return (struct share){ sorted ? most : least, most };
}

/* The best share, the largest of equals. */
static uint32_t find_best_share(const struct tb_fewest *fewest,
				const struct part *part, uint32_t units,
				bool sorted)
{
	struct share share = find_share(part, units, sorted);
	const uint64_t *own = fewest->costs + part->costs;
	const uint64_t *behind = fewest->costs + part->costs_behind;
	uint32_t best = share.most;
	uint64_t cost = own[best] + behind[units - best];

	for (uint32_t taken = share.most; taken-- > share.least;) {
		uint64_t sum = own[taken] + behind[units - taken];

		if (sum < cost) {
			cost = sum;
			best = taken;
		}
	}
	return best;
}

/* What the best share costs. */
static uint64_t find_least_cost(const struct tb_fewest *fewest,
				const struct part *part, uint32_t units,
				bool sorted)
{
	struct share share = find_share(part, units, sorted);
	const uint64_t *own = fewest->costs + part->costs;
	const uint64_t *behind = fewest->costs + part->costs_behind;
	uint64_t least = TB_NO_COST;

	for (uint32_t taken = share.least; taken <= share.most; taken++) {
		uint64_t sum = own[taken] + behind[units - taken];

		least = sum < least ? sum : least;
	}
	return least;
}

/* The table, from least on, of a part and the siblings behind it. */
static bool add_part(struct tb_placer *placer, const struct part *part,
		     bool sorted, uint32_t least, uint32_t *units_behind,
		     uint32_t *costs_behind)
{
	struct tb_fewest *fewest = placer->fewest;
	uint32_t units = part->units + part->units_behind;
	uint64_t sums;

	if (units > placer->amount)
		units = placer->amount;
	sums = (uint64_t)(units + 1) * (part->units + 1);
	if (sums > fewest->sums_left || !add_table(fewest, units, costs_behind))
		return false;
	fewest->sums_left -= (uint32_t)sums;
	for (uint32_t i = least; i <= units; i++)
		fewest->costs[*costs_behind + i] = find_least_cost(fewest, part,
								   i, sorted);
	*units_behind = units;
	return true;
}

static bool weigh_node(struct tb_placer *placer, uint32_t node, uint32_t least);

static uint32_t count_part(const struct tb_placer *placer, uint32_t node)
{
	struct part *part = &placer->fewest->parts[node];

	part->available = tb_count_available(placer, node);
	part->units = part->available < placer->amount ? part->available
						       : placer->amount;
	return part->units;
}

static uint32_t count_beyond(uint32_t units, uint32_t others)
{
	return units > others ? units - others : 0;
}

/*
 * At least so many are taken of all children, and so at least what the others do not
 * have is taken of each: smaller numbers are in no table.  Depth is bounded by
 * TB_DEPTH_MAX.
 */
static bool weigh_children(struct tb_placer *placer, uint32_t node,
			   uint32_t least)
{
	struct tb_fewest *fewest = placer->fewest;
	const struct tb_tree_node *at = &placer->topology->nodes[node];
	const uint32_t *children = tb_sorted_children(placer, node);
	bool sorted = list_is_sorted(placer, node);
	uint32_t units_behind = 0, costs_behind = 0, before = 0;

	for (uint32_t i = 0; i < at->nchildren; i++)
		before += count_part(placer, children[i]);
	for (uint32_t i = at->nchildren; i-- > 0;) {
		struct part *part = &fewest->parts[children[i]];
		uint32_t from_here;

		before -= part->units;
		from_here = count_beyond(least, before);
		if (!weigh_node(placer, children[i],
				count_beyond(from_here, units_behind)))
			return false;
		part->units_behind = units_behind;
		part->costs_behind = costs_behind;
		if (part->units && !add_part(placer, part, sorted, from_here,
					     &units_behind, &costs_behind))
			return false;
	}
	fewest->parts[node].costs = costs_behind;
	return true;
}

/* The table, from least on, of a node whose units are counted. */
static bool weigh_node(struct tb_placer *placer, uint32_t node, uint32_t least)
{
	struct tb_fewest *fewest = placer->fewest;
	struct part *part = &fewest->parts[node];

	if (!part->units)
		return true;
	if (!tb_fewest_is_plain(placer, node)) {
		if (!weigh_children(placer, node, least))
			return false;
	} else {
		if (!add_table(fewest, part->units, &part->costs))
			return false;
		memset(fewest->costs + part->costs, 0,
		       (part->units + 1) * sizeof(*fewest->costs));
	}
	add_own_costs(placer, node, least);
	return true;
}

uint64_t tb_fewest_cost(struct tb_placer *placer, uint32_t place)
{
	struct tb_fewest *fewest = placer->fewest;
	const struct part *part = &fewest->parts[place];

	/* The first table is that of no sibling. */
	fewest->costs[0] = 0;
	fewest->used = 1;
	count_part(placer, place);
	if (!weigh_node(placer, place, placer->amount) ||
	    part->units < placer->amount)
		return TB_NO_COST;
	return fewest->costs[part->costs + placer->amount];
}

/* --- taking --------------------------------------------------------------------- */

/* Depth is bounded by TB_DEPTH_MAX. */
static void take_units(struct tb_placer *placer, uint32_t node, uint32_t units)
{
	const struct tb_fewest *fewest = placer->fewest;
	const uint32_t *children;
	bool sorted;

	if (tb_fewest_is_plain(placer, node)) {
		tb_take_units_below(placer, node, &units);
		return;
	}
	children = tb_sorted_children(placer, node);
	sorted = list_is_sorted(placer, node);
	for (uint32_t i = 0; units; i++) {
		const struct part *part = &fewest->parts[children[i]];
		uint32_t taken;

		if (!part->units)
			continue;
		taken = find_best_share(fewest, part, units, sorted);
		if (taken)
			take_units(placer, children[i], taken);
		units -= taken;
	}
}

bool tb_fewest_keeps_sort(struct tb_placer *placer, uint32_t node,
			  uint32_t units, const struct tb_bitset *hidden)
{
	const uint32_t *children;
	bool sorted;

	if (!units || tb_fewest_is_plain(placer, node))
		return true;
	children = tb_sorted_children(placer, node);
	sorted = list_is_sorted(placer, node);
	for (uint32_t i = 0; units; i++) {
		const struct part *part = &placer->fewest->parts[children[i]];
		struct tb_run run = tb_units_below(placer, children[i]);
		uint32_t taken = 0;

		if (part->units)
			taken = find_best_share(placer->fewest, part, units,
						sorted);
		if (sorted && taken < units &&
		    tb_bitset_any_in_range(hidden, run.first, run.count))
			return false;
		if (!tb_fewest_keeps_sort(placer, children[i], taken, hidden))
			return false;
		units -= taken;
	}
	return true;
}

void tb_fewest_take(struct tb_placer *placer, uint32_t place)
{
	take_units(placer, place, placer->amount);
}

void tb_take_fewest(struct tb_placer *placer, uint32_t place)
{
	uint32_t missing = placer->amount;

	placer->tier = 0;
	find_counting_levels(placer);
	placer->fewest->sums_left = SUMS_MAX;
	if (tb_nearest_applies(placer, place)) {
		lay_out_fields(placer);
		if (tb_take_nearest(placer, place))
			return;
	}
	if (!tb_fewest_is_plain(placer, place)) {
		if (tb_take_flat(placer, place))
			return;
		lay_out_fields(placer);
		if (tb_fewest_cost(placer, place) != TB_NO_COST) {
			tb_fewest_take(placer, place);
			return;
		}
	}
	tb_take_units_below(placer, place, &missing);
}
