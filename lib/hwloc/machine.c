/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine.c - the data of a machine and its accessors; see machine.h */
#include <stdlib.h>

#include "machine_private.h"

void tb_machine_destroy(struct tb_machine *machine)
{
	if (!machine)
		return;
	for (unsigned i = 0; i < machine->memory_nodes; i++)
		tb_bitset_destroy(machine->memory[i].threads);
	free(machine->memory);
	free(machine->distances);
	free(machine->numa_os_nodes);
	free(machine->os_cpus);
	free(machine->string);
	tb_topology_destroy(machine->topology);
	free(machine);
}

struct tb_machine *tb_machine_create(const char *topology_text,
				     struct tb_error *err)
{
	struct tb_machine *machine = calloc(1, sizeof(*machine));

	if (!machine)
		goto no_memory;
	machine->topology = tb_topology_parse(topology_text, NULL, err);
	if (!machine->topology)
		goto fail;
	machine->numa_nodes = tb_topology_count(machine->topology, 'N');
	if (machine->numa_nodes > TB_MACHINE_NUMA_MAX) {
		tb_fail(err,
			"the topology has %u NUMA nodes, at most %u are supported",
			machine->numa_nodes, TB_MACHINE_NUMA_MAX);
		goto fail;
	}
	machine->string = tb_topology_print(machine->topology, NULL);
	machine->os_cpus = calloc(tb_topology_threads(machine->topology),
				  sizeof(*machine->os_cpus));
	/* One more, so that calloc() of nothing does not look like failure. */
	machine->numa_os_nodes = calloc(machine->numa_nodes + 1,
					sizeof(*machine->numa_os_nodes));
	if (!machine->string || !machine->os_cpus || !machine->numa_os_nodes)
		goto no_memory;
	return machine;

no_memory:
	tb_fail(err, "out of memory while making a machine");
fail:
	tb_machine_destroy(machine);
	return NULL;
}

int tb_machine_add_memory(struct tb_machine *machine, unsigned os_node,
			  enum tb_memory_kind kind,
			  const struct tb_bitset *threads, struct tb_error *err)
{
	struct tb_memory_node *memory;
	struct tb_bitset *copy = tb_bitset_copy(threads);

	memory = reallocarray(machine->memory, machine->memory_nodes + 1,
			      sizeof(*memory));
	if (memory)
		machine->memory = memory;
	if (!memory || !copy) {
		tb_bitset_destroy(copy);
		return tb_fail(err, "out of memory while making a machine");
	}
	memory[machine->memory_nodes].os_node = os_node;
	memory[machine->memory_nodes].kind = kind;
	memory[machine->memory_nodes].threads = copy;
	memory[machine->memory_nodes].size = 0;
	memory[machine->memory_nodes].has_address = false;
	machine->memory_nodes++;
	return 0;
}

/* Note a number; -1 when it is out of bounds or was there before. */
static int note_number(struct tb_bitset *seen, unsigned number,
		       const char *what, struct tb_error *err)
{
	if (number >= TB_MACHINE_OS_MAX)
		return tb_fail(
			err,
			"%s number %u is too large, numbers up to %u are supported",
			what, number, TB_MACHINE_OS_MAX - 1);
	if (tb_bitset_test(seen, number))
		return tb_fail(err, "%s number %u occurs twice", what, number);
	tb_bitset_set(seen, number);
	return 0;
}

static unsigned limit_of(const struct tb_bitset *seen)
{
	unsigned limit = 0;

	TB_BITSET_EACH(i, seen)
		limit = i + 1;
	return limit;
}

static int check_os_cpus(struct tb_machine *machine, struct tb_bitset *seen,
			 struct tb_error *err)
{
	for (unsigned i = 0; i < tb_topology_threads(machine->topology); i++)
		if (note_number(seen, machine->os_cpus[i], "OS CPU", err))
			return -1;
	machine->os_cpu_limit = limit_of(seen);
	return 0;
}

static int check_os_nodes(struct tb_machine *machine, struct tb_bitset *seen,
			  struct tb_error *err)
{
	tb_bitset_clear_all(seen);
	for (unsigned i = 0; i < machine->numa_nodes; i++)
		if (note_number(seen, machine->numa_os_nodes[i], "NUMA node",
				err))
			return -1;
	tb_bitset_clear_all(seen);
	for (unsigned i = 0; i < machine->memory_nodes; i++)
		if (note_number(seen, machine->memory[i].os_node, "memory node",
				err))
			return -1;
	machine->os_node_limit = limit_of(seen);
	return 0;
}

int tb_machine_finish(struct tb_machine *machine, struct tb_error *err)
{
	struct tb_bitset *seen = tb_bitset_create(TB_MACHINE_OS_MAX);
	int rc = -1;

	if (!seen)
		tb_fail(err, "out of memory while making a machine");
	else if (!check_os_cpus(machine, seen, err) &&
		 !check_os_nodes(machine, seen, err))
		rc = 0;
	tb_bitset_destroy(seen);
	if (!rc)
		rc = tb_topology_set_os_cpus(machine->topology,
					     machine->os_cpus, err);
	if (!rc && machine->distances)
		rc = tb_topology_set_distances(machine->topology,
					       machine->distances,
					       machine->numa_nodes, err);
	return rc;
}

const struct tb_topology *tb_machine_topology(const struct tb_machine *machine)
{
	return machine->topology;
}

const char *tb_machine_string(const struct tb_machine *machine)
{
	return machine->string;
}

unsigned tb_machine_os_cpu(const struct tb_machine *machine, unsigned thread)
{
	return machine->os_cpus[thread];
}

