/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "census.h"

#include <string.h>

#include "tree.h"

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

/* Are all threads of the kind in an object used? */
static bool is_used_up(const struct tb_topology *topology, enum tb_class class,
		       uint32_t object, enum tb_core_kind kind,
		       const struct tb_bitset *used)
{
	struct tb_run run = tb_threads_of_object(topology, class, object);

	return tb_bitset_contains_range(used, topology->kind_threads[kind],
					run.first, run.count);
}

/* The units among the objects of a run, and those of them that are broken up. */
static struct tb_unit_census
count_units_of_kind(const struct tb_topology *topology, enum tb_class class,
		    struct tb_run objects, enum tb_core_kind kind,
		    const struct tb_bitset *used)
{
	struct tb_unit_census units = { 0 };
	uint32_t end = objects.first + objects.count;

	for (uint32_t i = objects.first; i < end;) {
		if (!tb_object_has_kind(topology, class, i, kind)) {
			i++;
			continue;
		}
		units.total++;
		units.broken += !tb_object_is_free(topology, class, i, kind,
						   used) &&
				!is_used_up(topology, class, i, kind, used);
		i = tb_object_after(topology, class, i);
	}
	return units;
}

/* ---- blocks ---- */

/* Is no thread of the kind below a node used? */
static bool is_free_block(const struct tb_topology *topology, uint32_t node,
			  enum tb_core_kind kind, const struct tb_bitset *used)
{
	struct tb_run run = tb_run_below(topology, node, TB_CLASS_THREAD);

	return !used ||
	       !tb_bitset_intersects_range(used, topology->kind_threads[kind],
					   run.first, run.count);
}

static void grow_largest(const struct tb_topology *topology, uint32_t node,
			 enum tb_core_kind kind, struct tb_census *census)
{
	for (unsigned i = 0; i < LETTERS; i++) {
		unsigned at = kind == TB_POWER ? i : i + LETTERS;
		enum tb_class class = tb_class_of_letter(letters[i]);
		uint32_t units = count_units_of_kind(topology, class,
						     tb_run_below(topology,
								  node, class),
						     kind, NULL)
					 .total;

		if (units > census->units[at].largest)
			census->units[at].largest = units;
	}
}

/* Inside a free block there is no larger one. */
static void find_blocks(const struct tb_topology *topology,
			enum tb_core_kind kind, const struct tb_bitset *used,
			struct tb_census *census)
{
	uint32_t node = 0;

	while (node < topology->nnodes) {
		const struct tb_tree_node *at = &topology->nodes[node];

		if (!(at->kinds & 1u << kind)) {
			node = at->end;
		} else if (is_free_block(topology, node, kind, used)) {
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

static uint32_t count_cores_below(const struct tb_topology *topology,
				  uint32_t node)
{
	return tb_run_below(topology, node, TB_CLASS_CORE).count;
}

/* The smallest container with several cores that the core is in. */
static uint32_t find_neighbourhood(const struct tb_topology *topology,
				   uint32_t core)
{
	uint32_t node = topology->objects[TB_CLASS_CORE][core];

	while (node && count_cores_below(topology, node) < 2)
		node = topology->nodes[node].parent;
	return node;
}

static bool has_used_thread(const struct tb_topology *topology, uint32_t node,
			    const struct tb_bitset *used)
{
	struct tb_run run = tb_run_below(topology, node, TB_CLASS_THREAD);

	return used && tb_bitset_any_in_range(used, run.first, run.count);
}

static void count_free_cores(const struct tb_topology *topology,
			     const struct tb_bitset *used,
			     struct tb_census *census)
{
	const uint32_t *nodes = topology->objects[TB_CLASS_CORE];

	census->cores = topology->ncores;
	for (uint32_t core = 0; core < topology->ncores; core++) {
		if (has_used_thread(topology, nodes[core], used))
			continue;
		census->free_cores++;
		census->fragments +=
			has_used_thread(topology,
					find_neighbourhood(topology, core),
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

		/* Without objects, the letter would mean another one. */
		if (!all.count)
			continue;
		census->units[at] = count_units_of_kind(topology, class, all,
							unit.kind, used);
		census->units[at].free = tb_units_available(topology, unit,
							    used);
	}
	find_blocks(topology, TB_POWER, used, census);
	find_blocks(topology, TB_EFFICIENCY, used, census);
	find_single_threads(census);
	count_free_cores(topology, used, census);
}
