/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "step_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "src/common/slurm_xlator.h"

#include "src/common/log.h"

#include "cgroup/abandoned.h"
#include "helper.h"
#include "files/locked_dir.h"

#define DIRECTORY "topobind_steps"

/* Longer than a process takes to die, unless something holds it. */
#define KILL_WAIT_MS 100

/* What does not die is tried again, each time after twice as long, at most: */
#define LONGEST_PAUSE_MS 60000
#define TELL_PAUSE_MS (64 * KILL_WAIT_MS)

/* A step that is run again takes the place of what is left of its former run. */
#define REPLACE_WAIT_MS 1000

/* A killed slurmstepd closes its files one after the other. */
#define CLOSE_WAIT_MS 100

/* The kernel tells of a closed file before it gives up the file's lock. */
#define SECOND_LOOK_MS 1000

struct tb_step_watch {
	struct tb_locked_file file;
};

/* ---- the end of a step ---- */

/* In the process that watches. */
static bool has_ended;	  /* a step, since it has tidied */
static bool has_left;	  /* something, in this round */
static unsigned pause_ms; /* until the next; 0: nothing was left */

static bool end_cgroup(const char *top, const char *cgroup, const char *name)
{
	struct tb_error err;

	has_ended = true;
	if (tb_abandoned_end(top, cgroup, KILL_WAIT_MS, &err) == 0)
		return true;
	has_left = true;
	/* Most that does not die at once does so soon. */
	if (pause_ms == TELL_PAUSE_MS || pause_ms == LONGEST_PAUSE_MS)
		error("topobind: step %s, whose slurmstepd is dead, cannot be ended: %s",
		      name, err.text);
	return false;
}

/* A line without its newline; false at the end. */
static bool read_line(FILE *file, char **line, size_t *size)
{
	ssize_t length = getline(line, size, file);

	if (length <= 0 || (*line)[length - 1] != '\n')
		return false;
	(*line)[length - 1] = '\0';
	return true;
}

/* A file that was not written to its end is from before anything ran. */
static bool end_cgroups(FILE *file, const char *name)
{
	char *top = NULL, *cgroup = NULL;
	size_t top_size = 0, size = 0;
	bool ended = true;

	if (read_line(file, &top, &top_size)) {
		while (read_line(file, &cgroup, &size))
			ended = end_cgroup(top, cgroup, name) && ended;
		if (ended)
			info("topobind: ended the processes of step %s, whose "
			     "slurmstepd is dead",
			     name);
	}
	free(top);
	free(cgroup);
	return ended;
}

/* Closing the stream closes its descriptor: it gets one of its own. */
static bool end_step(int fd, const char *name)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *file = copy >= 0 ? fdopen(copy, "r") : NULL;
	bool ended;

	if (file == NULL) {
		if (copy >= 0)
			close(copy);
		return false;
	}
	ended = end_cgroups(file, name);
	fclose(file);
	return ended;
}

/* ---- slurmstepd ---- */

static int write_file(struct tb_step_watch *watch, const char *spool_dir,
		      const char *name, const char *text, struct tb_error *err)
{
	struct tb_locked_dir dir;
	int rc;

	watch->file.fd = -1;
	if (tb_locked_dir_enter(&dir, spool_dir, DIRECTORY, TB_DIR_SEARCHABLE,
				true, err) < 0)
		return -1;
	tb_locked_dir_replace(&dir, name, REPLACE_WAIT_MS);
	rc = tb_locked_file_create(&watch->file, &dir, name, text, err);
	tb_locked_dir_close(&dir);
	return rc;
}

struct tb_step_watch *tb_step_watch_create(const char *spool_dir,
					   const char *name, const char *top,
					   const char *cgroups,
					   struct tb_error *err)
{
	struct tb_step_watch *watch = calloc(1, sizeof(*watch));
	char *text = NULL;

	if (watch == NULL || asprintf(&text, "%s\n%s", top, cgroups) < 0) {
		free(watch);
		tb_fail(err, "out of memory");
		return NULL;
	}
	if (write_file(watch, spool_dir, name, text, err) < 0) {
		tb_step_watch_end(watch);
		watch = NULL;
	}
	free(text);
	return watch;
}

void tb_step_watch_end(struct tb_step_watch *watch)
{
	if (watch != NULL)
		tb_locked_file_remove(&watch->file);
	free(watch);
}

void tb_step_watch_leave(struct tb_step_watch *watch)
{
	if (watch != NULL)
		tb_locked_file_leave(&watch->file);
	free(watch);
}

