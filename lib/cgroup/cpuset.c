/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "cpuset.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clear.h"
#include "hierarchy.h"

#define CONTROLLER "cpuset"
#define CPUS_FILE CONTROLLER ".cpus"
#define NODES_FILE CONTROLLER ".mems"
#define MIGRATE_FILE CONTROLLER ".memory_migrate"
#define PROCS_FILE "cgroup.procs"

/* "65535," is the longest that one number can take in a list. */
#define LIST_SIZE (TB_CPUSET_OS_MAX * 6)

struct tb_cpuset {
	/* Paths from the root of the hierarchy. */
	char *parent; /* NULL: somebody else's cgroup */
	char *path;
};

/* At its mount point; not beside the controllers of v1. */
static bool is_unified(const char *mount)
{
	char *file;
	bool unified;

	if (asprintf(&file, "%s/cgroup.controllers", mount) < 0)
		return false;
	unified = access(file, F_OK) == 0;
	free(file);
	return unified;
}

/* Reading the mount table costs a millisecond: once for each process. */
static enum { UNKNOWN, V1, V2 } version;

static int find_version(struct tb_error *err)
{
	char *mount = NULL;
	const char *why;

	if (version != UNKNOWN)
		return 0;
	why = tb_hierarchy_begin();
	if (why == NULL)
		why = tb_hierarchy_mount(CONTROLLER, &mount);
	if (why != NULL)
		return tb_fail(err,
			       "no cgroup hierarchy has the cpuset "
			       "controller (%s); mount cgroup v2, or the v1 "
			       "controller, for example on "
			       "/sys/fs/cgroup/cpuset",
			       why);
	version = is_unified(mount) ? V2 : V1;
	free(mount);
	return 0;
}

bool tb_cpuset_is_v2(void)
{
	return find_version(NULL) == 0 && version == V2;
}

/*
 * The path in a line "NUMBER:LIST:PATH" of a controller of v1, or with NULL in that
 * of v2, "0::PATH"; NULL: it is another line.
 */
static const char *path_in(char *line, const char *controller)
{
	char *list = strchr(line, ':'), *path, *rest = NULL;

	path = list != NULL ? strchr(++list, ':') : NULL;
	if (path == NULL)
		return NULL;
	*path++ = '\0';
	if (controller == NULL)
		return *list == '\0' ? path : NULL;
	for (char *word = strtok_r(list, ",", &rest); word != NULL;
	     word = strtok_r(NULL, ",", &rest))
		if (strcmp(word, controller) == 0)
			return path;
	return NULL;
}

