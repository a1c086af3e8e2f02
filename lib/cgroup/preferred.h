/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preferred.h - soft binding by the kernel itself (openEuler)
 *
 * There a cgroup v1 has a file cpuset.preferred_cpus, and each thread has
 * /proc/PID/task/TID/preferred_cpuset: CPUs that the scheduler chooses first,
 * inside those of the cpuset.  Processes inherit them.  Where both are, the
 * cgroup's is used.
 */
#ifndef TB_CGROUP_PREFERRED_H
#define TB_CGROUP_PREFERRED_H

#include <sys/types.h>

#include "core/error.h"

/*
 * Write a list of OS CPUs for the processes of a cgroup, by its directory, or for
 * all threads of a process; proc is where procfs is mounted.  1 done, 0 this
 * kernel does not have that, -1 with a sentence.
 */
int tb_preferred_set_cgroup(const char *directory, const char *list,
			    struct tb_error *err);
int tb_preferred_set_process(const char *proc, pid_t pid, const char *list,
			     struct tb_error *err);

#endif
