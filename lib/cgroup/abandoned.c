/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "abandoned.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libcgroup.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "cpuset.h"

#define CONTROLLER "cpuset"
/* Directories that nftw() may have open. */
#define OPEN_MAX_DIRS 8

static char *mount_point(const char *controller)
{
	char *mount = NULL;

	return cgroup_get_subsys_mount_point(controller, &mount) == 0 ? mount
								      : NULL;
}

/* How many processes are in one cgroup; the caller frees. */
static int read_procs(const char *path, pid_t **pids)
{
	char *name = strdup(path); /* libcgroup wants them writable */
	char controller[] = CONTROLLER;
	int count = 0;

	*pids = NULL;
	if (name == NULL ||
	    cgroup_get_procs(name, controller, pids, &count) != 0)
		count = 0;
	free(name);
	return count;
}

/* How many processes were in one cgroup; all have been killed. */
static unsigned kill_in(const char *path)
{
	pid_t *pids;
	int count = read_procs(path, &pids);

	/* 0 is one of another PID namespace: to kill that is to kill us. */
	for (int i = 0; i < count; i++)
		if (pids[i] > 0 && pids[i] != getpid())
			kill(pids[i], SIGKILL);
	free(pids);
	return (unsigned)count;
}

/* Is this process in the cgroup?  1 or 0. */
static unsigned has_self(const char *path)
{
	pid_t *pids;
	int count = read_procs(path, &pids);
	unsigned found = 0;

	for (int i = 0; i < count; i++)
		if (pids[i] == getpid())
			found = 1;
	free(pids);
	return found;
}

/* The sum over all cgroups of the tree.  libcgroup tells their full paths. */
static unsigned sum_below(const char *mount, const char *path,
			  unsigned (*visit)(const char *path))
{
	struct cgroup_file_info info;
	size_t prefix = strlen(mount);
	unsigned sum = 0;
	void *handle = NULL;
	int level, rc;

	rc = cgroup_walk_tree_begin(CONTROLLER, path, 0, &handle, &info,
				    &level);
	while (rc == 0) {
		if (info.type == CGROUP_FILE_TYPE_DIR &&
		    strncmp(info.full_path, mount, prefix) == 0)
			sum += visit(info.full_path + prefix);
		rc = cgroup_walk_tree_next(0, &handle, &info, level);
	}
	cgroup_walk_tree_end(&handle);
	return sum;
}

/* New ones may be forked meanwhile: until there are none. */
static int kill_all(const char *mount, const char *path, unsigned wait_ms,
		    struct tb_error *err)
{
	const struct timespec pause = { .tv_nsec = 1000 * 1000 };
	unsigned left = sum_below(mount, path, kill_in);

	for (unsigned waited = 0; left > 0 && waited < wait_ms; waited++) {
		nanosleep(&pause, NULL);
		left = sum_below(mount, path, kill_in);
	}
	if (left == 0)
		return 0;
	return tb_fail(err, "%u processes in the cgroup %s do not die", left,
		       path);
}

static int remove_directory(const char *path, const struct stat *status,
			    int type, struct FTW *where)
{
	(void)status;
	(void)where;
	if (type == FTW_DP)
		rmdir(path);
	return 0;
}

/* The directory and its parents, until one that is not empty. */
static void remove_up(char *dir, size_t top_length)
{
	char *slash;

	nftw(dir, remove_directory, OPEN_MAX_DIRS, FTW_DEPTH | FTW_PHYS);
	while ((slash = strrchr(dir, '/')) != NULL) {
		*slash = '\0';
		if (strlen(dir) <= top_length || rmdir(dir) < 0)
			return;
	}
}

/*
 * Slurm locks this directory while it makes or removes the cgroups of a job, so
 * that no parent goes away under a child to come.  -1: going on without.
 */
static int lock_hierarchy(const char *mount, const char *top)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s%s", mount, tb_cpuset_is_v2() ? top : "") < 0)
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(path);
	if (fd >= 0)
		flock(fd, LOCK_EX);
	return fd;
}

static void remove_in(const char *mount, const char *top, const char *path)
{
	char *dir;
	int fd;

	if (asprintf(&dir, "%s%s", mount, path) < 0)
		return;
	fd = lock_hierarchy(mount, top);
	remove_up(dir, strlen(mount) + strlen(top));
	if (fd >= 0)
		close(fd);
	free(dir);
}

/* cgroup v1 has a hierarchy for each controller, with the same paths. */
static void remove_everywhere(const char *top, const char *path)
{
	struct cgroup_mount_point info;
	void *handle = NULL;
	int rc = cgroup_get_controller_begin(&handle, &info);

	while (rc == 0) {
		remove_in(info.path, top, path);
		rc = cgroup_get_controller_next(&handle, &info);
	}
	cgroup_get_controller_end(&handle);
}

static bool is_below(const char *top, const char *path)
{
	size_t length = strlen(top);

	return top[0] == '/' && length > 1 && strncmp(top, path, length) == 0 &&
	       path[length] == '/' && path[length + 1] != '\0' &&
	       strstr(path, "/..") == NULL;
}

int tb_abandoned_end(const char *top, const char *path, unsigned wait_ms,
		     struct tb_error *err)
{
	char *mount, *dir;
	int rc;

	if (!is_below(top, path))
		return tb_fail(err, "%.100s is not a cgroup below %.100s", path,
			       top);
	/* Which looks for the hierarchies, too. */
	tb_cpuset_is_v2();
	mount = mount_point(CONTROLLER);
	if (mount == NULL)
		return tb_fail(err, "no cgroup hierarchy has the cpuset "
				    "controller");
	if (sum_below(mount, path, has_self) > 0) {
		free(mount);
		return 0;
	}
	rc = kill_all(mount, path, wait_ms, err);
	if (rc == 0)
		remove_everywhere(top, path);
	if (rc == 0 && asprintf(&dir, "%s%s", mount, path) >= 0) {
		if (access(dir, F_OK) == 0)
			rc = tb_fail(err, "the cgroup %s cannot be removed",
				     dir);
		free(dir);
	}
	free(mount);
	return rc;
}
