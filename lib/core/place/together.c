/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "together.h"

#include "fewest.h"
#include "strategy.h"

bool tb_together_applies(const struct tb_placer *placer,
			 const struct tb_request *request, unsigned wanted)
{
	return wanted > 1 && request->type == TB_SLOT && !request->cpus &&
	       request->strategy == TB_PACKED && request->equal == TB_EQUAL &&
	       !placer->spread && !*placer->sort && !placer->start &&
	       !placer->stop && !placer->nested_units && !placer->use &&
	       !placer->devices && placer->outer_levels;
}

/* --- homes: the innermost containers that hold a slot ----------------------------- */

/* The containers of a level, or (level == nlevels) the cores. */
struct homes {
	uint32_t level;
	enum tb_class class;
	uint32_t count;
};

static struct homes find_homes(const struct tb_placer *placer, uint32_t level)
{
	const struct tb_topology *topology = placer->topology;
	struct homes homes = { .level = level, .class = TB_CLASS_CORE };

	if (level < topology->nlevels)
		homes.class = tb_class_of_letter(
			topology->levels[level].letter);
	homes.count = tb_run_below(topology, 0, homes.class).count;
	return homes;
}

/* False: of the same letter, but of another level. */
static bool get_home(const struct tb_placer *placer, const struct homes *homes,
		     uint32_t index, uint32_t *node)
{
	const struct tb_topology *topology = placer->topology;

	*node = topology->objects[homes->class][index];
	return homes->class == TB_CLASS_CORE ||
	       topology->nodes[*node].level == homes->level;
}

static uint32_t count_slots(const struct tb_placer *placer, uint32_t node)
{
	return tb_count_available(placer, node) / placer->amount;
}

static uint32_t count_slots_at_home(const struct tb_placer *placer,
				    const struct homes *homes)
{
	uint32_t slots = 0, node;

	for (uint32_t i = 0; i < homes->count; i++)
		if (get_home(placer, homes, i, &node))
			slots += count_slots(placer, node);
	return slots;
}

/* Returns how many slots the homes hold; 0: only the whole node holds one. */
static uint32_t find_innermost_homes(const struct tb_placer *placer,
				     struct homes *homes)
{
	uint32_t slots = 0;

	if (placer->class == TB_CLASS_THREAD) {
		*homes = find_homes(placer, placer->topology->nlevels);
		slots = count_slots_at_home(placer, homes);
	}
	for (uint32_t level = placer->outer_levels; !slots && level-- > 0;) {
		*homes = find_homes(placer, level);
		slots = count_slots_at_home(placer, homes);
	}
	return slots;
}

/* --- choosing among them ---------------------------------------------------------- */

/* Of the available units leave one in each home for each slot that it holds. */
static void show_slots_as_units(struct tb_placer *placer,
				const struct homes *homes)
{
	uint32_t node;

	tb_bitset_assign(placer->hidden, placer->available);
	tb_bitset_clear_all(placer->available);
	for (uint32_t i = 0; i < homes->count; i++) {
		struct tb_run units;
		uint32_t unit, slots;

		if (!get_home(placer, homes, i, &node))
			continue;
		units = tb_units_below(placer, node);
		slots = tb_bitset_count_range(placer->hidden, units.first,
					      units.count) /
			placer->amount;
		for (unit = units.first; slots; slots--) {
			unit = tb_bitset_next(placer->hidden, unit);
			tb_bitset_set(placer->available, unit++);
		}
	}
}

/* Give the last units back. */
static void untake(struct tb_placer *placer, uint32_t count)
{
	const struct tb_bitset *of_kind =
		placer->topology->kind_threads[placer->kind];

	for (; count; count--) {
		struct tb_run run =
			tb_unit_threads(placer,
					placer->taken[--placer->ntaken]);

		tb_bitset_andnot_range(placer->granted, of_kind, run.first,
				       run.count);
	}
}

/*
 * How many slots to take of each home, as placer->chosen, a unit for each: those
 * that one slot with so many units would have.
 */
static void choose_slots(struct tb_placer *placer, const struct homes *homes,
			 uint32_t slots)
{
	uint32_t amount = placer->amount;

	show_slots_as_units(placer, homes);
	tb_bitset_assign(placer->chosen, placer->available);
	placer->amount = slots;
	placer->per_slot = amount;
	tb_placer_forget_order(placer);
	tb_take_fewest(placer, 0);
	untake(placer, slots);
	placer->amount = amount;
	placer->per_slot = 1;
	tb_bitset_andnot(placer->chosen, placer->available);
	tb_bitset_assign(placer->available, placer->hidden);
	tb_placer_forget_order(placer);
}

static void take_chosen(struct tb_placer *placer, const struct homes *homes)
{
	uint32_t node;

	for (uint32_t i = 0; i < homes->count; i++) {
		struct tb_run units;
		uint32_t slots;

		if (!get_home(placer, homes, i, &node))
			continue;
		units = tb_units_below(placer, node);
		slots = tb_bitset_count_range(placer->chosen, units.first,
					      units.count);
		for (; slots && tb_take_packed_below(placer, node); slots--)
			placer->groups++;
	}
}

/* Slots of one unit: they are units of one slot. */
static void take_single_units(struct tb_placer *placer, unsigned wanted)
{
	uint32_t available = tb_count_available(placer, 0);

	placer->amount = available < wanted ? available : wanted;
	if (placer->amount)
		tb_take_fewest(placer, 0);
	placer->groups += placer->amount;
	placer->amount = 1;
}

/* Slots that need all homes, or the node, are taken one after the other. */
static bool take_in_turn(struct tb_placer *placer, uint32_t slots)
{
	for (; slots; slots--) {
		if (!tb_take_slot(placer, TB_PACKED))
			return false;
		placer->groups++;
	}
	return true;
}

void tb_take_together(struct tb_placer *placer, unsigned wanted)
{
	struct homes homes;

	if (placer->amount == 1) {
		take_single_units(placer, wanted - placer->groups);
		return;
	}
	while (placer->groups < wanted) {
		uint32_t left = wanted - placer->groups;
		uint32_t slots = find_innermost_homes(placer, &homes);

		if (slots > left) {
			choose_slots(placer, &homes, left);
			take_chosen(placer, &homes);
			return;
		}
		if (!take_in_turn(placer, slots ? slots : left))
			return;
	}
}
