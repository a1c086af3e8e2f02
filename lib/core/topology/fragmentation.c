/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fragmentation.h"

#include "tree.h"

/* Between NUMA nodes without known distances; ACPI's number for "remote". */
#define USUAL_DISTANCE 20
/*
 * From the highest bits on: the level, the distance, which has no more bits
 * (distances.h), and how many objects of each letter are touched.  53 bits in all.
 */
#define LEVEL_SHIFT 50
#define DISTANCE_SHIFT 34
#define COUNT_FIELDS 4

static const struct count_field {
	enum tb_class class;
	unsigned shift, bits;
} count_fields[COUNT_FIELDS] = { { TB_CLASS_S, 28, 6 },
				 { TB_CLASS_N, 20, 8 },
				 { TB_CLASS_X, 10, 10 },
				 { TB_CLASS_Y, 0, 10 } };

enum { IN_CORE, IN_L2, IN_L3, IN_INNER, IN_OUTER, IN_NODE };

static bool is_broken_up(const struct tb_topology *topology, uint32_t node,
			 const struct tb_bitset *used,
			 const struct tb_bitset *not_free)
{
	struct tb_run run = tb_run_below(topology, node, TB_CLASS_THREAD);

	return tb_bitset_any_in_range(used, run.first, run.count) &&
	       tb_bitset_count_range(not_free, run.first, run.count) <
		       run.count;
}

static bool can_be_broken_up(const struct tb_tree_node *node)
{
	return node->letter != 'C' && node->letter != 'E';
}

/* Below an object that is all free or all in use nothing is broken up. */
uint32_t tb_broken_containers(const struct tb_topology *topology,
			      const struct tb_bitset *used,
			      const struct tb_bitset *not_free)
{
	uint32_t broken = 0, node = 0;

	while (node < topology->nnodes) {
		const struct tb_tree_node *at = &topology->nodes[node];

		if (can_be_broken_up(at) &&
		    is_broken_up(topology, node, used, not_free)) {
			broken++;
			node++;
		} else {
			node = at->end;
		}
	}
	return broken;
}

/* Only containers that have some of the threads become broken up, or full. */
int32_t tb_broken_more(const struct tb_topology *topology,
		       const struct tb_bitset *used,
		       const struct tb_bitset *more)
{
	uint32_t node = 0;
	int32_t broken = 0;

	while (node < topology->nnodes) {
		const struct tb_tree_node *at = &topology->nodes[node];
		struct tb_run run = tb_run_below(topology, node,
						 TB_CLASS_THREAD);
		uint32_t added = tb_bitset_count_range(more, run.first,
						       run.count);
		uint32_t before;

		if (!can_be_broken_up(at) || !added) {
			node = at->end;
			continue;
		}
		before = tb_bitset_count_range(used, run.first, run.count);
		broken += (before + added < run.count) - (before > 0);
		node++;
	}
	return broken;
}

/* The innermost object that holds all threads from first to last. */
static uint32_t find_smallest_around(const struct tb_topology *topology,
				     uint32_t first, uint32_t last)
{
	uint32_t node = 0, child = 1;

	while (child < topology->nodes[node].end) {
		struct tb_run run = tb_run_below(topology, child,
						 TB_CLASS_THREAD);

		if (first >= run.first && last < run.first + run.count) {
			node = child;
			child = node + 1;
		} else {
			child = topology->nodes[child].end;
		}
	}
	return node;
}

static bool has_numa_or_socket_below(const struct tb_topology *topology,
				     uint32_t node)
{
	for (uint32_t i = node + 1; i < topology->nodes[node].end; i++)
		if (topology->nodes[i].letter == 'N' ||
		    topology->nodes[i].letter == 'S')
			return true;
	return false;
}

static uint32_t get_distance_level(const struct tb_topology *topology,
				   uint32_t node)
{
	switch (topology->nodes[node].letter) {
	case 'C':
	case 'E':
		return IN_CORE;
	case 'Y':
		return IN_L2;
	case 'X':
		return IN_L3;
	case 'N':
	case 'S':
		return has_numa_or_socket_below(topology, node) ? IN_OUTER
								: IN_INNER;
	default:
		return IN_NODE;
	}
}

static bool has_thread_in(const struct tb_topology *topology,
			  enum tb_class class, uint32_t object,
			  const struct tb_bitset *threads)
{
	struct tb_run run = tb_threads_of_object(topology, class, object);

	return tb_bitset_any_in_range(threads, run.first, run.count);
}

static uint64_t find_largest_distance(const struct tb_topology *topology,
				      const struct tb_bitset *threads)
{
	uint32_t count = tb_topology_count(topology, 'N'), largest = 0;

	for (uint32_t a = 0; a < count; a++) {
		if (!has_thread_in(topology, TB_CLASS_N, a, threads))
			continue;
		for (uint32_t b = 0; b < a; b++) {
			uint32_t distance =
				topology->distances
					? topology->distances[a * count + b]
					: USUAL_DISTANCE;

			if (distance > largest &&
			    has_thread_in(topology, TB_CLASS_N, b, threads))
				largest = distance;
		}
	}
	return largest;
}

/* How many objects of the class below a node have one of the threads. */
static uint64_t count_touched(const struct tb_topology *topology, uint32_t node,
			      enum tb_class class,
			      const struct tb_bitset *threads)
{
	struct tb_run run = tb_run_below(topology, node, class);
	uint64_t touched = 0;

	for (uint32_t i = run.first; i < run.first + run.count; i++)
		touched += has_thread_in(topology, class, i, threads);
	return touched;
}

static uint64_t count_all_touched(const struct tb_topology *topology,
				  uint32_t node,
				  const struct tb_bitset *threads)
{
	uint64_t counts = 0;

	for (unsigned i = 0; i < COUNT_FIELDS; i++) {
		const struct count_field *field = &count_fields[i];
		uint64_t touched = count_touched(topology, node, field->class,
						 threads);
		uint64_t most = ((uint64_t)1 << field->bits) - 1;

		counts |= (touched < most ? touched : most) << field->shift;
	}
	return counts;
}

uint64_t tb_diameter(const struct tb_topology *topology,
		     const struct tb_bitset *threads)
{
	uint32_t first = tb_bitset_next(threads, 0), around;
	uint64_t level, distance = 0;

	if (first == threads->nbits)
		return 0;
	around = find_smallest_around(topology, first, tb_bitset_last(threads));
	level = get_distance_level(topology, around);
	if (level == IN_CORE)
		return 0;
	if (level > IN_INNER)
		distance = find_largest_distance(topology, threads);
	return level << LEVEL_SHIFT | distance << DISTANCE_SHIFT |
	       count_all_touched(topology, around, threads);
}
