/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "partition.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpuset.h"

#define EXCLUSIVE "cpuset.cpus.exclusive"
#define PARTITION "cpuset.cpus.partition"

/* -1 with errno.  Not by libcgroup, which writes no empty list. */
static int open_file(const char *path, const char *name, int mode)
{
	char *directory = tb_cpuset_directory(path, NULL), *file = NULL;
	int fd = -1;

	errno = ENOENT;
	if (directory != NULL && asprintf(&file, "%s/%s", directory, name) >= 0)
		fd = open(file, mode | O_CLOEXEC);
	free(directory);
	free(file);
	return fd;
}

/* The newline: an empty list is written, too. */
static int write_line(const char *path, const char *name, const char *text)
{
	int fd = open_file(path, name, O_WRONLY), rc = -1;
	char *line = NULL;
	int saved;

	if (fd < 0)
		return -1;
	if (asprintf(&line, "%s\n", text) >= 0)
		rc = write(fd, line, strlen(line)) < 0 ? -1 : 0;
	saved = errno;
	free(line);
	close(fd);
	errno = saved;
	return rc;
}

#define LINE_MAX_SIZE 8192

static int read_line(const char *path, const char *name, char *text)
{
	int fd = open_file(path, name, O_RDONLY);
	ssize_t got = fd >= 0 ? read(fd, text, LINE_MAX_SIZE - 1) : -1;

	if (fd >= 0)
		close(fd);
	if (got < 0)
		return -1;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

int tb_partition_check(const char *path, struct tb_error *err)
{
	int fd = tb_cpuset_is_v2() ? open_file(path, EXCLUSIVE, O_RDONLY) : -1;

	if (fd < 0)
		return tb_fail(
			err,
			"bisolate=yes needs cgroup v2 and Linux 6.7 or later, whose cpuset cgroups have " EXCLUSIVE
			"; this node has not: leave it out, or ask for other nodes");
	close(fd);
	return 0;
}

/* ---- the cgroups above ---- */

/* What the cgroup lends, without the CPUs in gone, with those in come. */
static int change_exclusive(const char *path, const struct tb_bitset *gone,
			    const struct tb_bitset *come, struct tb_error *err)
{
	char text[LINE_MAX_SIZE], *list = NULL;
	struct tb_bitset *cpus;
	int rc = 0;

	/* It is gone, and its partitions. */
	if (read_line(path, EXCLUSIVE, text) < 0)
		return 0;
	cpus = text[0] != '\0' ? tb_bitset_parse_list(text, gone->nbits, err)
			       : tb_bitset_create(gone->nbits);
	if (cpus != NULL) {
		tb_bitset_andnot(cpus, gone);
		tb_bitset_or(cpus, come);
		list = tb_bitset_print_list(cpus);
	}
	if (list == NULL)
		rc = tb_fail(err, "%s of cgroup %.200s: %.100s", EXCLUSIVE,
			     path, "out of memory, or no list");
	else if (strcmp(list, text) != 0 &&
		 write_line(path, EXCLUSIVE, list) < 0 && errno != ENOENT)
		rc = tb_fail(err,
			     "cannot write \"%.100s\" to %s of cgroup %.200s: "
			     "%s",
			     list, EXCLUSIVE, path, strerror(errno));
	free(list);
	tb_bitset_destroy(cpus);
	return rc;
}

/* From the outside in: a cgroup lends what the one above it lends. */
static int add_to_all(char *path, const struct tb_bitset *none,
		      const struct tb_bitset *come, struct tb_error *err)
{
	int rc = 0;

	for (char *slash = strchr(path + 1, '/'); rc == 0 && slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		rc = change_exclusive(path, none, come, err);
		*slash = '/';
	}
	return rc == 0 ? change_exclusive(path, none, come, err) : rc;
}

/* The other way round. */
static int take_from_all(char *path, const struct tb_bitset *none,
			 const struct tb_bitset *gone, struct tb_error *err)
{
	int rc = 0;
	char *slash;

	while (path[0] != '\0') {
		if (change_exclusive(path, gone, none, err) < 0)
			rc = -1;
		slash = strrchr(path, '/');
		if (slash == NULL)
			break;
		*slash = '\0';
	}
	return rc;
}

int tb_partition_share(const char *path, const struct tb_bitset *before,
		       const struct tb_bitset *after, struct tb_error *err)
{
	struct tb_bitset *none = tb_bitset_create(before->nbits);
	struct tb_bitset *gone = tb_bitset_copy(before);
	char *copy = strdup(path);
	int rc = 0;

	if (none == NULL || gone == NULL || copy == NULL) {
		rc = tb_fail(err, "out of memory");
	} else {
		tb_bitset_andnot(gone, after);
		if (!tb_bitset_is_empty(after))
			rc = add_to_all(copy, none, after, err);
		if (!tb_bitset_is_empty(gone) &&
		    take_from_all(copy, none, gone, err) < 0)
			rc = -1;
	}
	tb_bitset_destroy(none);
	tb_bitset_destroy(gone);
	free(copy);
	return rc;
}

/* ---- the partition ---- */

static bool is_partition(const char *path)
{
	char text[LINE_MAX_SIZE];

	return read_line(path, PARTITION, text) == 0 &&
	       strcmp(text, "root") == 0;
}

static bool has_cpus(const char *path, const char *list)
{
	char text[LINE_MAX_SIZE];

	return read_line(path, EXCLUSIVE, text) == 0 && strcmp(text, list) == 0;
}

/* The kernel writes its reason behind "root invalid". */
static int fail_invalid(const char *path, const char *list,
			struct tb_error *err)
{
	char text[LINE_MAX_SIZE];

	if (read_line(path, PARTITION, text) < 0)
		text[0] = '\0';
	return tb_fail(
		err,
		"bisolate=yes: the kernel does not give the CPUs %.100s to cgroup %.150s alone: %s is \"%.100s\"",
		list, path, PARTITION, text);
}

static int make_partition(const char *path, const char *list,
			  struct tb_error *err)
{
	if (is_partition(path) && has_cpus(path, list))
		return 0;
	if (write_line(path, PARTITION, "member") < 0 ||
	    write_line(path, EXCLUSIVE, list) < 0 ||
	    write_line(path, PARTITION, "root") < 0)
		return tb_fail(
			err,
			"bisolate=yes: cgroup %.150s cannot have the CPUs %.100s alone: %s",
			path, list, strerror(errno));
	return is_partition(path) ? 0 : fail_invalid(path, list, err);
}

int tb_partition_make(const char *path, const struct tb_bitset *cpus,
		      struct tb_error *err)
{
	char *list = tb_bitset_print_list(cpus);
	int rc = list != NULL ? make_partition(path, list, err)
			      : tb_fail(err, "out of memory");

	if (rc < 0)
		tb_partition_end(path);
	free(list);
	return rc;
}

void tb_partition_end(const char *path)
{
	if (!tb_cpuset_is_v2())
		return;
	write_line(path, PARTITION, "member");
	write_line(path, EXCLUSIVE, "");
}
