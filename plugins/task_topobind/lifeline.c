/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "task_topobind/lifeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "src/common/slurm_xlator.h"

#include "src/common/log.h"

#include "cgroup/abandoned.h"
#include "task_topobind/helper.h"
#include "task_topobind/locked_files.h"

#define DIRECTORY "topobind_steps"

/* Longer than a process takes to die, unless a device holds it. */
#define KILL_WAIT_MS 5000

/* Two paths, a line for each. */
#define TEXT_MAX 8192

struct tb_lifeline {
	struct tb_locked_file file;
};

/* ---- the end of a step ---- */

static bool end_cgroup(const char *top, const char *cgroup, const char *name)
{
	struct tb_error err;

	if (tb_abandoned_end(top, cgroup, KILL_WAIT_MS, &err) < 0) {
		error("topobind: step %s, whose slurmstepd is dead, is not "
		      "gone: %s", name, err.text);
		return false;
	}
	info("topobind: ended what was left of step %s, whose slurmstepd is "
	     "dead", name);
	return true;
}

/* A file that was not written to its end is from before anything ran. */
static bool end_step(int fd, const char *name)
{
	char text[TEXT_MAX + 1];
	ssize_t length = read(fd, text, TEXT_MAX);
	char *rest = text;
	const char *top, *cgroup;

	if (length < 0)
		return false;
	text[length] = '\0';
	top = strsep(&rest, "\n");
	cgroup = strsep(&rest, "\n");
	if (cgroup == NULL || rest == NULL)
		return true;
	return end_cgroup(top, cgroup, name);
}

/* ---- slurmstepd ---- */

static int write_lifeline(struct tb_lifeline *lifeline, const char *spool_dir,
			  const char *name, const char *text,
			  struct tb_error *err)
{
	const struct tb_locked_owner owner = { geteuid(), getegid() };
	struct tb_locked_dir dir;
	int rc;

	lifeline->file.fd = -1;
	if (tb_locked_dir_open(&dir, spool_dir, DIRECTORY, true, err) < 0)
		return -1;
	tb_locked_dir_sweep(&dir, end_step);
	rc = tb_locked_file_create(&lifeline->file, &dir, name, &owner, text,
				   err);
	tb_locked_dir_close(&dir);
	return rc;
}

struct tb_lifeline *tb_lifeline_create(const char *spool_dir, const char *name,
				       const char *top, const char *cgroup,
				       struct tb_error *err)
{
	struct tb_lifeline *lifeline = calloc(1, sizeof(*lifeline));
	char *text = NULL;

	if (lifeline == NULL ||
	    asprintf(&text, "%s\n%s\n", top, cgroup) < 0) {
		free(lifeline);
		tb_fail(err, "out of memory");
		return NULL;
	}
	if (write_lifeline(lifeline, spool_dir, name, text, err) < 0) {
		tb_lifeline_cut(lifeline);
		lifeline = NULL;
	}
	free(text);
	return lifeline;
}

void tb_lifeline_cut(struct tb_lifeline *lifeline)
{
	if (lifeline != NULL)
		tb_locked_file_remove(&lifeline->file);
	free(lifeline);
}

void tb_lifeline_leave(struct tb_lifeline *lifeline)
{
	if (lifeline != NULL)
		tb_locked_file_leave(&lifeline->file);
	free(lifeline);
}

/* ---- slurmd ---- */

/* Of the pipe of the helper that watches. */
static int slurmds_end = -1;

struct watch {
	const char *spool_dir;
	int inotify;
};

static int sweep(const char *spool_dir, struct tb_error *err)
{
	struct tb_locked_dir dir;

	if (tb_locked_dir_open(&dir, spool_dir, DIRECTORY, true, err) < 0)
		return -1;
	tb_locked_dir_sweep(&dir, end_step);
	tb_locked_dir_close(&dir);
	return 0;
}

static void sweep_and_tell(const char *spool_dir)
{
	struct tb_error err;

	if (sweep(spool_dir, &err) < 0)
		error("topobind: %s", err.text);
}

/* A file is closed when its slurmstepd ends, however it does. */
static void run(int slurmd, const void *what)
{
	const struct watch *watch = what;
	char events[4096];

	do {
		sweep_and_tell(watch->spool_dir);
	} while (!tb_helper_wait(slurmd, watch->inotify, -1) &&
		 read(watch->inotify, events, sizeof(events)) > 0);
}

static int add_watch(int inotify, const char *spool_dir, struct tb_error *err)
{
	char *path;
	int wd;

	if (asprintf(&path, "%s/" DIRECTORY, spool_dir) < 0)
		return tb_fail(err, "out of memory");
	wd = inotify_add_watch(inotify, path, IN_CLOSE_WRITE | IN_ONLYDIR |
			       IN_DONT_FOLLOW);
	if (wd < 0)
		tb_fail(err, "%.200s cannot be watched: %s", path,
			strerror(errno));
	free(path);
	return wd < 0 ? -1 : 0;
}

/* First the watch, then the helper sweeps: nothing falls between them. */
static int start_helper(const char *spool_dir, struct tb_error *err)
{
	struct watch watch = { spool_dir, inotify_init1(IN_CLOEXEC) };
	int rc = -1;

	if (watch.inotify < 0)
		return tb_fail(err, "nothing can be watched: %s",
			       strerror(errno));
	if (add_watch(watch.inotify, spool_dir, err) == 0) {
		slurmds_end = tb_helper_start(run, &watch, err);
		rc = slurmds_end < 0 ? -1 : 0;
	}
	close(watch.inotify);
	return rc;
}

int tb_lifelines_watch(const char *spool_dir, struct tb_error *err)
{
	tb_lifelines_unwatch();
	/* Which makes the directory, too. */
	return sweep(spool_dir, err) < 0 ? -1 : start_helper(spool_dir, err);
}

void tb_lifelines_unwatch(void)
{
	if (slurmds_end >= 0)
		close(slurmds_end);
	slurmds_end = -1;
}
