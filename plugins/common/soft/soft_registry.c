/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "soft_registry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup/tree.h"
#include "files/read_file.h"

#define CLAIM ".hold"
#define SYSTEM_CLAIM "system" CLAIM
#define RECORD "record"

/* Two lists, a path and their keys. */
#define CLAIM_MAX (2 * 6 * TB_REGISTRY_CPUS + 8192)

/* File times are as coarse as the kernel's ticks. */
#define SETTLED_NS (100 * 1000 * 1000L)

struct tb_registry {
	struct tb_locked_dir dir;
};

struct tb_registry_claim {
	struct tb_locked_file file;
};

/* ---- the directory ---- */

static struct tb_registry *open_registry(const char *spool_dir, bool make,
					 struct tb_error *err)
{
	struct tb_registry *registry = calloc(1, sizeof(*registry));

	if (registry == NULL) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	if (tb_locked_dir_open(&registry->dir, spool_dir, TB_REGISTRY_DIRECTORY,
			       TB_DIR_PRIVATE, make, err) == 0)
		return registry;
	free(registry);
	return NULL;
}

struct tb_registry *tb_registry_find(const char *spool_dir,
				     struct tb_error *err)
{
	return open_registry(spool_dir, false, err);
}

struct tb_registry *tb_registry_open(const char *spool_dir,
				     struct tb_error *err)
{
	return open_registry(spool_dir, true, err);
}

void tb_registry_close(struct tb_registry *registry)
{
	if (registry == NULL)
		return;
	tb_locked_dir_close(&registry->dir);
	free(registry);
}

int tb_registry_lock(struct tb_registry *registry, struct tb_error *err)
{
	return tb_locked_dir_lock(&registry->dir, err);
}

void tb_registry_unlock(struct tb_registry *registry)
{
	tb_locked_dir_unlock(&registry->dir);
}

const struct tb_locked_dir *tb_registry_dir(const struct tb_registry *registry)
{
	return &registry->dir;
}

char *tb_registry_name(const struct tb_registry_id *id, const char *suffix)
{
	char *name;

	return asprintf(&name, "%u.%u.%d%s", id->job, id->step, (int)getpid(),
			suffix) < 0
		       ? NULL
		       : name;
}

/* ---- claims ---- */

/* The caller frees; NULL when out of memory. */
static char *print_claim(const struct tb_registry_claim_input *input)
{
	char *text;

	return asprintf(&text, "cpus %s\nown %s\ncgroup %s\n", input->cpus,
			input->own, input->cgroup) < 0
		       ? NULL
		       : text;
}

/* A file of this name was left by a process that had this number before. */
static int write_claim(struct tb_locked_file *file,
		       const struct tb_registry *registry, const char *name,
		       const struct tb_registry_claim_input *input,
		       struct tb_error *err)
{
	char *text = print_claim(input);
	int rc;

	file->path = NULL;
	file->fd = -1;
	if (text == NULL)
		return tb_fail(err, "out of memory");
	unlinkat(registry->dir.fd, name, 0);
	rc = tb_locked_file_create(file, &registry->dir, name, text, err);
	free(text);
	return rc;
}

struct tb_registry_claim *
tb_registry_claim_create(struct tb_registry *registry,
			 const struct tb_registry_claim_input *input,
			 struct tb_error *err)
{
	struct tb_registry_claim *claim = calloc(1, sizeof(*claim));
	char *name = tb_registry_name(&input->id, CLAIM);
	int rc;

	if (claim != NULL)
		claim->file.fd = -1;
	if (claim == NULL || name == NULL)
		rc = tb_fail(err, "out of memory");
	else
		rc = write_claim(&claim->file, registry, name, input, err);
	free(name);
	if (rc == 0)
		return claim;
	tb_registry_claim_release(claim);
	return NULL;
}

void tb_registry_claim_release(struct tb_registry_claim *claim)
{
	if (claim == NULL)
		return;
	tb_locked_file_remove(&claim->file);
	free(claim);
}

int tb_registry_claim_system(struct tb_registry *registry, const char *cpus,
			     struct tb_error *err)
{
	const struct tb_registry_claim_input input = { { 0, 0 }, cpus, "", "" };
	struct tb_locked_file file;
	int rc;

