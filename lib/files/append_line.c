/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "append_line.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "write_all.h"

/* Its length when nobody else writes; -1 with errno. */
static off_t lock_file(int fd)
{
	struct stat status;

	while (flock(fd, LOCK_EX))
		if (errno != EINTR)
			return -1;
	if (fstat(fd, &status))
		return -1;
	errno = EINVAL;
	return S_ISREG(status.st_mode) ? status.st_size : -1;
}

/* Does its last line have no end?  -1 with errno. */
static int is_cut(int fd, off_t size)
{
	char last = '\n';

	if (size && pread(fd, &last, 1, size - 1) != 1)
		return -1;
	return last != '\n';
}

/* The line with what belongs around it; malloc()ed. */
static char *make_text(const char *line, bool begins_anew)
{
	size_t length = strlen(line);
	char *text = malloc(length + 3);

	if (!text)
		return NULL;
	*text = '\n';
	memcpy(text + begins_anew, line, length);
	memcpy(text + begins_anew + length, "\n", 2);
	return text;
}

/* -1 with errno. */
static int append_to(int fd, const char *line)
{
	off_t size = lock_file(fd);
	int cut = size < 0 ? -1 : is_cut(fd, size), rc = -1, why;
	char *text = cut < 0 ? NULL : make_text(line, cut);

	if (!text)
		return -1;
	rc = tb_write_all(fd, text, strlen(text));
	why = errno;
	/* Where that fails, too, the next line begins anew. */
	if (rc && ftruncate(fd, size))
		rc = -1;
	free(text);
	errno = why;
	return rc;
}

int tb_append_line(const char *name, const char *line, struct tb_error *err)
{
	/* Nobody waits for the other end of a pipe. */
	int fd = open(name,
		      O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NOCTTY |
			      O_NONBLOCK | O_CLOEXEC,
		      0666);
	int rc = fd < 0 ? -1 : append_to(fd, line);
	int why = errno;

	if (fd >= 0 && close(fd) && !rc) {
		why = errno;
		rc = -1;
	}
	if (!rc)
		return 0;
	return tb_fail(err, "%.200s cannot be written: %s", name,
		       why == ELOOP    ? "it is a symbolic link"
		       : why == EINVAL ? "it is not a regular file"
				       : strerror(why));
}
