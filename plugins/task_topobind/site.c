/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "task_topobind/site.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/slurm_compat.h"

#include "src/common/log.h"
#include "src/common/xmalloc.h"

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* A copy has the time of what it was made from. */
static bool is_copied(const struct stat *original, const char *copy)
{
	struct stat status;

	return stat(copy, &status) == 0 &&
	       status.st_size == original->st_size &&
	       same_time(&status.st_mtim, &original->st_mtim);
}

static int copy_content(int from, int to, const struct stat *original)
{
	const struct timespec times[2] = { original->st_mtim,
					   original->st_mtim };
	off_t left = original->st_size;

	while (left > 0) {
		ssize_t sent = sendfile(to, from, NULL, (size_t)left);

		if (sent <= 0)
			return -1;
		left -= sent;
	}
	return futimens(to, times);
}

/* By a rename: steps start at the same time. */
static int copy_file(const char *path, const char *copy)
{
	struct stat original;
	char *temporary = NULL;
	int from = open(path, O_RDONLY | O_CLOEXEC), to = -1, rc = -1;

	if (from < 0 || fstat(from, &original) < 0)
		goto out;
	if (is_copied(&original, copy)) {
		rc = 0;
		goto out;
	}
	if (asprintf(&temporary, "%s.%d", copy, (int)getpid()) < 0) {
		temporary = NULL;
		goto out;
	}
	/* Of a slurmstepd that had this number before, and was killed. */
	unlink(temporary);
	to = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (to >= 0 && copy_content(from, to, &original) == 0)
		rc = rename(temporary, copy);
	if (to >= 0 && rc < 0)
		unlink(temporary);
out:
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	free(temporary);
	return rc;
}

struct tb_conf *tb_site_load(const char *copy, struct tb_error *err)
{
	char *path = tb_conf_path();
	struct tb_conf *site = tb_conf_read(path, err);

	if (site != NULL) {
		/* No file is right, too, and leaves nothing to go back to. */
		if (access(path, F_OK) < 0)
			unlink(copy);
		else if (copy_file(path, copy) < 0)
			error("topobind: %s cannot be copied to %s: %m", path,
			      copy);
	} else if (access(copy, F_OK) == 0) {
		error("topobind: %s; going on with what it was", err->text);
		site = tb_conf_read(copy, err);
	}
	xfree(path);
	return site;
}
