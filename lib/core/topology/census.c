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

/* What is looked at; used and masked may be NULL. */
struct state {
	const struct tb_topology *topology;
	const struct tb_bitset *used, *masked;
};

static bool has_thread(const struct tb_bitset *set, uint32_t thread)
{
	return set && tb_bitset_test(set, thread);
}

/*
 * Of the threads of the kind in an object that are not masked, are some used, but not
 * all?
 */
static bool is_broken(const struct state *state, enum tb_class class,
		      uint32_t object, enum tb_core_kind kind)
{
	struct tb_run run = tb_threads_of_object(state->topology, class,
						 object);
	const struct tb_bitset *of_kind = state->topology->kind_threads[kind];
	bool used = false, free = false;

	if (tb_object_is_free(state->topology, class, object, kind,
			      state->used))
		return false;
	for (uint32_t thread = tb_bitset_next(of_kind, run.first);
	     thread < run.first + run.count && !(used && free);
	     thread = tb_bitset_next(of_kind, thread + 1)) {
		if (has_thread(state->masked, thread))
			continue;
		if (has_thread(state->used, thread))
			used = true;
		else
			free = true;
	}
	return used && free;
}

/* The units among the objects of a run, and those of them that are broken up. */
static struct tb_unit_census count_units_of_kind(const struct state *state,
						 enum tb_class class,
						 struct tb_run objects,
						 enum tb_core_kind kind)
{
	struct tb_unit_census units = { 0 };
	uint32_t end = objects.first + objects.count;

	for (uint32_t i = objects.first; i < end;) {
		if (!tb_object_runs_tasks(state->topology, class, i, kind,
					  state->masked)) {
			i++;
			continue;
		}
		units.total++;
		units.broken += is_broken(state, class, i, kind);
		i = tb_object_after(state->topology, class, i);
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

static void grow_largest(const struct state *state, uint32_t node,
			 enum tb_core_kind kind, struct tb_census *census)
{
	struct state idle = { state->topology, NULL, state->masked };

	for (unsigned i = 0; i < LETTERS; i++) {
		unsigned at = kind == TB_POWER ? i : i + LETTERS;
		enum tb_class class = tb_class_of_letter(letters[i]);
		struct tb_run run = tb_run_below(state->topology, node, class);
		uint32_t units =
			count_units_of_kind(&idle, class, run, kind).total;

		if (units > census->units[at].largest)
			census->units[at].largest = units;
	}
}

/* Inside a free block there is no larger one. */
static void find_blocks(const struct state *state, enum tb_core_kind kind,
			struct tb_census *census)
{
	const struct tb_topology *topology = state->topology;
	uint32_t node = 0;

	while (node < topology->nnodes) {
		const struct tb_tree_node *at = &topology->nodes[node];

		if (!(at->kinds & 1u << kind)) {
			node = at->end;
		} else if (is_free_block(topology, node, kind, state->used)) {
			grow_largest(state, node, kind, census);
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

static bool is_masked(const struct state *state, uint32_t core)
{
	return !tb_object_runs_tasks(state->topology, TB_CLASS_CORE, core,
				     tb_core_kind(state->topology, core),
				     state->masked);
}

static void count_free_cores(const struct state *state,
			     struct tb_census *census)
{
	const struct tb_topology *topology = state->topology;
	const struct tb_bitset *used = state->used;
	const uint32_t *nodes = topology->objects[TB_CLASS_CORE];

	for (uint32_t core = 0; core < topology->ncores; core++) {
		if (state->masked && is_masked(state, core))
			continue;
		census->cores++;
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
		    const struct tb_bitset *used,
		    const struct tb_bitset *masked, struct tb_census *census)
{
	struct state state = { topology, used, masked };

	memset(census, 0, sizeof(*census));
	for (unsigned at = 0; at < TB_CENSUS_KINDS; at++) {
		struct tb_unit unit = tb_census_unit(at);
		enum tb_class class = tb_class_of_letter(unit.letter);
		struct tb_run all = tb_run_below(topology, 0, class);

		/* Without objects, the letter would mean another one. */
		if (!all.count)
			continue;
		census->units[at] = count_units_of_kind(&state, class, all,
							unit.kind);
		census->units[at].free = tb_units_available(topology, unit,
							    used, masked);
	}
	find_blocks(&state, TB_POWER, census);
	find_blocks(&state, TB_EFFICIENCY, census);
	find_single_threads(census);
	count_free_cores(&state, census);
}
