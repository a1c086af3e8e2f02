/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "take.h"

#include "sort.h"

static bool any_available_below(const struct tb_placer *placer, uint32_t node)
{
	struct tb_run units = tb_units_below(placer, node);

	return tb_bitset_any_in_range(placer->available, units.first,
				      units.count);
}

/* Units inside a taken unit or around it are not available any more. */
static void close_nested(struct tb_placer *placer, uint32_t unit)
{
	const struct tb_topology *topology = placer->topology;
	uint32_t after = tb_object_after(topology, placer->class, unit);
	uint32_t node = topology->objects[placer->class][unit];

	tb_bitset_clear_range(placer->available, unit, after - unit);
	for (; node; node = topology->nodes[node].parent) {
		struct tb_run own = tb_units_of(placer, node);

		if (own.count)
			tb_bitset_clear(placer->available, own.first);
	}
}

static void close_unit(struct tb_placer *placer, uint32_t unit)
{
	if (placer->nested_units)
		close_nested(placer, unit);
	else
		tb_bitset_clear(placer->available, unit);
}

void tb_close_taken(struct tb_placer *placer)
{
	for (uint32_t i = 0; i < placer->ntaken; i++)
		close_unit(placer, placer->taken[i]);
}

void tb_take_unit(struct tb_placer *placer, uint32_t unit)
{
	const struct tb_topology *topology = placer->topology;
	struct tb_run threads = tb_unit_threads(placer, unit);

	close_unit(placer, unit);
	tb_bitset_or_range(placer->granted,
			   topology->kind_threads[placer->kind], threads.first,
			   threads.count);
	placer->taken[placer->ntaken++] = unit;
}

/* Is the unit available and, where jobs share units, is it the turn of its tier? */
static bool unit_is_next(const struct tb_placer *placer, uint32_t unit)
{
	const struct tb_bitset *of_kind;

	if (!tb_bitset_test(placer->available, unit))
		return false;
	if (!placer->use)
		return true;
	of_kind = placer->topology->kind_threads[placer->kind];
	unit = tb_bitset_next(of_kind, tb_unit_threads(placer, unit).first);
	return placer->use[unit].jobs == placer->tier;
}

void tb_take_units_below(struct tb_placer *placer, uint32_t node,
			 uint32_t *missing)
{
	struct tb_run own = tb_units_of(placer, node);
	uint32_t end = own.first + own.count;
	uint32_t count = placer->topology->nodes[node].nchildren;
	const uint32_t *children = tb_sorted_children(placer, node);
	struct tb_siblings *siblings = &placer->siblings[node];
	uint32_t unit = own.first;

	for (; *missing && unit < end; unit++) {
		if (!unit_is_next(placer, unit))
			continue;
		tb_take_unit(placer, unit);
		--*missing;
	}
	while (siblings->exhausted < count &&
	       !any_available_below(placer, children[siblings->exhausted]))
		siblings->exhausted++;
	for (uint32_t i = siblings->exhausted; *missing && i < count; i++)
		if (any_available_below(placer, children[i]))
			tb_take_units_below(placer, children[i], missing);
}
