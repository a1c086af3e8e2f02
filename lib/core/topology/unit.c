/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of units in requests, and what units are on a node.
 */
#include "unit.h"

#include <string.h>

#include "core/base/text.h"
#include "tree.h"

/* The words that people say; a unit can have several. */
#define NAMES_MAX 4

static const struct {
	char letter;
	/* The first is the one that is printed. */
	const char *power[NAMES_MAX], *efficiency[NAMES_MAX];
} units[] = {
	/* clang-format off */
	{ 'T', { "T", "CT", "thread" }, { "ET" } },
	{ 'C', { "C", "core", "pcore" }, { "E", "ecore" } },
	{ 'S', { "S", "CS", "socket" }, { "ES" } },
	{ 'X', { "X", "CX", "l3" }, { "EX" } },
	{ 'Y', { "Y", "CY", "l2" }, { "EY" } },
	{ 'N', { "N", "CN", "numa" }, { "EN" } },
	/* clang-format on */
};
#define UNITS (sizeof(units) / sizeof(units[0]))

const char tb_unit_names[] =
	"T CT ET C E S CS ES X CX EX Y CY EY N CN EN thread core pcore ecore l2 l3 numa socket";
const char tb_unit_allowed[] =
	"T (thread), C (core, pcore), E (ecore), Y (l2), X (l3), N (numa), S (socket); CT CY CX CN CS mean power cores, ET EY EX EN ES efficiency cores";

static bool is_one_of(const char *const names[NAMES_MAX], const char *name)
{
	for (int i = 0; i < NAMES_MAX && names[i]; i++)
		if (tb_text_is_word(name, strlen(name), names[i]))
			return true;
	return false;
}

bool tb_unit_parse(const char *name, struct tb_unit *unit)
{
	for (size_t i = 0; i < UNITS; i++) {
		bool efficiency = is_one_of(units[i].efficiency, name);

		if (!efficiency && !is_one_of(units[i].power, name))
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
	return unit.kind == TB_EFFICIENCY ? units[i].efficiency[0]
					  : units[i].power[0];
}

/*
 * Jobs cannot have all nested objects of one letter, N(N(C)(C)), at the same time:
 * an available object counts, and those inside it do not.
 */
unsigned tb_units_available_to(const struct tb_topology *topology,
			       struct tb_unit unit,
			       const struct tb_bitset *used,
			       const struct tb_bitset *masked, unsigned most)
{
	enum tb_class class = tb_class_of_unit(topology, unit);
	uint32_t objects = tb_run_below(topology, 0, class).count;
	unsigned available = 0;

	for (uint32_t i = 0; i < objects && available < most;) {
		if (!tb_object_is_free(topology, class, i, unit.kind, used) ||
		    (masked && !tb_object_runs_tasks(topology, class, i,
						     unit.kind, masked))) {
			i++;
			continue;
		}
		available++;
		i = tb_object_after(topology, class, i);
	}
	return available;
}

unsigned tb_units_available(const struct tb_topology *topology,
			    struct tb_unit unit, const struct tb_bitset *used,
			    const struct tb_bitset *masked)
{
	return tb_units_available_to(topology, unit, used, masked, UINT32_MAX);
}

/* Units have no threads in common, but where one lies in the other. */
void tb_units_fill_up(const struct tb_topology *topology, struct tb_unit unit,
		      struct tb_bitset *threads)
{
	enum tb_class class = tb_class_of_unit(topology, unit);
	uint32_t objects = tb_run_below(topology, 0, class).count;

	for (uint32_t i = 0; i < objects; i++) {
		struct tb_run run = tb_threads_of_object(topology, class, i);

		if (tb_bitset_any_in_range(threads, run.first, run.count))
			tb_bitset_set_range(threads, run.first, run.count);
	}
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

		if (!tb_object_has_kind(topology, class, i, unit.kind)) {
			i++;
			continue;
		}
		for (uint32_t at = run.first; at < run.first + run.count; at++)
			if (tb_bitset_test(of_kind, at))
				unit_of[at] = run.first;
		i = tb_object_after(topology, class, i);
	}
}

unsigned tb_units_total(const struct tb_topology *topology, struct tb_unit unit)
{
	return tb_units_available(topology, unit, NULL, NULL);
}
