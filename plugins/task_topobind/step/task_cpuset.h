/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_cpuset.h - the cpuset cgroups of a step's tasks
 *
 * One cgroup for each task, limited when the task is there but has not started
 * its program, and checked by reading back.  With cgroup v1 it is made here, a
 * child of the step's, into which Slurm has put the task before.  With v2 Slurm
 * has made one for the task alone, which only needs its limits.
 */
#ifndef TB_TASK_TOPOBIND_STEP_TASK_CPUSET_H
#define TB_TASK_TOPOBIND_STEP_TASK_CPUSET_H

#include <sys/types.h>

#include "core/base/bitset.h"
#include "core/base/error.h"

struct tb_task_cpusets;

/* NULL when out of memory. */
struct tb_task_cpusets *tb_task_cpusets_create(unsigned tasks);

struct tb_task_cpuset_sets {
	const struct tb_bitset *os_cpus;
	const struct tb_bitset *os_nodes; /* NULL: all that the step may have */
	/*
	 * CPUs that the task may get later, os_cpus among them; NULL: its CPUs
	 * stay.  With v1 the cgroup is beside the user's then: below the step's
	 * it could have no other CPUs, and Slurm cannot start another step of a
	 * job that has more CPUs than were allocated.
	 */
	const struct tb_bitset *scope;
};

/*
 * Hold a process, and all its children to come, on some OS CPUs and on the
 * memory of some OS nodes.  -1 with a sentence in err when it cannot be done or
 * the kernel says otherwise.
 */
int tb_task_cpusets_hold(struct tb_task_cpusets *cpusets, unsigned task,
			 pid_t pid, const struct tb_task_cpuset_sets *sets,
			 struct tb_error *err);

/*
 * The cgroup of a task whose CPUs change, by that of its step: with v1
 * TOP/job_J.step_S.task_N.  The caller frees; NULL with a sentence.
 */
char *tb_task_cpuset_beside(const char *step, unsigned task,
			    struct tb_error *err);

/*
 * End what is left in all cgroups, within a second for all together, remove them,
 * and free (NULL is fine).  0, or -1 with a sentence in err about the last one that
 * could not be removed.
 */
int tb_task_cpusets_destroy(struct tb_task_cpusets *cpusets,
			    struct tb_error *err);

#endif
