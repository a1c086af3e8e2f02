/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of a topology, made once from letters and nesting.
 *
 * The parser fills in letter, parent, end and before[] of the nodes while it
 * reads; everything else follows from them here.
 */
#include "tree_build.h"

#include <stdlib.h>

#include "core/base/array.h"

_Static_assert((int)TB_CLASS_N == (int)TB_N && (int)TB_CLASS_S == (int)TB_S &&
		       (int)TB_CLASS_X == (int)TB_X &&
		       (int)TB_CLASS_Y == (int)TB_Y,
	       "a container's class is its place in the default nesting");

struct tb_topology *tb_tree_create(uint32_t most_nodes, uint32_t most_threads)
{
	struct tb_topology *topology = calloc(1, sizeof(*topology));

	if (!topology)
		return NULL;
	/* The root, and the element with the totals. */
	topology->nodes = calloc((size_t)most_nodes + 2,
				 sizeof(*topology->nodes));
	topology->thread_core = tb_array_create(most_threads,
						sizeof(*topology->thread_core));
	if (topology->nodes && topology->thread_core)
		return topology;
	tb_topology_destroy(topology);
	return NULL;
}

static int make_children_table(struct tb_topology *topology)
{
	struct tb_tree_node *nodes = topology->nodes;
	uint32_t next = 0;

	topology->children = calloc(topology->nnodes,
				    sizeof(*topology->children));
	if (!topology->children)
		return -1;
	for (uint32_t i = 1; i < topology->nnodes; i++)
		nodes[nodes[i].parent].nchildren++;
	for (uint32_t i = 0; i < topology->nnodes; i++) {
		nodes[i].first_child = next;
		next += nodes[i].nchildren;
		if (nodes[i].nchildren > topology->most_children)
			topology->most_children = nodes[i].nchildren;
		nodes[i].nchildren = 0; /* counted again below */
	}
	for (uint32_t i = 1; i < topology->nnodes; i++) {
		struct tb_tree_node *parent = &nodes[nodes[i].parent];

		topology->children[parent->first_child + parent->nchildren++] =
			i;
	}
	return 0;
}

static int make_objects_table(struct tb_topology *topology)
{
	for (unsigned class = 0; class <= TB_CLASS_CORE; ++class) {
		size_t count = tb_run_below(topology, 0, class).count;

		topology->objects[class] = tb_array_create(count,
							   sizeof(uint32_t));
		if (!topology->objects[class])
			return -1;
	}
	for (uint32_t i = 1; i < topology->nnodes; i++) {
		const struct tb_tree_node *node = &topology->nodes[i];
		enum tb_class class = tb_class_of_letter(node->letter);

		topology->objects[class][node->before[class]] = i;
	}
	return 0;
}

static int make_kind_tables(struct tb_topology *topology)
{
	struct tb_tree_node *nodes = topology->nodes;

	for (unsigned kind = 0; kind < 2; kind++) {
		topology->kind_threads[kind] = tb_bitset_create(
			topology->nthreads);
		topology->kind_cores[kind] = tb_bitset_create(topology->ncores);
		if (!topology->kind_threads[kind] ||
		    !topology->kind_cores[kind])
			return -1;
	}
	topology->core_ends = tb_bitset_create(topology->nthreads);
	if (!topology->core_ends)
		return -1;
	for (uint32_t core = 0; core < topology->ncores; core++) {
		uint32_t node = topology->objects[TB_CLASS_CORE][core];
		unsigned kind = nodes[node].letter == 'E' ? TB_EFFICIENCY
							  : TB_POWER;
		struct tb_run run = tb_run_below(topology, node,
						 TB_CLASS_THREAD);

		nodes[node].kinds = (uint8_t)(1u << kind);
		tb_bitset_set(topology->kind_cores[kind], core);
		tb_bitset_set(topology->core_ends, run.first + run.count - 1);
		tb_bitset_set_range(topology->kind_threads[kind], run.first,
				    run.count);
	}
	for (uint32_t i = topology->nnodes - 1; i > 0; i--)
		nodes[nodes[i].parent].kinds |= nodes[i].kinds;
	return 0;
}

static bool node_is_container(const struct tb_tree_node *node)
{
	return node->letter && tb_class_of_letter(node->letter) < TB_CLASS_CORE;
}

/* How many objects around this one have its letter. */
static uint32_t count_depth_in_letter(const struct tb_topology *topology,
				      uint32_t node)
{
	char letter = topology->nodes[node].letter;
	uint32_t depth = 0;

	while (node) {
		node = topology->nodes[node].parent;
		depth += topology->nodes[node].letter == letter;
	}
	return depth;
}

/*
 * Structured strings may nest N in S at one place and S in N at another.  Then the
 * first one in the string decides, so that the order is always the same.
 */
static void find_letter_order(const struct tb_topology *topology,
			      enum tb_outer order[TB_OUTERS])
{
	struct tb_nesting nesting = { { 0 } };

	for (uint32_t i = 1; i < topology->nnodes; i++) {
		uint32_t outer = topology->nodes[i].parent;
		enum tb_class class = tb_class_of_letter(
			topology->nodes[i].letter);

		if (class >= TB_CLASS_CORE)
			continue;
		for (; outer; outer = topology->nodes[outer].parent)
			tb_nesting_add(&nesting,
				       (enum tb_outer)tb_class_of_letter(
					       topology->nodes[outer].letter),
				       (enum tb_outer) class);
	}
	tb_nesting_order(&nesting, order);
}

static void count_in_level(struct tb_topology *topology, uint32_t node)
{
	struct tb_level *level = &topology->levels[topology->nodes[node].level];

	level->count++;
	for (unsigned class = 0; class < TB_CLASSES; ++class) {
		uint32_t count = tb_run_below(topology, node, class).count;

		if (count > level->most[class])
			level->most[class] = count;
	}
}

static int make_levels_table(struct tb_topology *topology)
{
	enum tb_outer order[TB_OUTERS];
	uint32_t depths[TB_OUTERS] = { 0 }; /* levels of each letter */
	uint32_t first[TB_OUTERS];	    /* its outermost level */
	struct tb_tree_node *nodes = topology->nodes;

	for (uint32_t i = 1; i < topology->nnodes; i++) {
		uint32_t depth;
		enum tb_class class = tb_class_of_letter(nodes[i].letter);

		if (!node_is_container(&nodes[i]))
			continue;
		depth = count_depth_in_letter(topology, i);
		nodes[i].level = (uint16_t)depth;
		if (depth + 1 > depths[class])
			depths[class] = depth + 1;
	}
	find_letter_order(topology, order);
	for (unsigned i = 0; i < TB_OUTERS; i++) {
		first[order[i]] = topology->nlevels;
		topology->nlevels += depths[order[i]];
	}
	topology->levels = tb_array_create(topology->nlevels,
					   sizeof(*topology->levels));
	if (!topology->levels)
		return -1;
	for (uint32_t i = 1; i < topology->nnodes; i++) {
		if (!node_is_container(&nodes[i]))
			continue;
		nodes[i].level += (uint16_t)
			first[tb_class_of_letter(nodes[i].letter)];
		topology->levels[nodes[i].level].letter = nodes[i].letter;
		count_in_level(topology, i);
	}
	return 0;
}

int tb_tree_finish(struct tb_topology *topology)
{
	if (make_children_table(topology) || make_objects_table(topology) ||
	    make_kind_tables(topology) || make_levels_table(topology))
		return -1;
	return 0;
}
