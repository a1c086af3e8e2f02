/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads.c - every thread of every job on this machine
 *
 * A line for each: JOB STEP TASK PID TID CPUS NAME, where CPUS is the kernel's list
 * of the CPUs that it may run on.  Job, step and task are read from the path of
 * its cpuset cgroup (v1) or cgroup (v2): ".../job_1/step_0/user/task_0".  What has
 * no cgroup of a task, slurmstepd itself for one, has the task "-".
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The line of a file that begins with a prefix, without it; the caller frees. */
static char *line_of(const char *path, const char *prefix)
{
	char *line = NULL, *found = NULL;
	size_t size = 0;
	FILE *file = fopen(path, "r");

	if (!file)
		return NULL;
	while (!found && getline(&line, &size, file) > 0) {
		char *at = strstr(line, prefix);

		line[strcspn(line, "\n")] = '\0';
		if (at)
			found = strdup(at + strlen(prefix));
	}
	free(line);
	fclose(file);
	return found;
}

/* "-" where the path has no such part. */
static void print_part(const char *path, const char *name)
{
	const char *at = strstr(path, name);

	if (at)
		printf("%.*s ", (int)strcspn(at + strlen(name), "/"),
		       at + strlen(name));
	else
		printf("- ");
}

static char *line_of_thread(const char *pid, const char *tid, const char *file,
			    const char *prefix)
{
	char *path, *line;

	if (asprintf(&path, "/proc/%s/task/%s/%s", pid, tid, file) < 0)
		exit(2);
	line = line_of(path, prefix);
	free(path);
	return line;
}

static void print_thread(const char *pid, const char *tid)
{
	char *cgroup = line_of_thread(pid, tid, "cgroup", ":cpuset:");
	char *cpus = line_of_thread(pid, tid, "status", "Cpus_allowed_list:\t");
	char *comm = line_of_thread(pid, tid, "comm", "");

	if (!cgroup)
		cgroup = line_of_thread(pid, tid, "cgroup", "0::");
	if (cgroup && cpus && comm && strstr(cgroup, "/job_")) {
		print_part(cgroup, "/job_");
		print_part(cgroup, "/step_");
		print_part(cgroup, "/task_");
		printf("%s %s %s %s\n", pid, tid, cpus, comm);
	}
	free(cgroup);
	free(cpus);
	free(comm);
}

static void each_number(const char *path,
			void (*visit)(const char *parent, const char *name),
			const char *parent)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			visit(parent, entry->d_name);
	if (dir)
		closedir(dir);
}

static void print_process(const char *unused, const char *pid)
{
	char *path;

	(void)unused;
	if (asprintf(&path, "/proc/%s/task", pid) < 0)
		exit(2);
	each_number(path, print_thread, pid);
	free(path);
}

int main(void)
{
	each_number("/proc", print_process, NULL);
	return 0;
}
