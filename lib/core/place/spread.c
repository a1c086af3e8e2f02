/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spread.h"

#include "sort.h"
#include "strategy.h"

static uint32_t find_level(const struct tb_placer *placer, char letter)
{
	uint32_t level = 0;

	while (level < placer->outer_levels &&
	       placer->topology->levels[level].letter != letter)
		level++;
	return level;
}

/* As for units, N and X mean S on a node without them. */
static char find_letter(const struct tb_topology *topology, char letter)
{
	enum tb_class class = tb_class_of_letter(letter);

	return tb_run_below(topology, 0, class).count ? letter : 'S';
}

void tb_spread_begin(struct tb_placer *placer, const struct tb_request *request)
{
	placer->spread = false;
	if (!request->spread || request->cpus || request->type == TB_HOST)
		return;
	placer->spread_level = find_level(placer, find_letter(placer->topology,
							      request->spread));
	placer->spread = placer->spread_level < placer->outer_levels;
}

void tb_spread_note_possible(struct tb_placer *placer)
{
	tb_bitset_assign(placer->possible, placer->available);
}

static bool is_container(const struct tb_placer *placer, uint32_t node)
{
	const struct tb_topology *topology = placer->topology;
	const struct tb_tree_node *at = &topology->nodes[node];
	char letter = topology->levels[placer->spread_level].letter;

	return at->letter == letter && at->level == placer->spread_level;
}

/* Could a slot lie in the container, whatever is in use? */
static bool could_hold(const struct tb_placer *placer, uint32_t node)
{
	struct tb_run units = tb_units_below(placer, node);

	return tb_bitset_count_range(placer->possible, units.first,
				     units.count) >= placer->amount;
}

/* A slot lies in one container, so its first unit tells which that is. */
static uint32_t count_slots(const struct tb_placer *placer, uint32_t node)
{
	struct tb_run units = tb_units_below(placer, node);
	uint32_t count = 0;

	for (uint32_t i = 0; i < placer->groups; i++)
		count += placer->taken[i * placer->amount] - units.first <
			 units.count;
	return count;
}

/* Of those below the root with the fewest slots the first that has room. */
struct turn {
	uint32_t slots; /* of the container with the fewest so far */
	uint32_t node;	/* TB_NO_NODE: none of these has room */
};

static void look_at(struct tb_placer *placer, uint32_t node, struct turn *turn)
{
	uint32_t slots;

	if (!could_hold(placer, node))
		return;
	slots = count_slots(placer, node);
	if (slots > turn->slots)
		return;
	if (slots < turn->slots)
		*turn = (struct turn){ slots, TB_NO_NODE };
	if (turn->node == TB_NO_NODE && tb_holds_amount(placer, node))
		turn->node = node;
}

/* Depth is bounded by TB_DEPTH_MAX. */
static void look_below(struct tb_placer *placer, uint32_t node,
		       struct turn *turn)
{
	const uint32_t *children;

	if (is_container(placer, node)) {
		look_at(placer, node, turn);
		return;
	}
	if (placer->topology->nodes[node].letter &&
	    tb_class_of_letter(placer->topology->nodes[node].letter) ==
		    TB_CLASS_CORE)
		return;
	children = tb_sorted_children(placer, node);
	for (uint32_t i = 0; i < placer->topology->nodes[node].nchildren; i++)
		look_below(placer, children[i], turn);
}

uint32_t tb_spread_next(struct tb_placer *placer)
{
	struct turn turn = { UINT32_MAX, TB_NO_NODE };

	look_below(placer, 0, &turn);
	return turn.node;
}
