/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "cgroup/preferred.h"

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
		return tb_fail(err, "process %jd is not there", (intmax_t)pid);
	while (rc >= 0 && (entry = readdir(threads)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		rc = set_thread(threads, entry->d_name, list, err);
		all = rc > 0 ? 1 : all;
	}
	closedir(threads);
	return rc < 0 ? -1 : all;
}
