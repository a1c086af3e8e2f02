/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "site.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/slurm_compat.h"

#include "src/common/log.h"
#include "src/common/xmalloc.h"

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

struct tb_conf *tb_site_load(const char *copy, struct tb_error *err)
{
	char *path = tb_conf_path();
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
	xfree(path);
	return site;
}
