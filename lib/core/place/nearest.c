/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nearest.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "fewest.h"
#include "sort.h"

#define TRIES_MAX 16
#define SUMS_MAX 100000

/* Some of the candidates, by their places in the list, ascending. */
struct set {
	uint32_t *members;
	uint64_t distance; /* of all pairs, both ways */
};

struct tb_nearest {
	uint32_t *candidates; /* NUMA nodes with units, tree nodes */
	uint32_t *units;      /* available on each */
	uint32_t outside;     /* available in the place, on none of them */
	uint32_t ncandidates;
	uint32_t wanted;     /* so many in a set */
	struct set building; /* while looking for the next one */
	struct set next, last, best;
	bool any_last, any_next;
	uint32_t sums_left;
	struct tb_bitset *hidden; /* units outside the set that is tried */
};

static bool create_set(struct set *set, uint32_t members)
{
	set->members = tb_array_create(members, sizeof(*set->members));
	return set->members;
}

struct tb_nearest *tb_nearest_create(const struct tb_topology *topology,
				     uint32_t units)
{
	struct tb_nearest *nearest = calloc(1, sizeof(*nearest));
	uint32_t count = tb_run_below(topology, 0, TB_CLASS_N).count;

	if (!nearest)
		return NULL;
	nearest->candidates = tb_array_create(count,
					      sizeof(*nearest->candidates));
	nearest->units = tb_array_create(count, sizeof(*nearest->units));
	nearest->hidden = tb_bitset_create(units);
	if (nearest->candidates && nearest->units && nearest->hidden &&
	    create_set(&nearest->building, count) &&
	    create_set(&nearest->next, count) &&
	    create_set(&nearest->last, count) &&
	    create_set(&nearest->best, count))
		return nearest;
	tb_nearest_destroy(nearest);
	return NULL;
}

void tb_nearest_destroy(struct tb_nearest *nearest)
{
	if (!nearest)
		return;
	free(nearest->candidates);
	free(nearest->units);
	tb_bitset_destroy(nearest->hidden);
	free(nearest->building.members);
	free(nearest->next.members);
	free(nearest->last.members);
	free(nearest->best.members);
	free(nearest);
}

/* The level of the NUMA nodes; nlevels when there is none, or more than one. */
static uint32_t find_numa_level(const struct tb_topology *topology)
{
	uint32_t found = topology->nlevels;

	for (uint32_t i = 0; i < topology->nlevels; i++) {
		if (topology->levels[i].letter != 'N')
			continue;
		if (found < topology->nlevels)
			return topology->nlevels;
		found = i;
	}
	return found;
}

bool tb_distances_matter(const struct tb_placer *placer)
{
	const struct tb_topology *topology = placer->topology;

	return topology->distances && topology->distances_differ &&
	       find_numa_level(topology) < topology->nlevels;
}

bool tb_nearest_applies(const struct tb_placer *placer, uint32_t place)
{
	const struct tb_topology *topology = placer->topology;

	return tb_distances_matter(placer) && !tb_sort_names(placer, 'N') &&
	       tb_run_below(topology, place, TB_CLASS_N).count > 1 &&
	       (placer->class == TB_CLASS_N ||
		find_numa_level(topology) < placer->outer_levels);
}

/* --- the sets, one after the other ------------------------------------------------ */

/* In sorted order.  Depth is bounded by TB_DEPTH_MAX. */
static void find_candidates(struct tb_placer *placer, uint32_t node)
{
	const struct tb_tree_node *at = &placer->topology->nodes[node];
	struct tb_nearest *nearest = placer->nearest;
	uint32_t available = tb_count_available(placer, node);
	const uint32_t *children;

	if (!available)
		return;
	if (at->letter == 'N') {
		nearest->units[nearest->ncandidates] = available;
		nearest->outside -= available;
		nearest->candidates[nearest->ncandidates++] = node;
		return;
	}
	children = tb_sorted_children(placer, node);
	for (uint32_t i = 0; i < at->nchildren; i++)
		find_candidates(placer, children[i]);
}

/* How far a candidate is from the first members of the set. */
static uint64_t find_distance(const struct tb_placer *placer,
			      uint32_t candidate, uint32_t members)
{
	const struct tb_topology *topology = placer->topology;
	struct tb_nearest *nearest = placer->nearest;
	const uint32_t *set = nearest->building.members;
	size_t count = tb_run_below(topology, 0, TB_CLASS_N).count;
	size_t from = topology->nodes[nearest->candidates[candidate]]
			      .before[TB_CLASS_N];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < members; i++) {
		size_t to = topology->nodes[nearest->candidates[set[i]]]
				    .before[TB_CLASS_N];

		sum += (uint64_t)topology->distances[from * count + to] +
		       topology->distances[to * count + from];
	}
	nearest->sums_left -= members < nearest->sums_left ? members
							   : nearest->sums_left;
	return sum;
}

/* Is the set that was built behind the last one, in the order of the string? */
static bool is_behind_last(const struct tb_nearest *nearest)
{
	for (uint32_t i = 0; i < nearest->wanted; i++)
		if (nearest->building.members[i] != nearest->last.members[i])
			return nearest->building.members[i] >
			       nearest->last.members[i];
	return false;
}

static void copy_set(const struct tb_nearest *nearest, struct set *to,
		     const struct set *from)
{
	memcpy(to->members, from->members,
	       nearest->wanted * sizeof(*to->members));
	to->distance = from->distance;
}

