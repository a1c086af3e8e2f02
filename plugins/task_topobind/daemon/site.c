/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "site.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compat/slurm_compat.h"

#include "src/common/log.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "files/read_file.h"
#include "files/replace_file.h"

/* In bytes; with a line for each of ten thousand nodes it has some million. */
#define SITE_MAX (64 << 20)

/* NULL with errno. */
static char *read_path(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text;

	if (fd < 0)
		return NULL;
	text = tb_read_file(fd, SITE_MAX, size);
	close(fd);
	return text;
}

static bool has_content(const char *path, const char *wanted,
			size_t wanted_size)
{
	size_t size;
	char *text = read_path(path, &size);
	bool same = text != NULL && size == wanted_size &&
		    memcmp(text, wanted, size) == 0;

	free(text);
	return same;
}

/* Steps start at the same time: the copy must be whole at any time. */
static int copy_file(const char *path, const char *copy, struct tb_error *err)
{
	size_t size = 0;
	char *text = read_path(path, &size);
	const struct tb_new_content content = { .data = text,
						.size = size,
						.mode = 0600 };
	int rc = 0;

	if (text == NULL)
		return tb_fail(err, "%m");
	if (!has_content(copy, text, size))
		rc = tb_replace_file(AT_FDCWD, copy, &content, err);
	free(text);
	return rc;
}

static struct tb_conf *load_path(const char *path, const char *copy,
				 struct tb_error *err)
{
	struct tb_conf *site = tb_conf_read(path, err);
	struct tb_error why;

	if (site != NULL) {
		/* No file is right, too, and leaves nothing to go back to. */
		if (access(path, F_OK) < 0)
			unlink(copy);
		else if (copy_file(path, copy, &why) < 0)
			error("topobind: %s cannot be copied: %s", path,
			      why.text);
	} else if (access(copy, F_OK) == 0) {
		error("topobind: %s; the last correct file stays in force",
		      err->text);
		site = tb_conf_read(copy, err);
	}
	return site;
}

struct tb_conf *tb_site_load(const char *copy, struct tb_error *err)
{
	char *path = tb_conf_path();
	struct tb_conf *site = load_path(path, copy, err);

	xfree(path);
	return site;
}

/* ---- a file that may change ---- */

/* File times are as coarse as the kernel's ticks. */
#define SETTLED_SECONDS 2

/* The path is found once: it depends on the environment. */
struct tb_site_watch {
	char *path, *copy;
	struct stat seen; /* zero: there was no file */
	bool loaded;
};

struct tb_site_watch *tb_site_watch_create(const char *copy)
{
	struct tb_site_watch *watch = xmalloc(sizeof(*watch));

	watch->path = tb_conf_path();
	watch->copy = xstrdup(copy);
	return watch;
}

void tb_site_watch_destroy(struct tb_site_watch *watch)
{
	if (watch == NULL)
		return;
	xfree(watch->path);
	xfree(watch->copy);
	xfree(watch);
}

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	       a->st_size == b->st_size &&
	       is_same_time(&a->st_mtim, &b->st_mtim) &&
	       is_same_time(&a->st_ctim, &b->st_ctim);
}

struct tb_conf *tb_site_watch_load(struct tb_site_watch *watch)
{
	struct stat now = { 0 };
	struct tb_error err;
	struct tb_conf *site;
	time_t age;

	if (stat(watch->path, &now) < 0)
		now = (struct stat){ 0 };
	if (watch->loaded && is_same_file(&now, &watch->seen))
		return NULL;
	watch->loaded = true;
	watch->seen = now;
	/*
	 * It may change again within the same tick of its clock.  One from the future is
	 * not read for ever.
	 */
	age = time(NULL) - now.st_mtim.tv_sec;
	if (age >= 0 && age < SETTLED_SECONDS)
		watch->loaded = false;
	site = load_path(watch->path, watch->copy, &err);
	if (site == NULL)
		error("topobind: %s", err.text);
	return site;
}
