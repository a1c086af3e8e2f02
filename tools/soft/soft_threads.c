/* SPDX-License-Identifier: GPL-2.0-or-later */
/* soft_threads.c - see soft_threads.h */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup/thread.h"
#include "soft_node.h"
#include "soft_threads.h"

struct process {
	pid_t pid;
	char *cgroup;
};

struct tb_soft_processes {
	struct process *process;
	size_t count;
};

/* ---- cgroups ---- */

/* "4:cpuset,cpu:/path" or, with v2, "0::/path" */
static const char *find_path(const char *line, bool *is_cpuset)
{
	const char *controllers = strchr(line, ':');
	const char *path = controllers ? strchr(controllers + 1, ':') : NULL;
	const char *named = controllers ? strstr(controllers, "cpuset") : NULL;

	if (!path)
		return NULL;
	*is_cpuset = named && named < path;
	return *is_cpuset || path == controllers + 1 ? path + 1 : NULL;
}

/* That of cpuset with v1, which comes first.  NULL: it has ended; the caller frees. */
static char *read_cgroup(pid_t pid)
{
	char name[40], *line = NULL, *cgroup = NULL;
	bool is_cpuset = false;
	size_t size = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/cgroup", (int)pid);
	file = fopen(name, "re");
	while (file && !is_cpuset && getline(&line, &size, file) > 0) {
		const char *path = find_path(line, &is_cpuset);

		if (!path)
			continue;
		free(cgroup);
		cgroup = strndup(path, strcspn(path, "\n"));
	}
	free(line);
	if (file)
		fclose(file);
	return cgroup;
}

/* ---- processes ---- */

static int add_process(struct tb_soft_processes *processes, pid_t pid)
{
	char *cgroup = read_cgroup(pid);
	struct process *more;

	if (!cgroup)
		return 0;
	more = reallocarray(processes->process, processes->count + 1,
			    sizeof(*more));
	if (!more) {
		free(cgroup);
		return -1;
	}
	more[processes->count++] = (struct process){ pid, cgroup };
	processes->process = more;
	return 0;
}

struct tb_soft_processes *tb_soft_processes_load(void)
{
	struct tb_soft_processes *processes = calloc(1, sizeof(*processes));
	DIR *proc = processes ? opendir("/proc") : NULL;
	struct dirent *entry;
	int rc = proc ? 0 : -1;

	while (!rc && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			rc = add_process(processes, (pid_t)atoi(entry->d_name));
	if (proc)
		closedir(proc);
	if (!rc)
		return processes;
	tb_soft_processes_destroy(processes);
	return NULL;
}

void tb_soft_processes_destroy(struct tb_soft_processes *processes)
{
	if (!processes)
		return;
	for (size_t i = 0; i < processes->count; i++)
		free(processes->process[i].cgroup);
	free(processes->process);
	free(processes);
}

/* ---- threads ---- */

/* Of a thread that has ended meanwhile there is nothing. */
static void add_thread(json_t *threads, pid_t pid, pid_t tid)
{
	struct tb_thread thread;
	char *cpus = tb_soft_cpus_now(tid);

	if (cpus && tb_thread_read(tid, &thread)) {
		json_t *row = json_pack("{s:i, s:i, s:s, s:i, s:I}", "thread",
					(int)tid, "pid", (int)pid, "cpus", cpus,
					"cpu", thread.cpu, "started",
					(json_int_t)thread.started);
		json_t *text = json_string(thread.name);

		/* A name need not be text. */
		json_object_set_new(row, "name",
				    text ? text : json_string("?"));
		json_array_append_new(threads, row);
	}
	free(cpus);
}

static void add_threads(json_t *threads, pid_t pid)
{
	char path[40];
	struct dirent *entry;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks)))
		if (isdigit((unsigned char)entry->d_name[0]))
			add_thread(threads, pid, (pid_t)atoi(entry->d_name));
	if (tasks)
		closedir(tasks);
}

static bool is_in(const char *path, const char *cgroup)
{
	size_t length = strlen(cgroup);

	return !strncmp(path, cgroup, length) &&
	       (!path[length] || path[length] == '/');
}

bool tb_soft_thread_is_in(pid_t tid, const char *cgroup)
{
	char *path = read_cgroup(tid);
	bool inside = path && is_in(path, cgroup);

	free(path);
	return inside;
}

json_t *tb_soft_threads(const struct tb_soft_processes *processes,
			const char *cgroup)
{
	json_t *threads = json_array();

	for (size_t i = 0; i < processes->count; i++)
		if (is_in(processes->process[i].cgroup, cgroup))
			add_threads(threads, processes->process[i].pid);
	return threads;
}
