/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any text as the machine that slurmd saved, which slurmstepd reads as root: its
 * numbers are in bounds, and no OS CPU is two threads.
 */
#include "fuzz.h"

#include "hwloc/machine_private.h"

static void check_memory(const struct tb_machine *machine,
			 const struct tb_bitset *threads)
{
	struct tb_bitset *all = tb_machine_memory(machine, TB_MEMORY_ALL);
	struct tb_bitset *near = tb_machine_memory_of_threads(machine, threads,
							      TB_MEMORY_ALL);

	FUZZ_CHECK(all && near);
	FUZZ_CHECK(tb_bitset_contains(all, near));
	FUZZ_CHECK(tb_bitset_is_empty(all) || !tb_bitset_is_empty(near));
	tb_bitset_destroy(all);
	tb_bitset_destroy(near);
}

/* Each thread has an OS CPU of its own. */
static void check_cpus(const struct tb_machine *machine)
{
	unsigned count = tb_topology_threads(tb_machine_topology(machine));
	struct tb_bitset *threads = tb_bitset_create(count);
	struct tb_bitset *cpus;

	FUZZ_CHECK(threads);
	tb_bitset_set_range(threads, 0, count);
	cpus = tb_machine_os_cpus_of_threads(machine, threads);
	FUZZ_CHECK(cpus && tb_bitset_count(cpus) == count);
	FUZZ_CHECK(cpus->nbits <= TB_MACHINE_OS_MAX);
	check_memory(machine, threads);
	tb_bitset_destroy(threads);
	tb_bitset_destroy(cpus);
}

static void check_numa_nodes(const struct tb_machine *machine)
{
	unsigned count = tb_machine_numa_nodes(machine);

	FUZZ_CHECK(count ==
		   tb_topology_count(tb_machine_topology(machine), 'N'));
	for (unsigned i = 0; i < count; i++)
		FUZZ_CHECK(tb_machine_numa_os_node(machine, i) <
			   TB_MACHINE_OS_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct tb_error err = { "" };
	struct tb_machine *machine = tb_machine_read_text("machine", text,
							  &err);

	if (machine) {
		check_cpus(machine);
		check_numa_nodes(machine);
	} else {
		FUZZ_CHECK(*err.text);
	}
	tb_machine_destroy(machine);
	free(text);
	return 0;
}
