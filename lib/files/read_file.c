/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read_file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_all(int fd, char *bytes, size_t size)
{
	size_t have = 0;

	while (have < size) {
		ssize_t got = pread(fd, bytes + have, size - have, (off_t)have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0)
			errno = EIO;
		if (got <= 0)
			return -1;
		have += (size_t)got;
	}
	return 0;
}

/* -1 with errno. */
static int find_size(int fd, size_t max, size_t *size)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return -1;
	*size = (size_t)status.st_size;
	errno = S_ISREG(status.st_mode) ? EFBIG : EINVAL;
	return S_ISREG(status.st_mode) && *size <= max ? 0 : -1;
}

char *tb_read_file(int fd, size_t max, size_t *size)
{
	char *bytes;

	if (find_size(fd, max, size) < 0)
		return NULL;
	bytes = malloc(*size + 1);
	if (!bytes)
		return NULL;
	bytes[*size] = '\0';
	if (read_all(fd, bytes, *size) == 0)
		return bytes;
	free(bytes);
	return NULL;
}