struct tb_bitset *
tb_machine_os_cpus_of_threads(const struct tb_machine *machine,
			      const struct tb_bitset *threads)
{
	struct tb_bitset *os_cpus = tb_bitset_create(machine->os_cpu_limit);

	if (!os_cpus)
		return NULL;
	TB_BITSET_EACH(i, threads)
		tb_bitset_set(os_cpus, machine->os_cpus[i]);
	return os_cpus;
}

unsigned tb_machine_numa_nodes(const struct tb_machine *machine)
{
	return machine->numa_nodes;
}

unsigned tb_machine_numa_os_node(const struct tb_machine *machine,
				 unsigned numa_node)
{
	return machine->numa_os_nodes[numa_node];
}

const unsigned *tb_machine_distances(const struct tb_machine *machine)
{
	return machine->distances;
}

unsigned tb_machine_speed(const struct tb_machine *machine)
{
	return machine->speed;
}

uint64_t tb_machine_numa_memory(const struct tb_machine *machine,
				unsigned numa_node)
{
	unsigned first, threads;
	uint64_t size = 0;

	tb_topology_object(machine->topology, 'N', numa_node, &first, &threads);
	for (unsigned i = 0; i < machine->memory_nodes; i++) {
		const struct tb_memory_node *memory = &machine->memory[i];

		if (memory->kind == TB_MEMORY_MAIN &&
		    tb_bitset_count(memory->threads) == threads &&
		    tb_bitset_count_range(memory->threads, first, threads) ==
			    threads)
			size += memory->size;
	}
	return size;
}

static void add_kinds(const struct tb_machine *machine, unsigned kinds,
		      struct tb_bitset *nodes)
{
	for (unsigned i = 0; i < machine->memory_nodes; i++)
		if (kinds & TB_MEMORY_BIT(machine->memory[i].kind))
			tb_bitset_set(nodes, machine->memory[i].os_node);
}

struct tb_bitset *tb_machine_memory(const struct tb_machine *machine,
				    unsigned kinds)
{
	struct tb_bitset *nodes = tb_bitset_create(machine->os_node_limit);

	if (nodes)
		add_kinds(machine, kinds, nodes);
	return nodes;
}

/* Memory as near to each thread of the machine as to any other. */
static bool is_common(const struct tb_memory_node *memory)
{
	return tb_bitset_count(memory->threads) == memory->threads->nbits;
}

/*
 * Add the main memory, common or not, that is local to at least one of the threads,
 * and to reached the threads that have it.
 */
static void add_local_main(const struct tb_machine *machine, bool common,
			   const struct tb_bitset *threads,
			   struct tb_bitset *nodes, struct tb_bitset *reached)
{
	for (unsigned i = 0; i < machine->memory_nodes; i++) {
		const struct tb_memory_node *memory = &machine->memory[i];

		if (memory->kind != TB_MEMORY_MAIN ||
		    is_common(memory) != common ||
		    !tb_bitset_intersects(memory->threads, threads))
			continue;
		tb_bitset_set(nodes, memory->os_node);
		tb_bitset_or(reached, memory->threads);
	}
}

/* Somebody named these kinds: they count even where they are common. */
static void add_local_kinds(const struct tb_machine *machine, unsigned kinds,
			    const struct tb_bitset *threads,
			    struct tb_bitset *nodes)
{
	for (unsigned i = 0; i < machine->memory_nodes; i++) {
		const struct tb_memory_node *memory = &machine->memory[i];

		if (kinds & TB_MEMORY_BIT(memory->kind) &&
		    tb_bitset_intersects(memory->threads, threads))
			tb_bitset_set(nodes, memory->os_node);
	}
}

static void add_near(const struct tb_machine *machine,
		     const struct tb_bitset *threads, unsigned kinds,
		     struct tb_bitset *nodes, struct tb_bitset *reached)
{
	const unsigned main_memory = TB_MEMORY_BIT(TB_MEMORY_MAIN);

	if (kinds & main_memory) {
		add_local_main(machine, false, threads, nodes, reached);
		if (!tb_bitset_contains(reached, threads))
			add_local_main(machine, true, threads, nodes, reached);
		if (tb_bitset_is_empty(nodes) ||
		    !tb_bitset_contains(reached, threads))
			add_kinds(machine, main_memory, nodes);
	}
	add_local_kinds(machine, kinds & ~main_memory, threads, nodes);
}

struct tb_bitset *tb_machine_memory_of_threads(const struct tb_machine *machine,
					       const struct tb_bitset *threads,
					       unsigned kinds)
{
	struct tb_bitset *nodes = tb_bitset_create(machine->os_node_limit);
	struct tb_bitset *reached = tb_bitset_create(threads->nbits);

	if (nodes && reached) {
		add_near(machine, threads, kinds, nodes, reached);
	} else {
		tb_bitset_destroy(nodes);
		nodes = NULL;
	}
	tb_bitset_destroy(reached);
	return nodes;
}

struct tb_gpu_numa *tb_machine_gpu_memory(const struct tb_machine *machine,
					  unsigned *count)
{
	struct tb_gpu_numa *list = calloc(machine->memory_nodes + 1,
					  sizeof(*list));

	*count = 0;
	for (unsigned i = 0; list && i < machine->memory_nodes; i++) {
		const struct tb_memory_node *memory = &machine->memory[i];

		if (memory->kind != TB_MEMORY_GPU || !memory->has_address)
			continue;
		list[(*count)++] = (struct tb_gpu_numa){ memory->os_node,
							 memory->address };
	}
	return list;
}
