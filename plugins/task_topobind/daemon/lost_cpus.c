/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lost_cpus.h"

#include <stdlib.h>

#include "cgroup/cpuset.h"
#include "cgroup/system_cpus.h"
#include "compat/task_compat.h"
#include "task_topobind/isolate/isolation.h"

static bool has(const struct tb_bitset *cpus, unsigned os_cpu)
{
	return os_cpu < cpus->nbits && tb_bitset_test(cpus, os_cpu);
}

/* Where hwloc was told of another machine (HWLOC_XMLFILE), its CPUs are not lost. */
static struct tb_bitset *find_lost_threads(const struct tb_machine *machine,
					   const struct tb_bitset *left,
					   const struct tb_bitset *present)
{
	unsigned count = tb_topology_threads(tb_machine_topology(machine));
	struct tb_bitset *lost = tb_bitset_create(count);

	for (unsigned thread = 0; lost != NULL && thread < count; thread++) {
		unsigned os_cpu = tb_machine_os_cpu(machine, thread);

		if (has(present, os_cpu) && !has(left, os_cpu))
			tb_bitset_set(lost, thread);
	}
	return lost;
}

static int print_lost(const struct tb_machine *machine,
		      const struct tb_bitset *left,
		      const struct tb_bitset *present, char **lost,
		      struct tb_error *err)
{
	struct tb_bitset *threads = find_lost_threads(machine, left, present);
	bool is_some = threads != NULL && !tb_bitset_is_empty(threads);

	if (is_some)
		*lost = tb_topology_print(tb_machine_topology(machine),
					  threads);
	tb_bitset_destroy(threads);
	return threads == NULL || (is_some && *lost == NULL)
		       ? tb_fail(err, "out of memory")
		       : 0;
}

int tb_lost_cpus_find(const struct tb_machine *machine, char **lost,
		      struct tb_error *err)
{
	char *cgroup = tb_daemon_cpuset();
	struct tb_bitset *left, *present;
	int rc = -1;

	*lost = NULL;
	if (cgroup == NULL)
		return tb_fail(err,
			       "the cpuset cgroup of Slurm's is not known");
	left = tb_isolation_read_cpus(tb_daemon_spool_dir(),
				      tb_cpuset_read_left, cgroup, err);
	present = tb_system_cpus(TB_CPUS_PRESENT, TB_CPUSET_OS_MAX);
	if (present == NULL)
		tb_fail(err, "the list of present CPUs cannot be read");
	else if (left != NULL)
		rc = print_lost(machine, left, present, lost, err);
	tb_bitset_destroy(present);
	tb_bitset_destroy(left);
	free(cgroup);
	return rc;
}
