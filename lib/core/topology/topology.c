/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a finished topology can be asked.
 */
#include "topology.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "distances.h"
#include "tree.h"

void tb_topology_destroy(struct tb_topology *topology)
{
	if (!topology)
		return;
	free(topology->nodes);
	free(topology->children);
	for (unsigned class = 0; class <= TB_CLASS_CORE; ++class)
		free(topology->objects[class]);
	free(topology->thread_core);
	for (unsigned kind = 0; kind < 2; kind++) {
		tb_bitset_destroy(topology->kind_threads[kind]);
		tb_bitset_destroy(topology->kind_cores[kind]);
	}
	tb_bitset_destroy(topology->core_ends);
	free(topology->levels);
	free(topology->distances);
	free(topology->os_cpus);
	free(topology);
}

/* Equal numbers of threads before each object are equal threads below it. */
bool tb_topology_same_shape(const struct tb_topology *a,
			    const struct tb_topology *b)
{
	if (a->nnodes != b->nnodes || a->nthreads != b->nthreads)
		return false;
	for (uint32_t i = 0; i < a->nnodes; i++)
		if (a->nodes[i].letter != b->nodes[i].letter ||
		    a->nodes[i].end != b->nodes[i].end ||
		    a->nodes[i].before[TB_CLASS_THREAD] !=
			    b->nodes[i].before[TB_CLASS_THREAD])
			return false;
	return true;
}

unsigned tb_topology_threads(const struct tb_topology *topology)
{
	return topology->nthreads;
}

unsigned tb_topology_cores(const struct tb_topology *topology)
{
	return topology->ncores;
}

static enum tb_core_kind get_kind_of_letter(char letter)
{
	return letter == 'E' ? TB_EFFICIENCY : TB_POWER;
}

unsigned tb_topology_count(const struct tb_topology *topology, char letter)
{
	enum tb_class class = tb_class_of_letter(letter);

	if (class == TB_CLASSES)
		return 0;
	if (class == TB_CLASS_CORE)
		return tb_bitset_count(
			topology->kind_cores[get_kind_of_letter(letter)]);
	return tb_run_below(topology, 0, class).count;
}

/* The core that is the index-th of its kind. */
static uint32_t find_core_of_kind(const struct tb_topology *topology,
				  enum tb_core_kind kind, unsigned index)
{
	const struct tb_bitset *cores = topology->kind_cores[kind];
	unsigned core = tb_bitset_next(cores, 0);

	while (index-- > 0)
		core = tb_bitset_next(cores, core + 1);
	return core;
}

void tb_topology_object(const struct tb_topology *topology, char letter,
			unsigned index, unsigned *first_thread,
			unsigned *threads)
{
	enum tb_class class = tb_class_of_letter(letter);
	struct tb_run run;

	if (class == TB_CLASS_CORE)
		index = find_core_of_kind(topology, get_kind_of_letter(letter),
					  index);
	run = tb_threads_of_object(topology, class, index);
	*first_thread = run.first;
	*threads = run.count;
}

unsigned tb_core_first_thread(const struct tb_topology *topology, unsigned core)
{
	return tb_threads_of_object(topology, TB_CLASS_CORE, core).first;
}

unsigned tb_core_threads(const struct tb_topology *topology, unsigned core)
{
	return tb_threads_of_object(topology, TB_CLASS_CORE, core).count;
}

enum tb_core_kind tb_core_kind(const struct tb_topology *topology,
			       unsigned core)
{
	uint32_t node = topology->objects[TB_CLASS_CORE][core];

	return get_kind_of_letter(topology->nodes[node].letter);
}

int tb_topology_set_distances(struct tb_topology *topology,
			      const unsigned *distances, unsigned count,
			      struct tb_error *err)
{
	unsigned numa_nodes = tb_topology_count(topology, 'N');
	unsigned *copy;

	if (count != numa_nodes)
		return tb_fail(
			err,
			"a matrix of distances for %u NUMA nodes does not fit a topology with %u N objects",
			count, numa_nodes);
	copy = tb_array_create((size_t)count * count, sizeof(*copy));
	if (!copy)
		return tb_fail(err, "out of memory");
	if (count)
		memcpy(copy, distances, (size_t)count * count * sizeof(*copy));
	free(topology->distances);
	topology->distances = copy;
	topology->distances_differ = tb_distances_differ(copy, count);
	return 0;
}

int tb_topology_set_os_cpus(struct tb_topology *topology,
			    const unsigned *os_cpus, struct tb_error *err)
{
	size_t size = topology->nthreads * sizeof(*os_cpus);
	unsigned *copy = malloc(size);

	if (!copy)
		return tb_fail(err, "out of memory");
	memcpy(copy, os_cpus, size);
	free(topology->os_cpus);
	topology->os_cpus = copy;
	return 0;
}

const unsigned *tb_topology_os_cpus(const struct tb_topology *topology)
{
	return topology->os_cpus;
}

/* Run by run of neighbours, whose threads are neighbours, too. */
void tb_threads_of_cores(const struct tb_topology *topology,
			 const struct tb_bitset *cores,
			 struct tb_bitset *threads)
{
	unsigned core = tb_bitset_next(cores, 0);

	tb_bitset_clear_all(threads);
	while (core < cores->nbits) {
		unsigned end = tb_bitset_next_clear(cores, core);
		uint32_t first = tb_core_first_thread(topology, core);

		tb_bitset_set_range(threads, first,
				    tb_core_first_thread(topology, end - 1) +
					    tb_core_threads(topology, end - 1) -
					    first);
		core = tb_bitset_next(cores, end);
	}
}

void tb_cores_of_threads(const struct tb_topology *topology,
			 const struct tb_bitset *threads,
			 struct tb_bitset *cores)
{
	unsigned thread = tb_bitset_next(threads, 0);

	tb_bitset_clear_all(cores);
	while (thread < topology->nthreads) {
		unsigned end = tb_bitset_next_clear(threads, thread);
		uint32_t first = topology->thread_core[thread];
		uint32_t last = topology->thread_core[end - 1];

		tb_bitset_set_range(cores, first, last + 1 - first);
		thread = tb_bitset_next(threads, end);
	}
}

unsigned tb_count_cores_with(const struct tb_topology *topology,
			     const struct tb_bitset *threads)
{
	uint64_t carry = 0, ends;
	struct tb_bitset word = { 64, &ends };
	unsigned count = 0;

	for (uint32_t i = 0; i < (topology->nthreads + 63) / 64; i++) {
		ends = tb_core_ends_with(topology->core_ends->words[i],
					 threads->words[i], &carry);
		count += tb_bitset_count(&word);
	}
	return count;
}

void tb_limit_threads(const struct tb_topology *topology, unsigned per_core,
		      struct tb_bitset *threads)
{
	unsigned passed = 0;

	for (unsigned thread = 0; thread < topology->nthreads; thread++) {
		if (tb_bitset_test(threads, thread) && passed++ >= per_core)
			tb_bitset_clear(threads, thread);
		if (tb_bitset_test(topology->core_ends, thread))
			passed = 0;
	}
}
