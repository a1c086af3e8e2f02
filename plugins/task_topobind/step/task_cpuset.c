/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "task_cpuset.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup/clear.h"
#include "cgroup/cpuset.h"

/* What is left of a step takes a moment to die: for all of its tasks. */
#define REMOVE_WAIT_MS 1000

struct tb_task_cpusets {
	unsigned tasks;
	struct tb_cpuset **task;
};

struct tb_task_cpusets *tb_task_cpusets_create(unsigned tasks)
{
	struct tb_task_cpusets *cpusets = calloc(1, sizeof(*cpusets));

	if (cpusets == NULL)
		return NULL;
	cpusets->tasks = tasks;
	cpusets->task = calloc(tasks > 0 ? tasks : 1, sizeof(*cpusets->task));
	if (cpusets->task == NULL) {
		free(cpusets);
		return NULL;
	}
	return cpusets;
}

static struct tb_cpuset *create_below(const char *step, unsigned task,
				      struct tb_error *err)
{
	struct tb_cpuset *cpuset;
	char *name;

	if (strcmp(step, "/") == 0) {
		tb_fail(err,
			"Slurm has put task %u into no cpuset cgroup; see "
			"slurmd's log for the reason",
			task);
		return NULL;
	}
	if (asprintf(&name, "task_%u", task) < 0) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	cpuset = tb_cpuset_create(step, name, err);
	free(name);
	return cpuset;
}

/*
 * As long as the kernel's own masks can get: it refuses to tell a process's
 * CPUs into less room than it needs.
 */
static cpu_set_t *create_mask(void)
{
	cpu_set_t *mask = CPU_ALLOC(TB_CPUSET_OS_MAX);

	if (mask != NULL)
		CPU_ZERO_S(CPU_ALLOC_SIZE(TB_CPUSET_OS_MAX), mask);
	return mask;
}

static void add_to_mask(cpu_set_t *mask, const struct tb_bitset *os_cpus)
{
	size_t size = CPU_ALLOC_SIZE(TB_CPUSET_OS_MAX);

	TB_BITSET_EACH(cpu, os_cpus)
		CPU_SET_S(cpu, size, mask);
}

/*
 * A mask that task/affinity has set earlier stays in force inside the cpuset,
 * but a task is to have its whole slot: set the mask, too.  The kernel remembers
 * all of the mask and applies what the cpuset has of it, also when that moves.
 */
static int set_affinity(pid_t pid, const struct tb_task_cpuset_sets *sets,
			struct tb_error *err)
{
	size_t size = CPU_ALLOC_SIZE(TB_CPUSET_OS_MAX);
	cpu_set_t *wanted = create_mask();
	cpu_set_t *mask = create_mask();
	cpu_set_t *seen = create_mask();
	int rc = 0;

	if (wanted == NULL || mask == NULL || seen == NULL) {
		rc = tb_fail(err, "out of memory");
		goto out;
	}
	add_to_mask(wanted, sets->os_cpus);
	add_to_mask(mask, sets->scope != NULL ? sets->scope : sets->os_cpus);
	if (sched_setaffinity(pid, size, mask) < 0 ||
	    sched_getaffinity(pid, size, seen) < 0)
		rc = tb_fail(err, "the CPUs of process %jd cannot be set: %s",
			     (intmax_t)pid, strerror(errno));
	else if (!CPU_EQUAL_S(size, wanted, seen))
		rc = tb_fail(err,
			     "process %jd runs on other CPUs than those "
			     "that it was bound to",
			     (intmax_t)pid);
out:
	if (wanted != NULL)
		CPU_FREE(wanted);
	if (mask != NULL)
		CPU_FREE(mask);
	if (seen != NULL)
		CPU_FREE(seen);
	return rc;
}

/* The n-th slash of a path from its end; NULL: there are fewer. */
static const char *slash_from_end(const char *path, unsigned n)
{
	const char *at = path + strlen(path);

	while (n > 0 && at > path)
		n -= *--at == '/';
	return n == 0 ? at : NULL;
}

