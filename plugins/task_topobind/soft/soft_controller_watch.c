/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens to a step's CPUs and processes from outside.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgroup/system_cpus.h"

#include "soft_controller_private.h"

/* From a process up to its task: who has more between is not looked for. */
#define GENERATIONS 64

/* ---- CPUs ---- */

bool tb_soft_controller_watch_cpus(struct tb_soft_controller *s)
{
	struct tb_bitset *now = tb_system_cpus(TB_CPUS_ONLINE,
					       TB_REGISTRY_CPUS);
	bool changed;

	if (now == NULL)
		return false;
	changed = s->online == NULL || !tb_bitset_equal(now, s->online);
	tb_bitset_destroy(s->online);
	s->online = now;
	return changed;
}

/* ---- processes ---- */

/* /.../job_J/step_S, whatever is below. */
void tb_soft_controller_find_processes(struct tb_soft_controller *s)
{
	char *directory, *step, of_job[40];

	if (tb_cpuset_is_v2() || s->tasks == 0)
		return;
	directory = tb_cgroup_directory_of(s->task[0].pid, "freezer");
	snprintf(of_job, sizeof(of_job), "/job_%u/step_", s->id.job);
	step = directory != NULL ? strstr(directory, of_job) : NULL;
	if (step == NULL) {
		free(directory);
		return;
	}
	step += strlen(of_job);
	step[strcspn(step, "/")] = '\0';
	s->processes = directory;
}

static pid_t parent_of(pid_t pid)
{
	static const char key[] = "PPid:\t";
	char path[40], *line = NULL;
	pid_t parent = 0;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	while (file != NULL && getline(&line, &size, file) > 0)
		if (strncmp(line, key, strlen(key)) == 0) {
			parent = (pid_t)strtol(line + strlen(key), NULL, 10);
			break;
		}
	free(line);
	if (file != NULL)
		fclose(file);
	return parent;
}

/* Whose process is it?  Of one that has lost its parents: the first task's. */
static struct task *find_task(struct tb_soft_controller *s, pid_t pid)
{
	for (int i = 0; pid > 1 && i < GENERATIONS; i++) {
		for (unsigned j = 0; j < s->tasks; j++)
			if (s->task[j].pid == pid)
				return &s->task[j];
		pid = parent_of(pid);
	}
	return &s->task[0];
}

static bool is_in(const char *path, const char *cgroup)
{
	size_t length = strlen(cgroup);

	return strncmp(path, cgroup, length) == 0 &&
	       (path[length] == '\0' || path[length] == '/');
}

/* In that of any task: a task may have moved a process of another. */
static bool is_confined(const struct tb_soft_controller *s, const char *path)
{
	for (unsigned i = 0; i < s->tasks; i++)
		if (is_in(path, tb_cpuset_path(s->task[i].group.cpuset)))
			return true;
	return false;
}

/* Its number may be another's by now. */
static bool is_of_step(const struct tb_soft_controller *s, pid_t pid)
{
	char *directory = tb_cgroup_directory_of(pid, "freezer");
	bool is_of = directory != NULL && is_in(directory, s->processes);

	free(directory);
	return is_of;
}

/* slurmstepd is not held. */
static void confine_process(struct tb_soft_controller *s, pid_t pid)
{
	char *path = pid > 1 && pid != getpid() ? tb_cpuset_path_of(pid, NULL)
						: NULL;

	if (path != NULL && !is_confined(s, path) && is_of_step(s, pid))
		tb_cpuset_attach(find_task(s, pid)->group.cpuset, pid, NULL);
	free(path);
}

void tb_soft_controller_confine_again(struct tb_soft_controller *s)
{
	char *path, *line = NULL;
	size_t size = 0;
	FILE *procs;

	if (s->processes == NULL ||
	    asprintf(&path, "%s/cgroup.procs", s->processes) < 0)
		return;
	procs = fopen(path, "re");
	free(path);
	while (procs != NULL && getline(&line, &size, procs) > 0)
		confine_process(s, (pid_t)strtol(line, NULL, 10));
	free(line);
	if (procs != NULL)
		fclose(procs);
}
