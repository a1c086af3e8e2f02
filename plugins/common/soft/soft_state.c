/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "soft_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOFT ".soft"
#define VERSION 1
#define SIZE_MAX_BYTES (64 * 1024 * 1024)

struct tb_soft_file {
	struct tb_locked_file file;
	struct tb_soft_state *state;
	size_t size;
};

static struct tb_soft_state *map_state(int fd, size_t size,
				       enum tb_soft_access access)
{
	int write = access == TB_SOFT_CHANGE ? PROT_WRITE : 0;
	void *memory = mmap(NULL, size, PROT_READ | write, MAP_SHARED, fd, 0);

	return memory != MAP_FAILED ? memory : NULL;
}

/* ---- the step's own ---- */

/* With room on the disk: writing to a map of a full one kills. */
static int fill_state(struct tb_soft_file *file,
		      const struct tb_registry_id *id, unsigned tasks,
		      const char *cgroups)
{
	int rc = posix_fallocate(file->file.fd, 0, (off_t)file->size);

	if (rc != 0) {
		errno = rc;
		return -1;
	}
	file->state = map_state(file->file.fd, file->size, TB_SOFT_CHANGE);
	if (file->state == NULL)
		return -1;
	file->state->job = id->job;
	file->state->step = id->step;
	file->state->tasks = tasks;
	memcpy(file->state->cgroups, cgroups, strlen(cgroups) + 1);
	file->state->size = file->size;
	file->state->version = VERSION;
	return 0;
}

/* A file of this name was left by a process that had this number before. */
static int make_file(struct tb_soft_file *file,
		     const struct tb_registry *registry,
		     const struct tb_registry_id *id, struct tb_error *err)
{
	const struct tb_locked_dir *dir = tb_registry_dir(registry);
	char *name = tb_registry_name(id, SOFT);
	int rc;

	if (name == NULL)
		return tb_fail(err, "out of memory");
	unlinkat(dir->fd, name, 0);
	rc = tb_locked_file_create(&file->file, dir, name, NULL, err);
	free(name);
	return rc;
}

struct tb_soft_file *tb_soft_file_create(struct tb_registry *registry,
					 const struct tb_registry_id *id,
					 unsigned tasks, const char *cgroups,
					 struct tb_error *err)
{
	struct tb_soft_file *file = calloc(1, sizeof(*file));
	int rc;

	if (file == NULL) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	file->file.fd = -1;
	file->size = sizeof(struct tb_soft_state) + strlen(cgroups) + 1;
	rc = make_file(file, registry, id, err);
	if (rc == 0 && fill_state(file, id, tasks, cgroups) < 0)
		rc = tb_fail(err, "%.200s cannot be written: %s",
			     file->file.path, strerror(errno));
	if (rc == 0)
		return file;
	tb_soft_file_remove(file);
	return NULL;
}

void tb_soft_file_remove(struct tb_soft_file *file)
{
	if (file == NULL)
		return;
	if (file->state != NULL)
		munmap(file->state, file->size);
	tb_locked_file_remove(&file->file);
	free(file);
}

struct tb_soft_state *tb_soft_file_state(struct tb_soft_file *file)
{
	return file->state;
}

/* ---- others' ---- */

static bool is_whole(const struct tb_soft_state *state, size_t size)
{
	return state->version == VERSION && state->size == size &&
	       memchr(state->cgroups, '\0', size - sizeof(*state)) != NULL;
}

struct visitor {
	const struct tb_locked_dir *dir;
	enum tb_soft_access access;
	int (*visit)(struct tb_soft_state *state, bool alive, void *data);
	void *data;
};

static int visit_open(struct visitor *visitor, const char *name, int fd)
{
	bool alive = tb_locked_file_is_alive(fd);
	struct tb_soft_state *state = NULL;
	struct stat status;
	size_t size = 0;
	int rc = 0;

	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	    status.st_size > (off_t)sizeof(*state) &&
	    status.st_size <= SIZE_MAX_BYTES) {
		size = (size_t)status.st_size;
		state = map_state(fd, size, visitor->access);
	}
	if (state != NULL && is_whole(state, size))
		rc = visitor->visit(state, alive, visitor->data);
	else if (!alive)
		rc = TB_SOFT_REMOVE;
	if (state != NULL)
		munmap(state, size);
	if (rc != TB_SOFT_REMOVE)
		return rc;
	if (!alive)
		unlinkat(visitor->dir->fd, name, 0);
	return 0;
}

static int visit_name(const char *name, void *data)
{
	struct visitor *visitor = data;
	int mode = visitor->access == TB_SOFT_CHANGE ? O_RDWR : O_RDONLY;
	int fd = openat(visitor->dir->fd, name,
			mode | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	rc = visit_open(visitor, name, fd);
	close(fd);
	return rc;
}

int tb_soft_each(struct tb_registry *registry, enum tb_soft_access access,
		 int (*visit)(struct tb_soft_state *state, bool alive,
			      void *data),
		 void *data)
{
	const struct tb_locked_dir *dir = tb_registry_dir(registry);
	struct visitor visitor = { dir, access, visit, data };

	return tb_locked_dir_each(dir, SOFT, visit_name, &visitor);
}

bool tb_soft_next_cgroup(const char **cursor, struct tb_bitset **base,
			 char **path)
{
	const char *line = *cursor;
	size_t length = strcspn(line, "\n"), list = strcspn(line, " ");
	char *text;

	*base = NULL;
	*path = NULL;
	if (line[length] == '\0' || list >= length)
		return false;
	*cursor = line + length + 1;
	text = strndup(line, list);
	if (text != NULL)
		*base = tb_bitset_parse_list(text, TB_REGISTRY_CPUS, NULL);
	free(text);
	*path = strndup(line + list + 1, length - list - 1);
	if (*base != NULL && *path != NULL)
		return true;
	tb_bitset_destroy(*base);
	free(*path);
	return false;
}
