/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "common/soft_registry.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup/tree.h"

#define DIRECTORY "topobind_soft"
#define HOLD ".hold"
#define SYSTEM_HOLD "system" HOLD
#define OFF "off"
#define RECORD "record"

/* Two lists, a path and their keys. */
#define HOLD_MAX (2 * 6 * TB_REGISTRY_CPUS + 8192)

/* File times are as coarse as the kernel's ticks. */
#define SETTLED_NS (100 * 1000 * 1000L)

struct tb_registry {
	int dir;
	char *path;
};

struct tb_hold {
	char *name;
	int fd; /* has the lock */
};

/* ---- the directory ---- */

/* Whoever else could make names in it could lead us elsewhere. */
static bool is_ours(int dir)
{
	struct stat status;

	return fstat(dir, &status) == 0 && status.st_uid == geteuid() &&
	       !(status.st_mode & (S_IRWXG | S_IRWXO));
}

static int open_directory(struct tb_registry *registry, struct tb_error *err)
{
	registry->dir = open(registry->path, O_RDONLY | O_DIRECTORY |
			     O_NOFOLLOW | O_CLOEXEC);
	if (registry->dir >= 0 && is_ours(registry->dir))
		return 0;
	return tb_fail(err, "%.200s cannot be used, it must be a directory that "
		       "only root can use: %s", registry->path,
		       registry->dir < 0 ? strerror(errno) : "it is not");
}

struct tb_registry *tb_registry_find(const char *spool_dir,
				     struct tb_error *err)
{
	struct tb_registry *registry = calloc(1, sizeof(*registry));

	if (registry == NULL ||
	    asprintf(&registry->path, "%s/" DIRECTORY, spool_dir) < 0) {
		tb_fail(err, "out of memory");
		free(registry);
		return NULL;
	}
	registry->dir = -1;
	if (open_directory(registry, err) == 0)
		return registry;
	tb_registry_close(registry);
	return NULL;
}

struct tb_registry *tb_registry_open(const char *spool_dir,
				     struct tb_error *err)
{
	char *path;
	int rc;

	if (asprintf(&path, "%s/" DIRECTORY, spool_dir) < 0) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	rc = mkdir(path, 0700);
	if (rc < 0 && errno != EEXIST)
		tb_fail(err, "%.200s cannot be made: %s", path,
			strerror(errno));
	else
		rc = 0;
	free(path);
	return rc == 0 ? tb_registry_find(spool_dir, err) : NULL;
}

void tb_registry_close(struct tb_registry *registry)
{
	if (registry == NULL)
		return;
	if (registry->dir >= 0)
		close(registry->dir);
	free(registry->path);
	free(registry);
}

static int lock(int fd)
{
	int rc;

	do
		rc = flock(fd, LOCK_EX);
	while (rc < 0 && errno == EINTR);
	return rc;
}

int tb_registry_lock(struct tb_registry *registry, struct tb_error *err)
{
	int rc = lock(registry->dir);

	return rc == 0 ? 0 : tb_fail(err, "%.200s cannot be locked: %s",
				     registry->path, strerror(errno));
}

/* Not by closing: a child that was just forked would keep it. */
void tb_registry_unlock(struct tb_registry *registry)
{
	flock(registry->dir, LOCK_UN);
}

int tb_registry_directory(const struct tb_registry *registry)
{
	return registry->dir;
}

char *tb_registry_name(const struct tb_registry_id *id, const char *suffix)
{
	char *name;

	return asprintf(&name, "%u.%u.%d%s", id->job, id->step, (int)getpid(),
			suffix) < 0 ? NULL : name;
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t length = strlen(name), tail = strlen(suffix);

	return length > tail && strcmp(name + length - tail, suffix) == 0;
}

bool tb_registry_is_alive(int fd)
{
	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		return errno == EWOULDBLOCK;
	flock(fd, LOCK_UN);
	return false;
}

