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
#define THRESHOLD_FILE "sys/kernel/sched_util_low_pct"
#define FEATURE "DA_UTIL_TASKGROUP"

/* As long as a number gets. */
#define NUMBER_MAX 24

/* No other file is made where the kernel has none; a thread may have ended. */
static int write_text(int dir, const char *name, const char *list,
		      struct tb_error *err)
{
	size_t length = strlen(list);
	int file = openat(dir, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	int rc = 1;

	if (file < 0 && errno == ENOENT)
		return 0;
	if (file < 0 || write(file, list, length) != (ssize_t)length)
		rc = file >= 0 && errno == ESRCH
			     ? 0
			     : tb_fail(err,
				       "cannot write \"%.200s\" to %.200s: %s",
				       list, name, strerror(errno));
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
	rc = write_text(dir, CGROUP_FILE, list, err);
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
	rc = write_text(dir, THREAD_FILE, list, err);
	close(dir);
	return rc;
}

/* Of a process that has ended there is nothing to write to. */
int tb_preferred_set_thread(const char *proc, pid_t tid, const char *list,
			    struct tb_error *err)
{
	char *path;
	int dir, rc;

	if (asprintf(&path, "%s/%jd/task/%jd", proc, (intmax_t)tid,
		     (intmax_t)tid) < 0)
		return tb_fail(err, "out of memory");
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(path);
	if (dir < 0)
		return 0;
	rc = write_text(dir, THREAD_FILE, list, err);
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

int tb_preferred_set_processes(const char *proc, const char *directory,
			       const char *list, struct tb_error *err)
{
	char *path, *line = NULL;
	int set = 0, failed = 0;
	size_t size = 0;
	FILE *procs;

	if (asprintf(&path, "%s/cgroup.procs", directory) < 0)
		return tb_fail(err, "out of memory");
	procs = fopen(path, "re");
	free(path);
	if (procs == NULL)
		return tb_fail(err, "cannot open cgroup.procs in %.300s: %s",
			       directory, strerror(errno));
	while (getline(&line, &size, procs) > 0) {
		int rc = tb_preferred_set_process(proc,
						  (pid_t)strtol(line, NULL, 10),
						  list, err);

		set += rc > 0;
		failed += rc < 0;
	}
	free(line);
	fclose(procs);
	if (set > 0)
		return 1;
	return failed > 0 ? -1 : 0;
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

/* The number in a file below proc; -1: there is no such file. */
static int64_t read_number_of(const char *proc, const char *name)
{
	int64_t number = -1;
	char *path;
	int file;

	if (asprintf(&path, "%s/%s", proc, name) < 0)
		return -1;
	file = open(path, O_RDONLY | O_CLOEXEC);
	free(path);
	if (file < 0)
		return -1;
	number = (int64_t)read_number(file);
	close(file);
	return number;
}

bool tb_preferred_is_disabled(const char *proc)
{
	return read_number_of(proc, SWITCH_FILE) > 0;
}

int tb_preferred_threshold(const char *proc)
{
	return (int)read_number_of(proc, THRESHOLD_FILE);
}

/* The kernel does not know it: it is as if the file was not there. */
static int write_feature(const char *features, enum tb_soft_count count,
			 struct tb_error *err)
{
	int rc = write_text(AT_FDCWD, features,
			    count == TB_SOFT_COUNT_JOB ? FEATURE
						       : "NO_" FEATURE,
			    err);

	return rc < 0 && errno == EINVAL ? 0 : rc;
}

int tb_preferred_tune(const char *proc, const char *features, unsigned low_pct,
		      enum tb_soft_count count, struct tb_error *err)
{
	char *path, number[NUMBER_MAX];
	int threshold, feature;

	if (asprintf(&path, "%s/" THRESHOLD_FILE, proc) < 0)
		return tb_fail(err, "out of memory");
	snprintf(number, sizeof(number), "%u\n", low_pct);
	threshold = write_text(AT_FDCWD, path, number, err);
	free(path);
	feature = write_feature(features, count, err);
	if (threshold < 0 || feature < 0)
		return -1;
	return threshold > 0 || feature > 0;
}

/* ---- counters ---- */

enum { PREFERRED, ALLOWED, SMOOTHED, COUNTERS };

struct tb_preferred_counters {
	int file[COUNTERS];
};

static const char *const names[COUNTERS] = {
	[PREFERRED] = "cpuacct.nr_select_prefer_cpus",
	[ALLOWED] = "cpuacct.nr_select_allowed_cpus",
	[SMOOTHED] = "cpuacct.nr_smoothed_prefer_cpus",
};

/* To set it to zero, too, where that is allowed. */
static int open_counter(int dir, const char *name)
{
	int file = openat(dir, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	return file >= 0 ? file
			 : openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
}

struct tb_preferred_counters *tb_preferred_counters_open(const char *directory)
{
	struct tb_preferred_counters *counters = malloc(sizeof(*counters));
	int dir = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool whole = counters != NULL && dir >= 0;

	for (int i = 0; counters != NULL && i < COUNTERS; i++) {
		counters->file[i] = dir < 0 ? -1 : open_counter(dir, names[i]);
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

static void reset_counter(int file, bool wanted)
{
	if (wanted && pwrite(file, "0\n", 2, 0) < 0)
		return;
}

void tb_preferred_counters_reset(const struct tb_preferred_counters *counters,
				 const struct tb_preferred_which *which)
{
	reset_counter(counters->file[PREFERRED], which->preferred);
	reset_counter(counters->file[ALLOWED], which->allowed);
	reset_counter(counters->file[SMOOTHED], which->smoothed);
}

void tb_preferred_counters_close(struct tb_preferred_counters *counters)
{
	for (int i = 0; counters != NULL && i < COUNTERS; i++)
		if (counters->file[i] >= 0)
			close(counters->file[i]);
	free(counters);
}
