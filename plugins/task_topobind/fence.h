/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fence.h - the cpuset cgroups of a step's tasks
 *
 * One cgroup for each task, limited when the task is there but has not started
 * its program, and checked by reading back.  With cgroup v1 it is made here, a
 * child of the step's, into which Slurm has put the task before.  With v2 Slurm
 * has made one for the task alone, which only needs its limits.
 */
#ifndef TB_TASK_FENCE_H
#define TB_TASK_FENCE_H

#include <sys/types.h>

#include "core/bitset.h"
#include "core/error.h"

struct tb_fence;

/* NULL when out of memory. */
struct tb_fence *tb_fence_create(unsigned tasks);

struct tb_fence_sets {
	const struct tb_bitset *os_cpus;
	const struct tb_bitset *os_nodes; /* NULL: all that the step may have */
	/*
	 * CPUs to which the fence may be moved later, os_cpus among them; NULL:
	 * it stays.  With v1 it is beside the user's cgroup then: below the
	 * step's it could have no other CPUs, and Slurm cannot start another step
	 * of a job that has more CPUs than were allocated.
	 */
	const struct tb_bitset *scope;
};

/*
 * Hold a process, and all its children to come, on some OS CPUs and on the
 * memory of some OS nodes.  -1 with a sentence in err when it cannot be done or
 * the kernel says otherwise.
 */
int tb_fence_hold(struct tb_fence *fence, unsigned task, pid_t pid,
		  const struct tb_fence_sets *sets, struct tb_error *err);

/*
 * The cgroup of a task whose fence moves, by that of its step: with v1
 * TOP/job_J.step_S.task_N.  The caller frees; NULL with a sentence.
 */
char *tb_fence_beside(const char *step, unsigned task, struct tb_error *err);

/*
 * Remove all cgroups, frees the fence (NULL is fine).  0, or -1 with a
 * sentence in err about the last one that could not be removed.
 */
int tb_fence_destroy(struct tb_fence *fence, struct tb_error *err);

#endif