/* ---- slurmd ---- */

/* Of the pipe of the helper that watches. */
static int slurmds_end = -1;

struct watcher {
	const char *spool_dir;
	tb_step_watch_tidy_t *tidy;
	int inotify;
};

static int sweep_files(const char *spool_dir, struct tb_error *err)
{
	struct tb_locked_dir dir;

	if (tb_locked_dir_open(&dir, spool_dir, DIRECTORY, TB_DIR_SEARCHABLE,
			       true, err) < 0)
		return -1;
	tb_locked_dir_sweep_slowly(&dir, end_step);
	tb_locked_dir_close(&dir);
	return 0;
}

static void choose_pause(void)
{
	if (!has_left)
		pause_ms = 0;
	else if (pause_ms == 0)
		pause_ms = KILL_WAIT_MS;
	else
		pause_ms = 2 * pause_ms < LONGEST_PAUSE_MS ? 2 * pause_ms
							   : LONGEST_PAUSE_MS;
}

static void sweep_and_tidy(int slurmd, const struct watcher *watcher)
{
	struct tb_error err;

	has_left = false;
	if (sweep_files(watcher->spool_dir, &err) < 0)
		error("topobind: %s", err.text);
	if (has_ended && tb_helper_wait(slurmd, -1, CLOSE_WAIT_MS))
		return;
	has_ended = false;
	if (!watcher->tidy(watcher->spool_dir))
		has_left = true;
	choose_pause();
}

/* Have files been closed?  Ends the watching when that cannot be known. */
static bool read_events(const struct watcher *watcher, bool *ends)
{
	char events[4096];
	ssize_t length = read(watcher->inotify, events, sizeof(events));

	*ends = length == 0 || (length < 0 && errno != EAGAIN);
	return length > 0;
}

/* In milliseconds, without an event; -1: for ever. */
static int choose_timeout(bool look_again)
{
	if (look_again && (pause_ms == 0 || pause_ms > SECOND_LOOK_MS))
		return SECOND_LOOK_MS;
	return pause_ms > 0 ? (int)pause_ms : -1;
}

/* A file is closed when its slurmstepd ends, however it does. */
static void watch_files(int slurmd, const void *what)
{
	const struct watcher *watcher = what;
	bool look_again = false, ends = false;

	while (!ends) {
		sweep_and_tidy(slurmd, watcher);
		if (tb_helper_wait(slurmd, watcher->inotify,
				   choose_timeout(look_again)))
			return;
		look_again = read_events(watcher, &ends);
	}
}

static int add_watch(int inotify, const char *spool_dir, const char *name,
		     struct tb_error *err)
{
	char *path;
	int wd;

	if (asprintf(&path, "%s/%s", spool_dir, name) < 0)
		return tb_fail(err, "out of memory");
	wd = inotify_add_watch(inotify, path,
			       IN_CLOSE_WRITE | IN_ONLYDIR | IN_DONT_FOLLOW);
	if (wd < 0)
		tb_fail(err, "%.200s cannot be watched: %s", path,
			strerror(errno));
	free(path);
	return wd < 0 ? -1 : 0;
}

/* First the watch, then the helper sweeps: nothing falls between them. */
static int start_helper(const char *spool_dir, const char *other,
			tb_step_watch_tidy_t *tidy, struct tb_error *err)
{
	struct watcher watcher = { spool_dir, tidy,
				   inotify_init1(IN_CLOEXEC | IN_NONBLOCK) };
	int rc = -1;

	if (watcher.inotify < 0)
		return tb_fail(err, "inotify cannot be used: %s",
			       strerror(errno));
	if (add_watch(watcher.inotify, spool_dir, DIRECTORY, err) == 0 &&
	    add_watch(watcher.inotify, spool_dir, other, err) == 0) {
		slurmds_end = tb_helper_start(watch_files, &watcher, err);
		rc = slurmds_end < 0 ? -1 : 0;
	}
	close(watcher.inotify);
	return rc;
}

int tb_step_watch_start(const char *spool_dir, const char *other,
			tb_step_watch_tidy_t *tidy, struct tb_error *err)
{
	tb_step_watch_stop();
	/* Which makes the directory, too. */
	return sweep_files(spool_dir, err) < 0
		       ? -1
		       : start_helper(spool_dir, other, tidy, err);
}

void tb_step_watch_stop(void)
{
	if (slurmds_end >= 0)
		close(slurmds_end);
	slurmds_end = -1;
}
