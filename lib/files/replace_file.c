/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE /* asprintf */
#include "replace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "write_all.h"

static int write_content(int fd, const struct tb_new_content *content)
{
	if (tb_write_all(fd, content->data, content->size) < 0 ||
	    fchmod(fd, content->mode) < 0)
		return -1;
	return content->sync ? fsync(fd) : 0;
}

/* A new file that nobody can have prepared; errno says why there is none. */
static int write_new_file(int directory, const char *name,
			  const struct tb_new_content *content)
{
	int fd, rc;

	/* Of a killed process that had this number before, or a trap. */
	if (unlinkat(directory, name, 0) < 0 && errno != ENOENT)
		return -1;
	fd = openat(directory, name,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	rc = write_content(fd, content);
	/* Some network file systems say only now that the disk is full. */
	if (close(fd) < 0)
		rc = -1;
	return rc;
}

int tb_replace_file(int directory, const char *name,
		    const struct tb_new_content *content, struct tb_error *err)
{
	char *new_name;
	int rc = 0;

	if (asprintf(&new_name, "%s.%d.new", name, (int)getpid()) < 0)
		return tb_fail(err, "%.400s cannot be written: out of memory",
			       name);
	if (write_new_file(directory, new_name, content) < 0 ||
	    renameat(directory, new_name, directory, name) < 0) {
		rc = tb_fail(err, "%.400s cannot be written: %s", name,
			     strerror(errno));
		unlinkat(directory, new_name, 0);
	}
	free(new_name);
	return rc;
}
