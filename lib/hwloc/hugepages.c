/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "hugepages.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Of huge pages: as many of a size that a kernel can have, in kiB. */
#define SIZE_MAX_KIB UINT64_C(0x100000000)
#define COUNT_MAX UINT64_C(0x100000000)

/* The number in a file of a directory; 0 where there is none. */
static uint64_t read_number(int directory, const char *name)
{
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	uint64_t number = 0;

	if (!file) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	if (fscanf(file, "%20" SCNu64, &number) != 1 || number > COUNT_MAX)
		number = 0;
	fclose(file);
	return number;
}

/* Pages of one size, whose directory is hugepages-2048kB.  In KiB. */
static uint64_t add_size(int directory, const char *name, uint64_t *all)
{
	uint64_t size, free_pages;
	int pages;

	if (sscanf(name, "hugepages-%20" SCNu64 "kB", &size) != 1 ||
	    size > SIZE_MAX_KIB)
		return 0;
	pages = openat(directory, name,
		       O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (pages < 0)
		return 0;
	*all += read_number(pages, "nr_hugepages");
	free_pages = read_number(pages, "free_hugepages");
	close(pages);
	return free_pages * size;
}

/* Of one NUMA node, in MiB; all: how many pages there are. */
static uint64_t add_node(const char *path, uint64_t *all)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	uint64_t size = 0;

	while (directory && (entry = readdir(directory)))
		size += add_size(dirfd(directory), entry->d_name, all);
	if (directory)
		closedir(directory);
	return size >> 10;
}

uint64_t *tb_hugepages_free(const struct tb_machine *machine,
			    const char *directory)
{
	unsigned count = tb_machine_numa_nodes(machine);
	uint64_t *sizes = calloc(count + 1, sizeof(*sizes)), all = 0;

	for (unsigned i = 0; sizes && i < count; i++) {
		char *path;

		if (asprintf(&path, "%s/node%u/hugepages", directory,
			     tb_machine_numa_os_node(machine, i)) < 0)
			continue;
		sizes[i] = add_node(path, &all);
		free(path);
	}
	if (all)
		return sizes;
	free(sizes);
	return NULL;
}
