/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "system_cpus.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX 4096 /* sysfs gives no more */

struct tb_bitset *tb_system_cpus(const char *list, unsigned nbits)
{
	int fd = open(list, O_RDONLY | O_CLOEXEC);
	char text[TEXT_MAX];
	ssize_t got;

	if (fd < 0)
		return NULL;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (got <= 0)
		return NULL;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return tb_bitset_parse_list(text, nbits, NULL);
}
