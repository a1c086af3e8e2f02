/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preferred.h - soft binding by the kernel itself (openEuler)
 *
 * There a cgroup v1 has a file cpuset.preferred_cpus, and each thread has
 * /proc/PID/task/TID/preferred_cpuset: CPUs that the scheduler chooses first,
 * inside those of the cpuset.  Processes inherit them.  Where both are, the
 * cgroup's is used.  How often it chose which it counts for each cgroup of
 * controller cpuacct.
 */
#ifndef TB_CGROUP_PREFERRED_H
#define TB_CGROUP_PREFERRED_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/base/error.h"
#include "core/soft/soft.h"

/*
 * Write a list of OS CPUs for the processes of a cgroup, by its directory, or for
 * all threads of a process; proc is where procfs is mounted.  1 done, 0 this
 * kernel does not have that, -1 with a sentence.
 */
int tb_preferred_set_cgroup(const char *directory, const char *list,
			    struct tb_error *err);
int tb_preferred_set_process(const char *proc, pid_t pid, const char *list,
			     struct tb_error *err);

/*
 * Has the administrator switched it off, in sys/kernel?  Then the kernel treats
 * preferred CPUs like the others.
 */
bool tb_preferred_is_disabled(const char *proc);

/*
 * Counters of a cgroup by its directory, which are open until closed.  NULL:
 * this kernel has none there, or out of memory.
 */
struct tb_preferred_counters;
struct tb_preferred_counters *tb_preferred_counters_open(const char *directory);
struct tb_soft_counts
tb_preferred_counters_read(const struct tb_preferred_counters *counters);
void tb_preferred_counters_close(struct tb_preferred_counters *counters);

#endif
