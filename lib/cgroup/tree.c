/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

/* Slurm's go five levels below a job; nobody else makes more. */
#define DEPTH_MAX 16

static bool has_process(int dir)
{
	int fd = openat(dir, "cgroup.procs", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char byte;
	bool has = fd >= 0 && read(fd, &byte, 1) == 1;

	if (fd >= 0)
		close(fd);
	return has;
}

static bool is_busy(int parent, const char *name, unsigned depth)
{
	int dir = openat(parent, name,
			 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *entries = dir >= 0 ? fdopendir(dir) : NULL;
	struct dirent *entry;
	bool busy;

	if (entries == NULL) {
		if (dir >= 0)
			close(dir);
		return false;
	}
	busy = has_process(dir);
	while (!busy && depth < DEPTH_MAX && (entry = readdir(entries)) != NULL)
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			busy = is_busy(dir, entry->d_name, depth + 1);
	closedir(entries);
	return busy;
}

bool tb_cgroup_tree_is_busy(const char *directory)
{
	return directory[0] == '/' && is_busy(AT_FDCWD, directory, 0);
}