static bool holds_amount(const struct tb_nearest *nearest, uint32_t amount)
{
	uint32_t units = nearest->outside;

	for (uint32_t i = 0; i < nearest->wanted; i++)
		units += nearest->units[nearest->building.members[i]];
	return units >= amount;
}

static void note_set(struct tb_nearest *nearest, uint32_t amount,
		     uint64_t distance)
{
	if (!holds_amount(nearest, amount))
		return;
	if (nearest->any_last &&
	    (distance < nearest->last.distance ||
	     (distance == nearest->last.distance && !is_behind_last(nearest))))
		return;
	nearest->building.distance = distance;
	copy_set(nearest, &nearest->next, &nearest->building);
	nearest->any_next = true;
}

/*
 * Go through the sets that begin with these members.  Depth is bounded by the
 * number of NUMA nodes, and the work by sums_left.
 */
static void look_at_sets(const struct tb_placer *placer, uint32_t members,
			 uint64_t distance)
{
	struct tb_nearest *nearest = placer->nearest;
	uint32_t *set = nearest->building.members;
	uint32_t first = members ? set[members - 1] + 1 : 0;
	uint32_t end = nearest->ncandidates - (nearest->wanted - members);

	if (nearest->any_next && distance >= nearest->next.distance)
		return;
	if (members == nearest->wanted) {
		note_set(nearest, placer->amount, distance);
		return;
	}
	for (uint32_t i = first; i <= end && nearest->sums_left; i++) {
		uint64_t more = find_distance(placer, i, members);

		set[members] = i;
		look_at_sets(placer, members + 1, distance + more);
	}
}

/* The set with the next larger sum, or of equals the next in order. */
static bool find_next_set(const struct tb_placer *placer)
{
	struct tb_nearest *nearest = placer->nearest;

	nearest->any_next = false;
	look_at_sets(placer, 0, 0);
	if (!nearest->any_next)
		return false;
	copy_set(nearest, &nearest->last, &nearest->next);
	nearest->any_last = true;
	return true;
}

/* --- trying a set ------------------------------------------------------------------ */

/* Units on NUMA nodes outside the set are for a while not available. */
static void hide_others(struct tb_placer *placer, const struct set *set)
{
	struct tb_nearest *nearest = placer->nearest;
	uint32_t member = 0;

	tb_bitset_clear_all(nearest->hidden);
	for (uint32_t i = 0; i < nearest->ncandidates; i++) {
		struct tb_run units = tb_units_below(placer,
						     nearest->candidates[i]);

		if (member < nearest->wanted && set->members[member] == i) {
			member++;
			continue;
		}
		tb_bitset_or_range(nearest->hidden, placer->available,
				   units.first, units.count);
		tb_bitset_clear_range(placer->available, units.first,
				      units.count);
	}
}

static void show_others(struct tb_placer *placer)
{
	tb_bitset_or_range(placer->available, placer->nearest->hidden, 0,
			   placer->nearest->hidden->nbits);
}

static uint64_t find_cost_of_set(struct tb_placer *placer, uint32_t place,
				 const struct set *set)
{
	uint64_t cost;

	hide_others(placer, set);
	cost = tb_fewest_cost(placer, place);
	if (cost != TB_NO_COST &&
	    !tb_fewest_keeps_sort(placer, place, placer->amount,
				  placer->nearest->hidden))
		cost = TB_NO_COST;
	show_others(placer);
	return cost;
}

/*
 * The best set into nearest->best: it touches as few containers, down to the NUMA
 * nodes, as is possible at all, and of these sets it has the smallest distance,
 * then the smallest cost.
 */
static bool find_best_set(struct tb_placer *placer, uint32_t place,
			  uint64_t lowest, uint32_t level)
{
	struct tb_nearest *nearest = placer->nearest;
	uint64_t best = TB_NO_COST;

	for (int i = 0; i < TRIES_MAX && find_next_set(placer); i++) {
		uint64_t cost;

		if (best != TB_NO_COST &&
		    nearest->last.distance > nearest->best.distance)
			break;
		cost = find_cost_of_set(placer, place, &nearest->last);
		if (cost >= best ||
		    tb_fewest_down_to(placer, cost, level) !=
			    tb_fewest_down_to(placer, lowest, level))
			continue;
		best = cost;
		copy_set(nearest, &nearest->best, &nearest->last);
	}
	return best != TB_NO_COST;
}

bool tb_take_nearest(struct tb_placer *placer, uint32_t place)
{
	const struct tb_topology *topology = placer->topology;
	struct tb_nearest *nearest = placer->nearest;
	bool are_units = placer->class == TB_CLASS_N;
	uint32_t level = are_units ? topology->nlevels
				   : find_numa_level(topology);
	uint64_t lowest = tb_fewest_cost(placer, place);

	if (lowest == TB_NO_COST)
		return false;
	nearest->wanted = are_units ? placer->amount
				    : tb_fewest_count(placer, lowest, level);
	nearest->ncandidates = 0;
	nearest->outside = tb_count_available(placer, place);
	find_candidates(placer, place);
	nearest->any_last = false;
	nearest->sums_left = SUMS_MAX;
	if (nearest->wanted < 2 || nearest->wanted >= nearest->ncandidates ||
	    !find_best_set(placer, place, lowest, level))
		return false;
	hide_others(placer, &nearest->best);
	tb_fewest_cost(placer, place);
	tb_fewest_take(placer, place);
	show_others(placer);
	/* Lists may have been noted as exhausted while their units were hidden. */
	tb_placer_forget_order(placer);
	return true;
}
