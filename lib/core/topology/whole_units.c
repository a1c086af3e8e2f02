/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "whole_units.h"

#include "tree.h"

const char *const tb_counted_names[TB_COUNTED_UNITS] = { "socket", "numa", "l3",
							 "l2" };

/* Has it no object of its class inside? */
static bool is_innermost(const struct tb_topology *topology,
			 enum tb_class class, uint32_t object)
{
	return tb_object_after(topology, class, object) == object + 1;
}

static bool has(const struct tb_bitset *threads, uint32_t thread)
{
	return threads && tb_bitset_test(threads, thread);
}

static bool is_whole(const struct tb_unit_holding *holding, struct tb_run run)
{
	bool any = false;

	for (uint32_t i = run.first; i < run.first + run.count; i++) {
		if (has(holding->others, i))
			return false;
		if (tb_bitset_test(holding->granted, i))
			any = true;
		else if (!has(holding->masked, i))
			return false;
	}
	return any;
}

/* holding NULL: all of the node. */
static uint32_t count_class(const struct tb_topology *topology,
			    enum tb_class class,
			    const struct tb_unit_holding *holding)
{
	uint32_t objects = tb_run_below(topology, 0, class).count, count = 0;

	for (uint32_t i = 0; i < objects; i++)
		count += is_innermost(topology, class, i) &&
			 (!holding ||
			  is_whole(holding,
				   tb_threads_of_object(topology, class, i)));
	return count;
}

static struct tb_unit_counts count_units(const struct tb_topology *topology,
					 const struct tb_unit_holding *holding)
{
	struct tb_unit_counts counts;

	for (unsigned kind = 0; kind < TB_COUNTED_UNITS; kind++)
		counts.of[kind] = count_class(topology,
					      tb_class_of_letter(
						      TB_COUNTED_LETTERS[kind]),
					      holding);
	return counts;
}

struct tb_unit_counts tb_units_of_node(const struct tb_topology *topology)
{
	return count_units(topology, NULL);
}

struct tb_unit_counts tb_whole_units(const struct tb_topology *topology,
				     const struct tb_unit_holding *holding)
{
	return count_units(topology, holding);
}