int tb_registry_each(struct tb_registry *registry, const char *suffix,
		     int (*visit)(const char *name, void *data), void *data)
{
	/* Closing the stream closes its descriptor. */
	int copy = openat(registry->dir, ".",
			  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;
	int rc = 0;

	if (entries == NULL) {
		if (copy >= 0)
			close(copy);
		return -1;
	}
	while (rc == 0 && (entry = readdir(entries)) != NULL)
		if (has_suffix(entry->d_name, suffix))
			rc = visit(entry->d_name, data);
	closedir(entries);
	return rc;
}

/* ---- holds ---- */

static int write_hold(int fd, const struct tb_hold_input *input)
{
	char *text;
	int length = asprintf(&text, "cpus %s\nown %s\ncgroup %s\n",
			      input->cpus, input->own, input->cgroup);
	int rc;

	if (length < 0)
		return -1;
	rc = write(fd, text, (size_t)length) == length ? 0 : -1;
	free(text);
	return rc;
}

struct tb_hold *tb_hold_create(struct tb_registry *registry,
			       const struct tb_hold_input *input,
			       struct tb_error *err)
{
	struct tb_hold *hold = calloc(1, sizeof(*hold));

	if (hold != NULL)
		hold->name = tb_registry_name(&input->id, HOLD);
	if (hold == NULL || hold->name == NULL) {
		free(hold);
		tb_fail(err, "out of memory");
		return NULL;
	}
	/* Of a process that had this number before. */
	unlinkat(registry->dir, hold->name, 0);
	hold->fd = openat(registry->dir, hold->name, O_RDWR | O_CREAT | O_EXCL |
			  O_NOFOLLOW | O_CLOEXEC, 0600);
	if (hold->fd >= 0 && flock(hold->fd, LOCK_EX | LOCK_NB) == 0 &&
	    write_hold(hold->fd, input) == 0)
		return hold;
	tb_fail(err, "%.200s/%.60s cannot be written: %s", registry->path,
		hold->name, strerror(errno));
	tb_hold_release(registry, hold);
	return NULL;
}

void tb_hold_release(struct tb_registry *registry, struct tb_hold *hold)
{
	if (hold == NULL)
		return;
	unlinkat(registry->dir, hold->name, 0);
	if (hold->fd >= 0)
		close(hold->fd);
	free(hold->name);
	free(hold);
}

int tb_registry_hold_system(struct tb_registry *registry, const char *cpus,
			    struct tb_error *err)
{
	const struct tb_hold_input input = { { 0, 0 }, cpus, "", "" };
	int fd, rc;

	unlinkat(registry->dir, SYSTEM_HOLD, 0);
	if (*cpus == '\0')
		return 0;
	fd = openat(registry->dir, SYSTEM_HOLD, O_WRONLY | O_CREAT | O_EXCL |
		    O_NOFOLLOW | O_CLOEXEC, 0600);
	rc = fd >= 0 ? write_hold(fd, &input) : -1;
	if (rc < 0)
		tb_fail(err, "%.200s/" SYSTEM_HOLD " cannot be written: %s",
			registry->path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return rc;
}

/* The values of a hold's three lines, cut out of its text. */
struct hold_text {
	char *cpus, *own, *cgroup;
};

static char *take_value(char **text, const char *key)
{
	size_t length = strlen(key);
	char *value = *text + length;
	char *end = strchr(*text, '\n');

	if (end == NULL || strncmp(*text, key, length) != 0)
		return NULL;
	*end = '\0';
	*text = end + 1;
	return value;
}

static bool split_hold(char *text, struct hold_text *hold)
{
	hold->cpus = take_value(&text, "cpus ");
	hold->own = hold->cpus != NULL ? take_value(&text, "own ") : NULL;
	hold->cgroup = hold->own != NULL ? take_value(&text, "cgroup ") : NULL;
	return hold->cgroup != NULL;
}

static char *read_text(int fd)
{
	struct stat status;
	char *text;
	ssize_t got;

	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) ||
	    status.st_size > HOLD_MAX)
		return NULL;
	text = malloc((size_t)status.st_size + 1);
	if (text == NULL)
		return NULL;
	got = pread(fd, text, (size_t)status.st_size, 0);
	text[got > 0 ? got : 0] = '\0';
	return text;
}

struct held {
	struct tb_registry *registry;
	uint32_t job;
	struct tb_bitset *cpus;
};

static int add_list(struct tb_bitset *to, const char *list)
{
	struct tb_bitset *set;

	if (*list == '\0')
		return 0;
	set = tb_bitset_parse_list(list, TB_REGISTRY_CPUS, NULL);
	if (set == NULL)
		return -1;
	tb_bitset_or(to, set);
	tb_bitset_destroy(set);
	return 0;
}

static int add_hold(struct held *held, const char *name, int fd)
{
	bool same_job = strtoul(name, NULL, 10) == held->job;
	bool forever = strcmp(name, SYSTEM_HOLD) == 0;
	char *text = read_text(fd);
	struct hold_text hold;
	int rc = 0;

	if (text == NULL || !split_hold(text, &hold)) {
		/* Killed while it wrote, before it had a task. */
		if (tb_registry_is_alive(fd) || forever)
			rc = -1;
		else
			unlinkat(held->registry->dir, name, 0);
	} else if (forever || tb_registry_is_alive(fd) ||
		   tb_cgroup_tree_is_busy(hold.cgroup)) {
		rc = add_list(held->cpus, same_job ? hold.own : hold.cpus);
	} else {
		unlinkat(held->registry->dir, name, 0);
	}
	free(text);
	return rc;
}