	if (*cpus == '\0') {
		unlinkat(registry->dir.fd, SYSTEM_CLAIM, 0);
		return 0;
	}
	rc = write_claim(&file, registry, SYSTEM_CLAIM, &input, err);
	/* It needs no living maker. */
	tb_locked_file_leave(&file);
	return rc;
}

/* The values of a claim's three lines, cut out of its text. */
struct claim_text {
	char *cpus, *own, *cgroup;
};

static char *cut_value(char **text, const char *key)
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

static bool split_claim(char *text, struct claim_text *claim)
{
	claim->cpus = cut_value(&text, "cpus ");
	claim->own = claim->cpus != NULL ? cut_value(&text, "own ") : NULL;
	claim->cgroup = claim->own != NULL ? cut_value(&text, "cgroup ") : NULL;
	return claim->cgroup != NULL;
}

struct claimed {
	struct tb_registry *registry;
	uint32_t job;
	struct tb_bitset *cpus; /* NULL: which ones is no matter */
	bool has_dead;
};

static int add_list(struct tb_bitset *to, const char *list)
{
	struct tb_bitset *set;

	if (to == NULL || *list == '\0')
		return 0;
	set = tb_bitset_parse_list(list, TB_REGISTRY_CPUS, NULL);
	if (set == NULL)
		return -1;
	tb_bitset_or(to, set);
	tb_bitset_destroy(set);
	return 0;
}

/* Does it, whose maker may be dead? */
static bool still_counts(struct claimed *claimed, const char *cgroup, int fd)
{
	if (tb_locked_file_is_alive(fd))
		return true;
	if (!tb_cgroup_tree_is_busy(cgroup))
		return false;
	claimed->has_dead = true;
	return true;
}

static int add_claim(struct claimed *claimed, const char *name, int fd)
{
	bool same_job = strtoul(name, NULL, 10) == claimed->job;
	bool forever = strcmp(name, SYSTEM_CLAIM) == 0;
	size_t size;
	char *text = tb_read_file(fd, CLAIM_MAX, &size);
	struct claim_text claim;
	int rc = 0;

	if (text == NULL || !split_claim(text, &claim)) {
		/* Killed while it wrote, before it had a task. */
		if (tb_locked_file_is_alive(fd) || forever)
			rc = -1;
		else
			unlinkat(claimed->registry->dir.fd, name, 0);
	} else if (forever || still_counts(claimed, claim.cgroup, fd)) {
		rc = add_list(claimed->cpus, same_job ? claim.own : claim.cpus);
	} else {
		unlinkat(claimed->registry->dir.fd, name, 0);
	}
	free(text);
	return rc;
}

