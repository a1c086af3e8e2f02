/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "abandoned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "clear.h"
#include "cpuset.h"
#include "hierarchy.h"

#define CONTROLLER "cpuset"

static char *mount_point(const char *controller)
{
	char *mount = NULL;

	return tb_hierarchy_mount(controller, &mount) == NULL ? mount : NULL;
}

/* cgroup v2, since Linux 5.14: all at once, also those that are being forked. */
static void kill_at_once(const char *dir)
{
	char *file;
	ssize_t n;
	int fd;

	if (asprintf(&file, "%s/cgroup.kill", dir) < 0)
		return;
	fd = open(file, O_WRONLY | O_CLOEXEC);
	free(file);
	if (fd < 0)
		return;
	/* Where that fails they are killed one by one. */
	n = write(fd, "1", 1);
	(void)n;
	close(fd);
}

/* -1 with errno. */
static int open_locked(const char *mount, const char *top)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s%s", mount, tb_cpuset_is_v2() ? top : "") < 0)
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(path);
	return fd;
}

static bool get_lock(int fd, const struct timespec *until)
{
	int rc = flock(fd, LOCK_EX | LOCK_NB);

	while (rc < 0 && !tb_clear_is_over(until)) {
		tb_clear_pause();
		rc = flock(fd, LOCK_EX | LOCK_NB);
	}
	return rc == 0;
}

/* Of a directory, up to one of so many characters, until one that is not empty. */
static void remove_empty_parents(char *dir, size_t top_length)
{
	char *slash;

	while ((slash = strrchr(dir, '/')) != NULL) {
		*slash = '\0';
		if (strlen(dir) <= top_length || rmdir(dir) < 0)
			break;
	}
}

/*
 * Slurm locks a directory while it makes or removes the cgroups of a job, so that no
 * parent goes away under a child to come.  But any user can lock it, and keep it:
 * what others have left does not wait for that.
 */
static int remove_parents(const char *mount, const char *top, char *dir,
			  const struct timespec *until, struct tb_error *err)
{
	int fd = open_locked(mount, top), rc = 0;

	if (fd < 0)
		return errno == ENOENT ? 0
				       : tb_fail(err, "%.300s: %s", mount,
						 strerror(errno));
	if (get_lock(fd, until))
		remove_empty_parents(dir, strlen(mount) + strlen(top));
	else
		rc = tb_fail(err, "somebody keeps the cgroups in %.300s locked",
			     mount);
	close(fd);
	return rc;
}

static int end_in(const char *mount, const char *top, const char *path,
		  unsigned wait_ms, struct tb_error *err)
{
	const struct timespec until = tb_clear_until(wait_ms);
	char *dir;
	int rc;

	if (asprintf(&dir, "%s%s", mount, path) < 0)
		return tb_fail(err, "out of memory");
	kill_at_once(dir);
	rc = tb_clear(dir, &until, err);
	if (rc == 0)
		rc = remove_parents(mount, top, dir, &until, err);
	free(dir);
	return rc;
}

/* What is ended, and how it went. */
struct ending {
	const char *top, *path;
	unsigned wait_ms;
	struct tb_error *err;
	int rc;
};

static int end_there(void *data, const char *mount)
{
	struct ending *ending = data;

	if (end_in(mount, ending->top, ending->path, ending->wait_ms,
		   ending->err) < 0)
		ending->rc = -1;
	return 0;
}

/*
 * cgroup v1 has a hierarchy for each controller, with the same paths.  The freezer
 * is the first: what is frozen there does not die.
 */
static int end_everywhere(const char *top, const char *path, unsigned wait_ms,
			  struct tb_error *err)
{
	struct ending ending = { top, path, wait_ms, err, 0 };
	char *freezer = mount_point("freezer");

	if (freezer != NULL)
		end_there(&ending, freezer);
	free(freezer);
	tb_hierarchy_each(end_there, &ending);
	return ending.rc;
}

static bool is_below(const char *top, const char *path)
{
	size_t length = strlen(top);

	return top[0] == '/' && length > 1 && strncmp(top, path, length) == 0 &&
	       path[length] == '/' && path[length + 1] != '\0' &&
	       strstr(path, "/..") == NULL;
}

static bool has_self(const char *path)
{
	char *own = tb_cpuset_path_of(getpid(), NULL);
	size_t length = strlen(path);
	bool has = own != NULL && strncmp(own, path, length) == 0 &&
		   (own[length] == '/' || own[length] == '\0');

	free(own);
	return has;
}

int tb_abandoned_end(const char *top, const char *path, unsigned wait_ms,
		     struct tb_error *err)
{
	char *mount;

	if (!is_below(top, path))
		return tb_fail(err, "%.100s is not a cgroup below %.100s", path,
			       top);
	/* Which looks for the hierarchies, too. */
	tb_cpuset_is_v2();
	mount = mount_point(CONTROLLER);
	if (mount == NULL)
		return tb_fail(err, "no cgroup hierarchy has the cpuset "
				    "controller");
	free(mount);
	return has_self(path) ? 0 : end_everywhere(top, path, wait_ms, err);
}
