/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "census.h"

#include <string.h>

#include "place.h"
#include "tree.h"
#include "unit.h"

static const char letters[] = "SNXYCT";
#define LETTERS 6

struct tb_unit tb_census_unit(unsigned kind)
{
	return (struct tb_unit){
		.letter = letters[kind % LETTERS],
		.kind = kind < LETTERS ? TB_POWER : TB_EFFICIENCY,
	};
}

/* ---- units of one kind ---- */

/* Is each of its threads of the kind in used? */
static bool is_full(const struct tb_topology *topology, enum tb_class class,
		    uint32_t object, enum tb_core_kind kind,
		    const struct tb_bitset *used)
{
	struct tb_run run = tb_threads_of_object(topology, class, object);
	const struct tb_bitset *of_kind = topology->kind_threads[kind];
	uint32_t end = run.first + run.count;
	uint32_t thread = tb_bitset_next(of_kind, run.first);

	while (thread < end && tb_bitset_test(used, thread))
		thread = tb_bitset_next(of_kind, thread + 1);
	return thread >= end;
}

/* Units among the objects of a run, of which those that are broken up. */
static struct tb_unit_census count_units(const struct tb_topology *topology,
					 enum tb_class class,
					 struct tb_run objects,
					 enum tb_core_kind kind,
					 const struct tb_bitset *used)
{
	struct tb_unit_census units = { 0 };
	uint32_t end = objects.first + objects.count;

	for (uint32_t i = objects.first; i < end;) {
		/* What has no core of the kind is none. */
		if (!tb_object_is_free(topology, class, i, kind, NULL)) {
			i++;
			continue;
		}
		units.total++;
		units.broken +=
			!tb_object_is_free(topology, class, i, kind, used) &&
			!is_full(topology, class, i, kind, used);
		i = tb_object_after(topology, class, i);
	}
	return units;
}

/* ---- blocks ---- */

/* No thread of the kind below is in used. */
static bool is_block(const struct tb_topology *topology, uint32_t node,
		     enum tb_core_kind kind, const struct tb_bitset *used)
{
	struct tb_run run = tb_run_below(topology, node, TB_CLASS_THREAD);
	const struct tb_bitset *of_kind = topology->kind_threads[kind];
	uint32_t end = run.first + run.count;
	uint32_t thread;

	if (!used || !tb_bitset_any_in_range(used, run.first, run.count))
		return true;
	thread = tb_bitset_next(used, run.first);
	while (thread < end && !tb_bitset_test(of_kind, thread))
		thread = tb_bitset_next(used, thread + 1);
	return thread >= end;
}

static void grow_largest(const struct tb_topology *topology, uint32_t node,
			 enum tb_core_kind kind, struct tb_census *census)
{
	for (unsigned i = 0; i < LETTERS; i++) {
		unsigned at = kind == TB_POWER ? i : i + LETTERS;
		enum tb_class class = tb_class_of_letter(letters[i]);
		uint32_t units = count_units(topology, class,
					     tb_run_below(topology, node,
							  class),
					     kind, NULL).total;

		if (units > census->units[at].largest)
			census->units[at].largest = units;
	}
}

/* What is inside a block is no larger one. */
static void find_blocks(const struct tb_topology *topology,
			enum tb_core_kind kind, const struct tb_bitset *used,
			struct tb_census *census)
{
	uint32_t node = 0;

	while (node < topology->nnodes) {
		const struct tb_node *at = &topology->nodes[node];

		if (!(at->kinds & 1u << kind)) {
			node = at->end;
		} else if (is_block(topology, node, kind, used)) {
			grow_largest(topology, node, kind, census);
			node = at->end;
		} else {
			node++;
		}
	}
}

/* A thread that is free while its core is not is a block of one. */
static void find_single_threads(struct tb_census *census)
{
	for (unsigned kind = 0; kind < TB_CENSUS_KINDS; kind++) {
		struct tb_unit_census *units = &census->units[kind];

		if (units->free && !units->largest)
			units->largest = 1;
	}
}

/* ---- fragments ---- */

static uint32_t cores_below(const struct tb_topology *topology, uint32_t node)
{
	return tb_run_below(topology, node, TB_CLASS_CORE).count;
}

/* The smallest container with several cores that the core is in. */
static uint32_t neighbourhood(const struct tb_topology *topology,
			      uint32_t core)
{
	uint32_t node = topology->objects[TB_CLASS_CORE][core];

	while (node && cores_below(topology, node) < 2)
		node = topology->nodes[node].parent;
	return node;
}

static bool is_used(const struct tb_topology *topology, uint32_t node,
		    const struct tb_bitset *used)
{
	struct tb_run run = tb_run_below(topology, node, TB_CLASS_THREAD);

	return used && tb_bitset_any_in_range(used, run.first, run.count);
}

static void count_cores(const struct tb_topology *topology,
			const struct tb_bitset *used, struct tb_census *census)
{
	census->cores = topology->ncores;
	for (uint32_t core = 0; core < topology->ncores; core++) {
		if (is_used(topology, topology->objects[TB_CLASS_CORE][core],
			    used))
			continue;
		census->free_cores++;
		census->fragments += is_used(topology,
					     neighbourhood(topology, core),
					     used);
	}
}

/* ---- all of it ---- */

void tb_census_take(const struct tb_topology *topology,
		    const struct tb_bitset *used, struct tb_census *census)
{
	memset(census, 0, sizeof(*census));
	for (unsigned at = 0; at < TB_CENSUS_KINDS; at++) {
		struct tb_unit unit = tb_census_unit(at);
		enum tb_class class = tb_class_of_letter(unit.letter);
		struct tb_run all = tb_run_below(topology, 0, class);

		/* A letter that is not there would mean another one. */
		if (!all.count)
			continue;
		census->units[at] = count_units(topology, class, all,
						unit.kind, used);
		census->units[at].free = tb_units_available(topology, unit,
							    used);
	}
	find_blocks(topology, TB_POWER, used, census);
	find_blocks(topology, TB_EFFICIENCY, used, census);
	find_single_threads(census);
	count_cores(topology, used, census);
}