static int visit_claim(const char *name, void *data)
{
	struct claimed *claimed = data;
	int fd = openat(claimed->registry->dir.fd, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int rc;

	/* Released meanwhile: that needs no lock. */
	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	rc = add_claim(claimed, name, fd);
	close(fd);
	return rc;
}

struct tb_bitset *tb_registry_claimed(struct tb_registry *registry,
				      uint32_t job, struct tb_error *err)
{
	struct claimed claimed = {
		.registry = registry,
		.job = job,
		.cpus = tb_bitset_create(TB_REGISTRY_CPUS),
	};

	if (claimed.cpus != NULL &&
	    tb_locked_dir_each(&registry->dir, CLAIM, visit_claim, &claimed) ==
		    0)
		return claimed.cpus;
	tb_bitset_destroy(claimed.cpus);
	tb_fail(err, "a file *" CLAIM " in %.200s cannot be read",
		registry->dir.path);
	return NULL;
}

bool tb_registry_sweep(struct tb_registry *registry)
{
	struct claimed claimed = { .registry = registry };

	return tb_locked_dir_each(&registry->dir, CLAIM, visit_claim,
				  &claimed) == 0 &&
	       !claimed.has_dead;
}

/* ---- switches ---- */

static const char *const mode_names[] = {
	[TB_SOFT_ON] = "on",
	[TB_SOFT_OFF] = "off",
	[TB_SOFT_CONFINED] = "confined",
};

const char *tb_soft_mode_name(enum tb_soft_mode mode)
{
	return mode_names[mode];
}

static char *switch_name(uint32_t job, enum tb_soft_mode mode)
{
	char *name;

	if (job == 0)
		return strdup(mode_names[mode]);
	return asprintf(&name, "%u.%s", job, mode_names[mode]) < 0 ? NULL
								   : name;
}

static int set_file(const struct tb_registry *registry, const char *name,
		    bool there)
{
	int fd;

	if (!there)
		return unlinkat(registry->dir.fd, name, 0) < 0 &&
				       errno != ENOENT
			       ? -1
			       : 0;
	fd = openat(registry->dir.fd, name,
		    O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

static int set_switch(const struct tb_registry *registry, uint32_t job,
		      enum tb_soft_mode mode, bool there, struct tb_error *err)
{
	char *name = switch_name(job, mode);
	int rc = 0;

	if (name == NULL)
		return tb_fail(err, "out of memory");
	if (set_file(registry, name, there) < 0)
		rc = tb_fail(err, "%.200s/%.60s cannot be changed: %s",
			     registry->dir.path, name, strerror(errno));
	free(name);
	return rc;
}

/* The new one is there before the old one goes: at no moment is it on between. */
int tb_registry_switch(struct tb_registry *registry, uint32_t job,
		       enum tb_soft_mode mode, struct tb_error *err)
{
	if (mode != TB_SOFT_ON && set_switch(registry, job, mode, true, err))
		return -1;
	for (enum tb_soft_mode other = TB_SOFT_OFF; other <= TB_SOFT_CONFINED;
	     other++)
		if (other != mode &&
		    set_switch(registry, job, other, false, err))
			return -1;
	return 0;
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

	if (job != 0 &&
	    tb_locked_dir_each(&registry->dir, "", is_of_job, &job) == 0)
		unlinkat(registry->dir.fd, name, 0);
	return 0;
}

void tb_registry_forget(struct tb_registry *registry)
{
	tb_locked_dir_each(&registry->dir, ".off", forget_job, registry);
	tb_locked_dir_each(&registry->dir, ".confined", forget_job, registry);
	tb_locked_dir_each(&registry->dir, "." RECORD, forget_job, registry);
	tb_locked_dir_each(&registry->dir, ".settings", forget_job, registry);
}

static bool has_switch(const struct tb_registry *registry, uint32_t job,
		       enum tb_soft_mode mode)
{
	char *name = switch_name(job, mode);
	bool has = name != NULL && faccessat(registry->dir.fd, name, F_OK,
					     AT_SYMLINK_NOFOLLOW) == 0;

	free(name);
	return has;
}

/* Confined wins where both are: that is in the midst of a switch. */
static enum tb_soft_mode read_mode(const struct tb_registry *registry,
				   uint32_t job)
{
	if (has_switch(registry, job, TB_SOFT_CONFINED))
		return TB_SOFT_CONFINED;
	return has_switch(registry, job, TB_SOFT_OFF) ? TB_SOFT_OFF
						      : TB_SOFT_ON;
}

enum tb_soft_mode tb_registry_mode(struct tb_registry *registry, uint32_t job)
{
	enum tb_soft_mode mode = read_mode(registry, 0);

	return mode != TB_SOFT_ON || job == 0 ? mode : read_mode(registry, job);
}

int tb_registry_lock_record(struct tb_registry *registry, uint32_t job,
			    struct tb_error *err)
{
	char *name;
	int fd;

	if (asprintf(&name, "%u." RECORD, job) < 0)
		return tb_fail(err, "out of memory");
	fd = tb_locked_dir_lock_file(&registry->dir, name, err);
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
	if (fstat(registry->dir.fd, &status) < 0)
		return true;
	changed = nanoseconds(&status.st_mtim) != nanoseconds(seen);
	*seen = status.st_mtim;
	/* What comes within the same tick of the clock would not be seen. */
	if (nanoseconds(&now) - nanoseconds(seen) < SETTLED_NS)
		*seen = (struct timespec){ 0 };
	return changed;
}
