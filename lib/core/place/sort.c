/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorting (doc/design.md, "Placement") goes list by list and looks only at what
 * was in use before the first slot.  So it does not matter when a list is sorted:
 * it is done when the list is first needed.
 *
 * The letter T sorts nothing: the threads of a core differ only in whether they
 * are in use, and a thread in use is never granted.
 */
#include "sort.h"

#include <string.h>

#include "core/base/text.h"

/*
 * Keys sort objects of the letter first, of these the ones with power cores
 * first, then by load, then by the place that they had.
 */
#define KEY_OTHER_LETTER ((uint64_t)1 << 63)
#define KEY_NO_POWER ((uint64_t)1 << 62)
#define KEY_LOAD_SHIFT 31
#define KEY_PLACE_MASK (((uint64_t)1 << KEY_LOAD_SHIFT) - 1)
#define KEY_LOAD_MAX KEY_PLACE_MASK

static uint64_t make_load_key(const struct tb_placer *placer, uint32_t node,
			      char letter)
{
	const struct tb_topology *topology = placer->topology;
	struct tb_run run = tb_run_below(topology, node, TB_CLASS_THREAD);
	uint64_t load = tb_bitset_count_range(tb_load_of(placer), run.first,
					      run.count);
	uint64_t key = 0;

	if (!(topology->nodes[node].kinds & 1u << TB_POWER))
		key |= KEY_NO_POWER;
	if (tb_is_lower(letter))
		load = KEY_LOAD_MAX - load;
	return key | load << KEY_LOAD_SHIFT;
}

/* Keys are different, so a sort need not be stable.  Gaps by Ciura. */
static void sort_key_list(uint64_t *keys, uint32_t count)
{
	static const uint32_t gaps[] = { 1750, 701, 301, 132, 57, 23, 10, 4, 1 };

	for (unsigned g = 0; g < sizeof(gaps) / sizeof(gaps[0]); g++) {
		uint32_t gap = gaps[g];

		for (uint32_t i = gap; i < count; i++) {
			uint64_t key = keys[i];
			uint32_t to = i;

			for (; to >= gap && keys[to - gap] > key; to -= gap)
				keys[to] = keys[to - gap];
			keys[to] = key;
		}
	}
}

/* Put a list into the order of its keys. */
static void apply_key_order(struct tb_placer *placer, uint32_t *list,
			    uint32_t count)
{
	sort_key_list(placer->keys, count);
	memcpy(placer->moved, list, count * sizeof(*list));
	for (uint32_t i = 0; i < count; i++)
		list[i] = placer->moved[placer->keys[i] & KEY_PLACE_MASK];
}

/*
 * Where distances are known, load decides about the first NUMA node only.  The
 * others follow by their distance from it, equal ones in logical order.  The
 * first `count` elements of the list are the NUMA nodes.
 */
static void sort_list_by_distance(struct tb_placer *placer, uint32_t *list,
				  uint32_t count)
{
	const struct tb_topology *topology = placer->topology;
	uint32_t numa_nodes = tb_run_below(topology, 0, TB_CLASS_N).count;
	const unsigned *row =
		topology->distances +
		(size_t)numa_nodes *
			topology->nodes[list[0]].before[TB_CLASS_N];

	/* Logical order is the order of node indexes. */
	for (uint32_t i = 0; i < count; i++)
		placer->keys[i] = list[i];
	sort_key_list(placer->keys + 1, count - 1);
	for (uint32_t i = 0; i < count; i++)
		list[i] = (uint32_t)placer->keys[i];
	for (uint32_t i = 0; i < count; i++) {
		uint32_t numa = topology->nodes[list[i]].before[TB_CLASS_N];
		uint64_t distance = i ? (uint64_t)row[numa] + 1 : 0;

		/* The first stays first, before one at distance 0 too. */
		placer->keys[i] = distance << KEY_LOAD_SHIFT | i;
	}
	apply_key_order(placer, list, count);
}

static void sort_list_by_letter(struct tb_placer *placer, uint32_t *list,
				uint32_t count, char letter)
{
	const struct tb_topology *topology = placer->topology;
	char capital = tb_upper(letter);
	uint32_t matching = 0;

	for (uint32_t i = 0; i < count; i++) {
		bool matches = topology->nodes[list[i]].letter == capital;

		placer->keys[i] = i | (matches ? make_load_key(placer, list[i],
							       letter)
					       : KEY_OTHER_LETTER);
		matching += matches;
	}
	if (!matching)
		return;
	apply_key_order(placer, list, count);
	if (capital == 'N' && topology->distances)
		sort_list_by_distance(placer, list, matching);
}

static void sort_children(struct tb_placer *placer, uint32_t node)
{
	const struct tb_tree_node *parent = &placer->topology->nodes[node];
	uint32_t *list = placer->children + parent->first_child;

	memcpy(list, placer->topology->children + parent->first_child,
	       parent->nchildren * sizeof(*list));
	if (parent->nchildren > 1)
		for (const char *letter = placer->sort; *letter; letter++)
			sort_list_by_letter(placer, list, parent->nchildren,
					    *letter);
}

const uint32_t *tb_sorted_children(struct tb_placer *placer, uint32_t node)
{
	struct tb_siblings *siblings = &placer->siblings[node];
	uint32_t first = placer->topology->nodes[node].first_child;
	bool is_first_time = siblings->placement != placer->placement;

	if (is_first_time)
		*siblings = (struct tb_siblings){ placer->placement, 0 };
	if (!*placer->sort)
		return placer->topology->children + first;
	if (is_first_time)
		sort_children(placer, node);
	return placer->children + first;
}