/* Where a process is; the caller frees.  NULL with errno set. */
static char *path_of(pid_t pid, const char *controller)
{
	char *name, *line = NULL, *path = NULL;
	const char *found;
	size_t size = 0;
	FILE *file;

	if (asprintf(&name, "/proc/%jd/cgroup", (intmax_t)pid) < 0)
		return NULL;
	file = fopen(name, "re");
	free(name);
	if (file == NULL)
		return NULL;
	errno = ENOENT;
	while (path == NULL && getline(&line, &size, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		found = path_in(line, controller);
		if (found != NULL)
			path = strdup(found);
	}
	free(line);
	fclose(file);
	return path;
}

char *tb_cpuset_path_of(pid_t pid, struct tb_error *err)
{
	char *path;

	if (find_version(err) < 0)
		return NULL;
	path = path_of(pid, version == V2 ? NULL : CONTROLLER);
	if (path == NULL)
		tb_fail(err,
			"the cpuset cgroup of process %jd cannot be found: %s",
			(intmax_t)pid, strerror(errno));
	return path;
}

static int write_file(const char *path, const char *file, const char *text,
		      struct tb_error *err)
{
	const char *why = tb_hierarchy_write(CONTROLLER, path, file, text);

	if (why != NULL)
		return tb_fail(err,
			       "cannot write \"%s\" to %s of cgroup %s: "
			       "%s",
			       text, file, path, why);
	return 0;
}

/* The one line of a file without its newline; the caller frees. */
static char *read_file(const char *path, const char *file, struct tb_error *err)
{
	char *text = malloc(LIST_SIZE);
	const char *why;

	if (text == NULL) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	why = tb_hierarchy_read(CONTROLLER, path, file, text, LIST_SIZE);
	if (why != NULL) {
		tb_fail(err, "cannot read %s of cgroup %s: %s", file, path,
			why);
		free(text);
		return NULL;
	}
	text[strcspn(text, "\n")] = '\0';
	return text;
}

static struct tb_bitset *read_set(const char *path, const char *file,
				  struct tb_error *err)
{
	struct tb_bitset *set;
	char *text = read_file(path, file, err);

	if (text == NULL)
		return NULL;
	if (text[0] == '\0') {
		set = tb_bitset_create(TB_CPUSET_OS_MAX);
		if (set == NULL)
			tb_fail(err, "out of memory");
	} else {
		set = tb_bitset_parse_list(text, TB_CPUSET_OS_MAX, err);
	}
	free(text);
	return set;
}

/* With v2 the kernel may give fewer CPUs than were written. */
static const char *seen_file(const char *file)
{
	if (version == V1)
		return file;
	return strcmp(file, CPUS_FILE) == 0 ? CPUS_FILE ".effective"
					    : NODES_FILE ".effective";
}

static struct tb_bitset *read_seen(const char *path, const char *file,
				   struct tb_error *err)
{
	if (find_version(err) < 0)
		return NULL;
	return read_set(path, seen_file(file), err);
}

struct tb_bitset *tb_cpuset_read_cpus(const char *path, struct tb_error *err)
{
	return read_seen(path, CPUS_FILE, err);
}

struct tb_bitset *tb_cpuset_read_nodes(const char *path, struct tb_error *err)
{
	return read_seen(path, NODES_FILE, err);
}

/* NULL: it is not there, or has none. */
static struct tb_bitset *read_some(const char *path)
{
	struct tb_bitset *cpus = read_seen(path, CPUS_FILE, NULL);

	if (cpus != NULL && tb_bitset_is_empty(cpus)) {
		tb_bitset_destroy(cpus);
		cpus = NULL;
	}
	return cpus;
}

struct tb_bitset *tb_cpuset_read_left(const char *path, struct tb_error *err)
{
	struct tb_bitset *cpus = NULL;
	char *at = strdup(path), *slash = at;

	while (at != NULL && at[0] != '\0' && slash != NULL &&
	       (cpus = read_some(at)) == NULL) {
		slash = strrchr(at, '/');
		if (slash != NULL)
			*slash = '\0';
	}
	free(at);
	return cpus != NULL ? cpus : read_seen("/", CPUS_FILE, err);
}

bool tb_cpuset_is_limited(const char *path)
{
	char *text = find_version(NULL) == 0 ? read_file(path, CPUS_FILE, NULL)
					     : NULL;
	bool limited = text != NULL && text[0] != '\0';

	free(text);
	return limited;
}

static char *join_path(const char *parent, const char *name)
{
	size_t len = strlen(parent);
	char *path;

	if (len > 0 && parent[len - 1] == '/')
		len--;
	if (asprintf(&path, "%.*s/%s", (int)len, parent, name) < 0)
		return NULL;
	return path;
}

char *tb_cpuset_directory(const char *path, struct tb_error *err)
{
	char *mount = NULL, *dir = NULL;
	const char *why;

	if (find_version(err) < 0)
		return NULL;
	why = tb_hierarchy_mount(CONTROLLER, &mount);
	if (why != NULL) {
		tb_fail(err,
			"the mount point of the cpuset controller cannot "
			"be found: %s",
			why);
	} else if (asprintf(&dir, "%s%s", mount, path) < 0) {
		tb_fail(err, "out of memory");
		dir = NULL;
	}
	free(mount);
	return dir;
}

char *tb_cgroup_directory_of(pid_t pid, const char *controller)
{
	char *mount = NULL, *path = NULL, *dir = NULL;

	if (find_version(NULL) == 0 &&
	    tb_hierarchy_mount(controller, &mount) == NULL &&
	    (path = path_of(pid, controller)) != NULL &&
	    asprintf(&dir, "%s%s", mount, path) < 0)
		dir = NULL;
	free(mount);
	free(path);
	return dir;
}

/* Longer than a process takes to die. */
#define TAKE_WAIT_MS 1000

/*
 * Slurm gives the cgroup of a step to the step's user.  Who owns it can make a
 * cgroup beside the task's and move there, or in its place and change it.
 */
static int take(const char *path, bool is_parent, struct tb_error *err)
{
	const struct timespec until = tb_clear_until(TAKE_WAIT_MS);
	char *dir = tb_cpuset_directory(path, err);
	int fd = dir != NULL ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
			     : -1;
	int rc = 0;

	if (dir == NULL)
		return -1;
	if (fd < 0 || tb_give_to_root(fd) < 0)
		rc = tb_fail(err, "cannot give %s to root: %s", dir,
			     strerror(errno));
	else if (is_parent && !tb_clear_below(fd, false, &until))
		rc = tb_fail(err,
			     "in %s is a cgroup that root has not made, and "
			     "that cannot be removed",
			     dir);
	if (fd >= 0)
		close(fd);
	free(dir);
	return rc;
}

struct tb_cpuset *tb_cpuset_create(const char *parent, const char *name,
				   struct tb_error *err)
{
	struct tb_cpuset *cpuset;
	const char *why = NULL;

	if (find_version(err) < 0 || take(parent, true, err) < 0)
		return NULL;
	cpuset = calloc(1, sizeof(*cpuset));
	if (cpuset != NULL) {
		cpuset->parent = strdup(parent);
		cpuset->path = join_path(parent, name);
	}
	if (cpuset == NULL || cpuset->parent == NULL || cpuset->path == NULL)
		tb_fail(err, "out of memory");
	else if ((why = tb_hierarchy_make(CONTROLLER, cpuset->path)) != NULL)
		tb_fail(err, "cannot make the cpuset cgroup %s: %s",
			cpuset->path, why);
	else
		return cpuset;
	tb_cpuset_destroy(cpuset);
	return NULL;
}

struct tb_cpuset *tb_cpuset_open(const char *path, struct tb_error *err)
{
	struct tb_cpuset *cpuset;

	if (find_version(err) < 0 || take(path, false, err) < 0)
		return NULL;
	cpuset = calloc(1, sizeof(*cpuset));
	if (cpuset != NULL)
		cpuset->path = strdup(path);
	if (cpuset == NULL || cpuset->path == NULL) {
		tb_fail(err, "out of memory");
		tb_cpuset_destroy(cpuset);
		return NULL;
	}
	return cpuset;
}

void tb_cpuset_destroy(struct tb_cpuset *cpuset)
{
	if (cpuset == NULL)
		return;
	free(cpuset->parent);
	free(cpuset->path);
	free(cpuset);
}

const char *tb_cpuset_path(const struct tb_cpuset *cpuset)
{
	return cpuset->path;
}

/* The kernel prints a set its own way: compare as sets, not as text. */
static int check_set(const char *path, const char *file,
		     const struct tb_bitset *wanted, const char *wanted_text,
		     struct tb_error *err)
{
	char *text = read_file(path, file, err);
	struct tb_bitset *seen;
	int rc = 0;

	if (text == NULL)
		return -1;
	seen = tb_bitset_parse_list(text, wanted->nbits, NULL);
	if (seen == NULL || !tb_bitset_equal(seen, wanted))
		rc = tb_fail(err,
			     "%s of cgroup %s is \"%s\" after \"%s\" was "
			     "written",
			     file, path, text, wanted_text);
	tb_bitset_destroy(seen);
	free(text);
	return rc;
}

static int set_and_check(const char *path, const char *file,
			 const struct tb_bitset *wanted, struct tb_error *err)
{
	char *text = tb_bitset_print_list(wanted);
	int rc = -1;

	if (text == NULL)
		return tb_fail(err, "out of memory");
	if (text[0] == '\0')
		tb_fail(err, "%s of cgroup %s cannot be made empty", file,
			path);
	else if (write_file(path, file, text, err) == 0)
		rc = check_set(path, seen_file(file), wanted, text, err);
	free(text);
	return rc;
}

int tb_cpuset_set(const struct tb_cpuset *cpuset,
		  const struct tb_bitset *os_cpus,
		  const struct tb_bitset *os_nodes, struct tb_error *err)
{
	struct tb_bitset *parents = NULL;
	int rc = 0;

	/* A v2 cgroup has its parent's unless told otherwise. */
	if (os_nodes == NULL && version == V1 && cpuset->parent != NULL) {
		parents = read_set(cpuset->parent, NODES_FILE, err);
		if (parents == NULL)
			return -1;
		os_nodes = parents;
	}
	if (os_nodes != NULL)
		rc = set_and_check(cpuset->path, NODES_FILE, os_nodes, err);
	if (rc == 0)
		rc = set_and_check(cpuset->path, CPUS_FILE, os_cpus, err);
	tb_bitset_destroy(parents);
	return rc;
}

int tb_cpuset_migrate_memory(const struct tb_cpuset *cpuset,
			     struct tb_error *err)
{
	return version == V1 ? write_file(cpuset->path, MIGRATE_FILE, "1", err)
			     : 0;
}

/* All threads move at once through cgroup.procs. */
static int move_process(const char *path, pid_t pid, struct tb_error *err)
{
	char *text;
	int rc;

	if (asprintf(&text, "%jd", (intmax_t)pid) < 0)
		return tb_fail(err, "out of memory");
	rc = write_file(path, PROCS_FILE, text, err);
	free(text);
	return rc;
}

int tb_cpuset_attach(const struct tb_cpuset *cpuset, pid_t pid,
		     struct tb_error *err)
{
	char *path;
	int rc = 0;

	if (move_process(cpuset->path, pid, err) < 0)
		return -1;
	path = tb_cpuset_path_of(pid, err);
	if (path == NULL)
		return -1;
	if (strcmp(path, cpuset->path) != 0)
		rc = tb_fail(err,
			     "process %jd is in the cpuset cgroup %s "
			     "after it was moved to %s",
			     (intmax_t)pid, path, cpuset->path);
	free(path);
	return rc;
}

int tb_cpuset_remove(const struct tb_cpuset *cpuset,
		     const struct timespec *until, struct tb_error *err)
{
	char *dir = tb_cpuset_directory(cpuset->path, err);
	int rc = dir != NULL ? tb_clear(dir, until, err) : -1;

	free(dir);
	return rc;
}
