/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "soft_view.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/read_file.h"

/* A line for each of some ten thousand tasks. */
#define VIEW_MAX (16 * 1024 * 1024)

/* It may be read in the midst of a write, which takes less than a millisecond. */
#define READS 20
#define READ_PAUSE_US 2000

struct tb_soft_view {
	struct tb_locked_dir dir;
	char *name;
	int fd;
	unsigned serial;
};

static char *print_name(const struct tb_registry_id *id)
{
	char *name;

	return asprintf(&name, "%u.%u", id->job, id->step) < 0 ? NULL : name;
}

/* ---- the step's own ---- */

/* What is there is of a step that was run before. */
static int make_file(struct tb_soft_view *view, uid_t uid, struct tb_error *err)
{
	unlinkat(view->dir.fd, view->name, 0);
	view->fd = openat(view->dir.fd, view->name,
			  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			  0400);
	if (view->fd >= 0 && fchmod(view->fd, 0400) == 0 &&
	    fchown(view->fd, uid, (gid_t)-1) == 0)
		return 0;
	return tb_fail(err, "%.200s/%.60s cannot be made: %s", view->dir.path,
		       view->name, strerror(errno));
}

struct tb_soft_view *tb_soft_view_create(const char *spool_dir,
					 const struct tb_registry_id *id,
					 uid_t uid, struct tb_error *err)
{
	struct tb_soft_view *view = calloc(1, sizeof(*view));

	if (view == NULL) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	if (tb_locked_dir_open(&view->dir, spool_dir, TB_SOFT_VIEW_DIRECTORY,
			       TB_DIR_SEARCHABLE, true, err) < 0) {
		free(view);
		return NULL;
	}
	view->fd = -1;
	view->name = print_name(id);
	if (view->name == NULL)
		tb_fail(err, "out of memory");
	else if (make_file(view, uid, err) == 0)
		return view;
	tb_soft_view_remove(view);
	return NULL;
}

void tb_soft_view_remove(struct tb_soft_view *view)
{
	if (view == NULL)
		return;
	if (view->fd >= 0) {
		unlinkat(view->dir.fd, view->name, 0);
		close(view->fd);
	}
	free(view->name);
	tb_locked_dir_close(&view->dir);
	free(view);
}

/* Its user can do anything with the file but harm who writes it. */
static void write_text(const struct tb_soft_view *view, const char *text,
		       size_t size)
{
	size_t done = 0;
	ssize_t got = 1;

	while (done < size && got > 0) {
		got = pwrite(view->fd, text + done, size - done, (off_t)done);
		done += got > 0 ? (size_t)got : 0;
	}
	/* What is longer, of before, has no end that goes with the beginning. */
	if (done == size && ftruncate(view->fd, (off_t)size) < 0)
		return;
}

void tb_soft_view_write(struct tb_soft_view *view,
			void (*print)(FILE *out, const void *data),
			const void *data)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return;
	view->serial++;
	fprintf(out, "view %u\n", view->serial);
	print(out, data);
	fprintf(out, "end %u\n", view->serial);
	if (fclose(out) == 0 && size <= VIEW_MAX)
		write_text(view, text, size);
	free(text);
}

/* ---- the user's ---- */

/* Its lines, where it is whole; else NULL.  Takes the text. */
static char *cut_lines(char *text)
{
	char *first = text != NULL ? strchr(text, '\n') : NULL;
	char *last = first != NULL ? strstr(first, "\nend ") : NULL;
	char *lines = NULL;
	unsigned begin, end;

	if (last != NULL && sscanf(text, "view %u", &begin) == 1 &&
	    sscanf(last, "\nend %u", &end) == 1 && begin == end)
		lines = strndup(first + 1, (size_t)(last - first));
	free(text);
	return lines;
}

static char *read_once(const struct tb_locked_dir *dir, const char *name,
		       bool *is_there)
{
	int fd = openat(dir->fd, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char *lines;
	size_t size;

	*is_there = fd >= 0;
	if (fd < 0)
		return NULL;
	lines = cut_lines(tb_read_file(fd, VIEW_MAX, &size));
	close(fd);
	return lines;
}

char *tb_soft_view_read(const char *spool_dir, const struct tb_registry_id *id)
{
	struct tb_locked_dir dir = { .fd = -1 };
	char *name = print_name(id), *lines = NULL, *path;
	bool is_there = true;

	if (asprintf(&path, "%s/" TB_SOFT_VIEW_DIRECTORY, spool_dir) < 0)
		path = NULL;
	/* To read its names is not for users. */
	if (path != NULL)
		dir.fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; name != NULL && dir.fd >= 0 && is_there &&
			lines == NULL && i < READS;
	     i++) {
		if (i > 0)
			usleep(READ_PAUSE_US);
		lines = read_once(&dir, name, &is_there);
	}
	if (dir.fd >= 0)
		close(dir.fd);
	free(path);
	free(name);
	return lines;
}

/* ---- left-overs ---- */

struct sweep {
	struct tb_registry *registry;
	int dir;
};

/* JOB.STEP of JOB.STEP.PID.soft */
static int is_of_step(const char *name, void *data)
{
	const char *step = data;
	size_t length = strlen(step);

	return strncmp(name, step, length) == 0 && name[length] == '.';
}

static int sweep_view(const char *name, void *data)
{
	const struct sweep *sweep = data;
	char *step = strdup(name);

	if (step != NULL && tb_locked_dir_each(tb_registry_dir(sweep->registry),
					       ".soft", is_of_step, step) == 0)
		unlinkat(sweep->dir, name, 0);
	free(step);
	return 0;
}

void tb_soft_view_sweep(const char *spool_dir, struct tb_registry *registry)
{
	struct tb_locked_dir dir;
	struct sweep sweep = { .registry = registry };

	if (tb_locked_dir_open(&dir, spool_dir, TB_SOFT_VIEW_DIRECTORY,
			       TB_DIR_SEARCHABLE, false, NULL) < 0)
		return;
	sweep.dir = dir.fd;
	tb_locked_dir_each(&dir, "", sweep_view, &sweep);
	tb_locked_dir_close(&dir);
}
