/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "write_all.h"

#include <errno.h>
#include <unistd.h>

int tb_write_all(int fd, const void *data, size_t size)
{
	const char *rest = data;

	while (size > 0) {
		ssize_t written = write(fd, rest, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -1;
		rest += written;
		size -= (size_t)written;
	}
	return 0;
}