/* Slurm's v1 paths are TOP/uid_U/job_J/step_S. */
char *tb_task_cpuset_beside(const char *step, unsigned task,
			    struct tb_error *err)
{
	const char *user = slash_from_end(step, 3);
	const char *job = slash_from_end(step, 2);
	const char *last = slash_from_end(step, 1);
	char *path;

	if (user == NULL || user == step || strncmp(user, "/uid_", 5) != 0) {
		tb_fail(err,
			"Slurm has put task %u into no cpuset cgroup of a "
			"step but into %.200s; see slurmd's log",
			task, step);
		return NULL;
	}
	if (asprintf(&path, "%.*s%.*s.%s.task_%u", (int)(user - step), step,
		     (int)(last - job), job, last + 1, task) < 0) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	return path;
}

/* Without the cgroup of its own that Slurm 24.11 gives a task below the step. */
static char *copy_step_path(const char *path)
{
	char *step = strdup(path);
	char *last = step != NULL ? strrchr(step, '/') : NULL;

	if (last != NULL && strncmp(last, "/task_", strlen("/task_")) == 0)
		*last = '\0';
	return step;
}

static struct tb_cpuset *create_beside(const char *from, unsigned task,
				       struct tb_error *err)
{
	char *step = copy_step_path(from);
	char *path = tb_task_cpuset_beside(step != NULL ? step : from, task,
					   err);
	struct tb_cpuset *cpuset;
	char *name;

	free(step);
	if (path == NULL)
		return NULL;
	name = strrchr(path, '/');
	*name++ = '\0';
	cpuset = tb_cpuset_create(path, name, err);
	free(path);
	return cpuset;
}

/*
 * cgroup v1: a cgroup of ours, and the task moves there.  Its memory is to
 * follow later changes only: what it has now is slurmstepd's.
 */
static int limit_new_cpuset(struct tb_task_cpusets *cpusets, unsigned task,
			    const char *step, pid_t pid,
			    const struct tb_task_cpuset_sets *sets,
			    struct tb_error *err)
{
	cpusets->task[task] = sets->scope != NULL
				      ? create_beside(step, task, err)
				      : create_below(step, task, err);
	if (cpusets->task[task] == NULL ||
	    tb_cpuset_set(cpusets->task[task], sets->os_cpus, sets->os_nodes,
			  err) < 0 ||
	    tb_cpuset_attach(cpusets->task[task], pid, err) < 0)
		return -1;
	return sets->os_nodes == NULL
		       ? 0
		       : tb_cpuset_migrate_memory(cpusets->task[task], err);
}

/* cgroup v2: the task is alone in a cgroup of Slurm's. */
static int limit_cpuset(const char *path,
			const struct tb_task_cpuset_sets *sets,
			struct tb_error *err)
{
	struct tb_cpuset *cpuset = tb_cpuset_open(path, err);
	int rc;

	if (cpuset == NULL)
		return -1;
	rc = tb_cpuset_set(cpuset, sets->os_cpus, sets->os_nodes, err);
	tb_cpuset_destroy(cpuset);
	return rc;
}

int tb_task_cpusets_hold(struct tb_task_cpusets *cpusets, unsigned task,
			 pid_t pid, const struct tb_task_cpuset_sets *sets,
			 struct tb_error *err)
{
	char *path = tb_cpuset_path_of(pid, err);
	int rc;

	if (path == NULL)
		return -1;
	if (tb_cpuset_is_v2())
		rc = limit_cpuset(path, sets, err);
	else
		rc = limit_new_cpuset(cpusets, task, path, pid, sets, err);
	free(path);
	return rc < 0 ? rc : set_affinity(pid, sets, err);
}

int tb_task_cpusets_destroy(struct tb_task_cpusets *cpusets,
			    struct tb_error *err)
{
	const struct timespec until = tb_clear_until(REMOVE_WAIT_MS);
	int rc = 0;

	if (cpusets == NULL)
		return 0;
	for (unsigned i = 0; i < cpusets->tasks; i++) {
		if (cpusets->task[i] == NULL)
			continue;
		if (tb_cpuset_remove(cpusets->task[i], &until, err) < 0)
			rc = -1;
		tb_cpuset_destroy(cpusets->task[i]);
	}
	free(cpusets->task);
	free(cpusets);
	return rc;
}