static int visit_hold(const char *name, void *data)
{
	struct held *held = data;
	int fd = openat(held->registry->dir, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int rc;

	/* Released meanwhile: that needs no lock. */
	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	rc = add_hold(held, name, fd);
	close(fd);
	return rc;
}

struct tb_bitset *tb_registry_held(struct tb_registry *registry, uint32_t job,
				   struct tb_error *err)
{
	struct held held = {
		.registry = registry,
		.job = job,
		.cpus = tb_bitset_create(TB_REGISTRY_CPUS),
	};

	if (held.cpus != NULL &&
	    tb_registry_each(registry, HOLD, visit_hold, &held) == 0)
		return held.cpus;
	tb_bitset_destroy(held.cpus);
	tb_fail(err, "a file *" HOLD " in %.200s cannot be read",
		registry->path);
	return NULL;
}

/* ---- switches ---- */

static char *switch_name(uint32_t job)
{
	char *name;

	if (job == 0)
		return strdup(OFF);
	return asprintf(&name, "%u." OFF, job) < 0 ? NULL : name;
}

int tb_registry_switch(struct tb_registry *registry, uint32_t job, bool on,
		       struct tb_error *err)
{
	char *name = switch_name(job);
	int fd = -1, rc;

	if (name == NULL)
		return tb_fail(err, "out of memory");
	if (on) {
		rc = unlinkat(registry->dir, name, 0);
		if (rc < 0 && errno == ENOENT)
			rc = 0;
	} else {
		fd = openat(registry->dir, name, O_WRONLY | O_CREAT |
			    O_NOFOLLOW | O_CLOEXEC, 0600);
		rc = fd < 0 ? -1 : 0;
	}
	if (rc < 0)
		tb_fail(err, "%.200s/%.60s cannot be changed: %s",
			registry->path, name, strerror(errno));
	if (fd >= 0)
		close(fd);
	free(name);
	return rc;
}

/* A name of a step of the job: "JOB.STEP..." */
static int is_of_job(const char *name, void *data)
{
	const uint32_t *job = data;
	char *end;

	return strtoul(name, &end, 10) == *job && *end == '.' &&
	       end[1] >= '0' && end[1] <= '9';
}

static int forget_job(const char *name, void *data)
{
	struct tb_registry *registry = data;
	uint32_t job = (uint32_t)strtoul(name, NULL, 10);

	if (job != 0 && tb_registry_each(registry, "", is_of_job, &job) == 0)
		unlinkat(registry->dir, name, 0);
	return 0;
}

void tb_registry_forget(struct tb_registry *registry)
{
	tb_registry_each(registry, "." OFF, forget_job, registry);
	tb_registry_each(registry, "." RECORD, forget_job, registry);
}

static bool exists(const struct tb_registry *registry, const char *name)
{
	return faccessat(registry->dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

bool tb_registry_is_off(struct tb_registry *registry, uint32_t job)
{
	char *name = switch_name(job);
	bool off = exists(registry, OFF) ||
		   (name != NULL && exists(registry, name));

	free(name);
	return off;
}

int tb_registry_lock_record(struct tb_registry *registry, uint32_t job,
			    struct tb_error *err)
{
	int fd = -1;
	char *name;

	if (asprintf(&name, "%u." RECORD, job) < 0)
		return tb_fail(err, "out of memory");
	fd = openat(registry->dir, name, O_WRONLY | O_CREAT | O_NOFOLLOW |
		    O_CLOEXEC, 0600);
	if (fd < 0 || lock(fd) < 0) {
		tb_fail(err, "%.200s/%.60s cannot be locked: %s",
			registry->path, name, strerror(errno));
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	free(name);
	return fd;
}

static long long nanoseconds(const struct timespec *time)
{
	return time->tv_sec * 1000000000LL + time->tv_nsec;
}

bool tb_registry_has_changed(struct tb_registry *registry,
			     struct timespec *seen)
{
	struct timespec now;
	struct stat status;
	bool changed;

	clock_gettime(CLOCK_REALTIME, &now);
	if (fstat(registry->dir, &status) < 0)
		return true;
	changed = nanoseconds(&status.st_mtim) != nanoseconds(seen);
	*seen = status.st_mtim;
	/* What comes within the same tick of the clock would not be seen. */
	if (nanoseconds(&now) - nanoseconds(seen) < SETTLED_NS)
		*seen = (struct timespec){ 0 };
	return changed;
}
