/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "preferred.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CGROUP_FILE "cpuset.preferred_cpus"
#define THREAD_FILE "preferred_cpuset"
#define SWITCH_FILE "sys/kernel/sched_dynamic_affinity_disable"

/* As long as a number gets. */
#define NUMBER_MAX 24

/* No other file is made where the kernel has none. */
static int write_list(int dir, const char *name, const char *list,
		      struct tb_error *err)
{
	size_t length = strlen(list);
	int file = openat(dir, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	int rc = 1;

	if (file < 0 && errno == ENOENT)
		return 0;
	if (file < 0 || write(file, list, length) != (ssize_t)length)
		rc = tb_fail(err, "cannot write \"%.200s\" to %s: %s", list,
			     name, strerror(errno));
	if (file >= 0)
		close(file);
	return rc;
}

int tb_preferred_set_cgroup(const char *directory, const char *list,
			    struct tb_error *err)
{
	int dir = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc;

	if (dir < 0)
		return tb_fail(err, "cannot open %.300s: %s", directory,
			       strerror(errno));
	rc = write_list(dir, CGROUP_FILE, list, err);
	close(dir);
	return rc;
}

static int set_thread(DIR *threads, const char *name, const char *list,
		      struct tb_error *err)
{
	int dir = openat(dirfd(threads), name,
			 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int rc;

	/* Ended meanwhile. */
	if (dir < 0)
		return 0;
	rc = write_list(dir, THREAD_FILE, list, err);
	close(dir);
	return rc;
}

int tb_preferred_set_process(const char *proc, pid_t pid, const char *list,
			     struct tb_error *err)
{
	struct dirent *entry;
	DIR *threads;
	char *path;
	int all = 0, rc = 0;

	if (asprintf(&path, "%s/%jd/task", proc, (intmax_t)pid) < 0)
		return tb_fail(err, "out of memory");
	threads = opendir(path);
	free(path);
	if (threads == NULL)
		return tb_fail(err, "there is no process %jd", (intmax_t)pid);
	while (rc >= 0 && (entry = readdir(threads)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		rc = set_thread(threads, entry->d_name, list, err);
		all = rc > 0 ? 1 : all;
	}
	closedir(threads);
	return rc < 0 ? -1 : all;
}

/* The number in an open file; 0 when there is none. */
static uint64_t read_number(int file)
{
	char text[NUMBER_MAX + 1];
	ssize_t got = pread(file, text, NUMBER_MAX, 0);

	if (got <= 0)
		return 0;
	text[got] = '\0';
	return strtoull(text, NULL, 10);
}

bool tb_preferred_is_disabled(const char *proc)
{
	bool disabled;
	char *path;
	int file;

	if (asprintf(&path, "%s/" SWITCH_FILE, proc) < 0)
		return false;
	file = open(path, O_RDONLY | O_CLOEXEC);
	free(path);
	disabled = file >= 0 && read_number(file) != 0;
	if (file >= 0)
		close(file);
	return disabled;
}

/* ---- counters ---- */

enum { PREFERRED, ALLOWED, SMOOTHED, COUNTERS };

struct tb_preferred_counters {
	int file[COUNTERS];
};

struct tb_preferred_counters *tb_preferred_counters_open(const char *directory)
{
	static const char *const names[COUNTERS] = {
		[PREFERRED] = "cpuacct.nr_select_prefer_cpus",
		[ALLOWED] = "cpuacct.nr_select_allowed_cpus",
		[SMOOTHED] = "cpuacct.nr_smoothed_prefer_cpus",
	};
	struct tb_preferred_counters *counters = malloc(sizeof(*counters));
	int dir = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool whole = counters != NULL && dir >= 0;

	for (int i = 0; counters != NULL && i < COUNTERS; i++) {
		counters->file[i] = dir < 0 ? -1
					    : openat(dir, names[i],
						     O_RDONLY | O_NOFOLLOW |
							     O_CLOEXEC);
		whole = whole && counters->file[i] >= 0;
	}
	if (dir >= 0)
		close(dir);
	if (whole)
		return counters;
	tb_preferred_counters_close(counters);
	return NULL;
}

struct tb_soft_counts
tb_preferred_counters_read(const struct tb_preferred_counters *counters)
{
	return (struct tb_soft_counts){
		read_number(counters->file[PREFERRED]),
		read_number(counters->file[ALLOWED]),
		read_number(counters->file[SMOOTHED]),
	};
}

void tb_preferred_counters_close(struct tb_preferred_counters *counters)
{
	for (int i = 0; counters != NULL && i < COUNTERS; i++)
		if (counters->file[i] >= 0)
			close(counters->file[i]);
	free(counters);
}
