/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units: their names in requests, and what they are on a node.
 */
#include <string.h>

#include "place.h"
#include "tree.h"
#include "unit.h"

static const struct {
	char letter;
	const char *power, *power_long; /* "X", "CX" */
	const char *efficiency;         /* "EX" */
} units[] = {
	{ 'T', "T", "CT", "ET" },
	{ 'C', "C", "C", "E" },
	{ 'S', "S", "CS", "ES" },
	{ 'X', "X", "CX", "EX" },
	{ 'Y', "Y", "CY", "EY" },
	{ 'N', "N", "CN", "EN" },
};
#define UNITS (sizeof(units) / sizeof(units[0]))

const char tb_unit_names[] = "T CT ET C E S CS ES X CX EX Y CY EY N CN EN";

bool tb_unit_parse(const char *name, struct tb_unit *unit)
{
	for (size_t i = 0; i < UNITS; i++) {
		bool efficiency = strcmp(name, units[i].efficiency) == 0;

		if (!efficiency && strcmp(name, units[i].power) != 0 &&
		    strcmp(name, units[i].power_long) != 0)
			continue;
		unit->letter = units[i].letter;
		unit->kind = efficiency ? TB_EFFICIENCY : TB_POWER;
		return true;
	}
	return false;
}

const char *tb_unit_name(struct tb_unit unit)
{
	size_t i = 0;

	while (i < UNITS - 1 && units[i].letter != unit.letter)
		i++;
	return unit.kind == TB_EFFICIENCY ? units[i].efficiency :
					    units[i].power;
}

enum tb_class tb_class_of_unit(const struct tb_topology *topology,
			       struct tb_unit unit)
{
	enum tb_class class = tb_class_of_letter(unit.letter);
	bool present = tb_run_below(topology, 0, class).count > 0;

	if (present || class == TB_CLASS_S || class >= TB_CLASS_CORE)
		return class;
	return class == TB_CLASS_Y ? TB_CLASS_CORE : TB_CLASS_S;
}

/* Does a set of threads have one of this kind in the run? */
static bool any_of_kind(const struct tb_topology *topology,
			const struct tb_bitset *threads, struct tb_run run,
			enum tb_core_kind kind)
{
	const struct tb_bitset *of_kind = topology->kind_threads[kind];
	unsigned end = run.first + run.count;
	unsigned thread = tb_bitset_next(threads, run.first);

	while (thread < end && !tb_bitset_test(of_kind, thread))
		thread = tb_bitset_next(threads, thread + 1);
	return thread < end;
}

static bool has_kind(const struct tb_topology *topology, enum tb_class class,
		     uint32_t object, enum tb_core_kind kind)
{
	if (class == TB_CLASS_THREAD)
		return tb_bitset_test(topology->kind_threads[kind], object);
	return topology->nodes[topology->objects[class][object]].kinds &
	       1u << kind;
}

bool tb_object_is_free(const struct tb_topology *topology, enum tb_class class,
		       uint32_t object, enum tb_core_kind kind,
		       const struct tb_bitset *used)
{
	struct tb_run run = tb_threads_of_object(topology, class, object);

	if (!has_kind(topology, class, object, kind))
		return false;
	/* The quick answer first: most objects are used wholly or not. */
	return !used || !tb_bitset_any_in_range(used, run.first, run.count) ||
	       !any_of_kind(topology, used, run, kind);
}

/*
 * Units of nested objects of one letter, N(N(C)(C)), cannot all be had at the
 * same time: an available one counts and those inside it do not.
 */
unsigned tb_units_available(const struct tb_topology *topology,
			    struct tb_unit unit, const struct tb_bitset *used)
{
	enum tb_class class = tb_class_of_unit(topology, unit);
	uint32_t objects = tb_run_below(topology, 0, class).count;
	unsigned available = 0;

	for (uint32_t i = 0; i < objects;) {
		if (!tb_object_is_free(topology, class, i, unit.kind, used)) {
			i++;
			continue;
		}
		available++;
		i = tb_object_after(topology, class, i);
	}
	return available;
}

void tb_units_of_threads(const struct tb_topology *topology,
			 struct tb_unit unit, uint32_t *unit_of)
{
	const struct tb_bitset *of_kind = topology->kind_threads[unit.kind];
	enum tb_class class = tb_class_of_unit(topology, unit);
	uint32_t objects = tb_run_below(topology, 0, class).count;

	for (uint32_t i = 0; i < topology->nthreads; i++)
		unit_of[i] = TB_NO_UNIT;
	for (uint32_t i = 0; i < objects;) {
		struct tb_run run = tb_threads_of_object(topology, class, i);

		if (!has_kind(topology, class, i, unit.kind)) {
			i++;
			continue;
		}
		for (uint32_t at = 0; at < run.count; at++)
			if (tb_bitset_test(of_kind, run.first + at))
				unit_of[run.first + at] = run.first;
		i = tb_object_after(topology, class, i);
	}
}

unsigned tb_units_total(const struct tb_topology *topology,
			struct tb_unit unit)
{
	return tb_units_available(topology, unit, NULL);
}

uint32_t tb_object_after(const struct tb_topology *topology,
			 enum tb_class class, uint32_t object)
{
	uint32_t node;

	if (class >= TB_CLASS_CORE)
		return object + 1;
	node = topology->objects[class][object];
	return topology->nodes[topology->nodes[node].end].before[class];
}
