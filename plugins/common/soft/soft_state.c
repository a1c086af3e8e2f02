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

#include "soft_state_v1.h"

#define SOFT ".soft"
#define VERSION 2
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

/* ---- sums, and the text ---- */

struct tb_soft_counts tb_soft_state_counts(const struct tb_soft_state *state)
{
	struct tb_soft_counts counts = { 0 };

	for (unsigned i = 0; i < state->tasks; i++) {
		counts.preferred += state->task[i].preferred;
		counts.allowed += state->task[i].allowed;
		counts.smoothed += state->task[i].smoothed;
	}
	return counts;
}

unsigned tb_soft_state_spread(const struct tb_soft_state *state)
{
	unsigned spread = 0;

	for (unsigned i = 0; i < state->tasks; i++)
		spread += state->task[i].spread != 0;
	return spread;
}

const char *tb_soft_state_cgroups(const struct tb_soft_state *state)
{
	return (const char *)&state->task[state->tasks];
}

/* Of the file, without the text. */
static size_t size_of_tasks(size_t tasks)
{
	return sizeof(struct tb_soft_state) +
	       tasks * sizeof(struct tb_soft_task);
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
	memcpy(&file->state->task[tasks], cgroups, strlen(cgroups) + 1);
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
	file->size = size_of_tasks(tasks) + strlen(cgroups) + 1;
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
	size_t tasks = size_of_tasks(state->tasks);

	return state->version == VERSION && state->size == size &&
	       tasks < size &&
	       memchr((const char *)state + tasks, '\0', size - tasks) != NULL;
}

struct visitor {
	const struct tb_locked_dir *dir;
	enum tb_soft_access access;
	int (*visit)(struct tb_soft_state *state, bool alive, void *data);
	void *data;
};

/* A file that is of no use goes with its process. */
static int visit_mapped(struct visitor *visitor, struct tb_soft_state *state,
			size_t size, bool alive)
{
	struct tb_soft_state *old;
	int rc = alive ? 0 : TB_SOFT_REMOVE;

	if (is_whole(state, size))
		return visitor->visit(state, alive, visitor->data);
	old = tb_soft_state_of_v1(state, size);
	if (old != NULL)
		rc = visitor->visit(old, alive, visitor->data);
	free(old);
	return rc;
}

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
	if (state != NULL) {
		rc = visit_mapped(visitor, state, size, alive);
		munmap(state, size);
	} else if (!alive) {
		rc = TB_SOFT_REMOVE;
	}
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

/* Cut the word off the line's beginning, or the rest of it.  NULL: none, or no memory. */
static char *cut_word(const char **line, const char *ends)
{
	size_t length = strcspn(*line, ends);
	const char *word = *line;

	if (length == 0 || word[length] == '\0')
		return NULL;
	*line = word + length + 1;
	return strndup(word, length);
}

static struct tb_bitset *cut_cpus(const char **line)
{
	char *word = cut_word(line, " \n");
	struct tb_bitset *cpus = NULL;

	if (word != NULL)
		cpus = tb_bitset_parse_list(word, TB_REGISTRY_CPUS, NULL);
	free(word);
	return cpus;
}

bool tb_soft_next_cgroup(const char **cursor, struct tb_soft_cgroup *cgroup)
{
	*cgroup = (struct tb_soft_cgroup){ .base = cut_cpus(cursor) };
	if (cgroup->base != NULL)
		cgroup->scope = cut_cpus(cursor);
	if (cgroup->scope != NULL)
		cgroup->path = cut_word(cursor, "\n");
	if (cgroup->path != NULL)
		return true;
	tb_soft_cgroup_clear(cgroup);
	return false;
}

void tb_soft_cgroup_clear(struct tb_soft_cgroup *cgroup)
{
	tb_bitset_destroy(cgroup->base);
	tb_bitset_destroy(cgroup->scope);
	free(cgroup->path);
	*cgroup = (struct tb_soft_cgroup){ 0 };
}

static unsigned count_lines(const char *text)
{
	unsigned lines = 0;

	for (; *text != '\0'; text++)
		lines += *text == '\n';
	return lines;
}

bool tb_soft_task_cgroup(const struct tb_soft_state *state, unsigned task,
			 struct tb_soft_cgroup *cgroup)
{
	const char *text = tb_soft_state_cgroups(state);
	unsigned lines = count_lines(text);

	*cgroup = (struct tb_soft_cgroup){ 0 };
	if (task >= state->tasks || lines < state->tasks)
		return false;
	for (unsigned i = lines - state->tasks + task; i > 0; i--)
		text = strchr(text, '\n') + 1;
	return tb_soft_next_cgroup(&text, cgroup);
}
