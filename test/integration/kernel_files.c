/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_files.c - files that this kernel does not have, for what runs with this
 * library preloaded
 *
 * Those by which openEuler's kernels do soft binding.  Which of them there are is
 * in KERNEL_FILES, separated by commas.  One is made, empty, in a tree below
 * KERNEL_TREE when it is opened, by the path that it would have, if the directory
 * is there.  As that kernel, this one refuses preferred CPUs that are not in the
 * cpuset.  And which CPUs are on, if that is in the tree.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define THREAD_FILE "preferred_cpuset"
#define CGROUP_FILE "cpuset.preferred_cpus"

typedef int openat_t(int dir, const char *name, int flags, mode_t mode);
typedef ssize_t write_t(int file, const void *text, size_t length);

/* Is it one of those of openEuler?  here: and one that there is. */
static bool is_theirs(const char *name, bool *here)
{
	static const char *const all[] = { THREAD_FILE,
					   CGROUP_FILE,
					   "cpuacct.nr_select_prefer_cpus",
					   "cpuacct.nr_select_allowed_cpus",
					   "cpuacct.nr_smoothed_prefer_cpus",
					   "sched_dynamic_affinity_disable",
					   "sched_util_low_pct",
					   "sched_features",
					   NULL };
	const char *slash = strrchr(name, '/');
	const char *base = slash != NULL ? slash + 1 : name;
	const char *files = getenv("KERNEL_FILES");

	for (int i = 0; all[i] != NULL; i++) {
		if (strcmp(base, all[i]) != 0)
			continue;
		*here = files != NULL && strstr(files, base) != NULL;
		return true;
	}
	return false;
}

/* The path of a name in an open directory. */
static void full_path(char path[PATH_MAX], int dir, const char *name)
{
	char link[64], at[PATH_MAX] = "";
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	length = name[0] == '/' ? 0 : readlink(link, at, sizeof(at) - 1);
	at[length > 0 ? length : 0] = '\0';
	snprintf(path, PATH_MAX, "%.2000s%s%.2000s", at,
		 name[0] == '/' ? "" : "/", name);
}

static void make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static bool parent_is_there(const char *path)
{
	char parent[PATH_MAX];

	snprintf(parent, sizeof(parent), "%s", path);
	*strrchr(parent, '/') = '\0';
	/* debugfs need not be mounted here. */
	return strcmp(parent, "/sys/kernel/debug") == 0 ||
	       access(parent, F_OK) == 0;
}

static int open_theirs(int dir, const char *name, int flags)
{
	openat_t *next = (openat_t *)dlsym(RTLD_NEXT, "openat");
	char path[PATH_MAX], copy[2 * PATH_MAX];

	full_path(path, dir, name);
	if (!parent_is_there(path)) {
		errno = ENOENT;
		return -1;
	}
	snprintf(copy, sizeof(copy), "%s%s", getenv("KERNEL_TREE"), path);
	make_parents(copy);
	return next(AT_FDCWD, copy, flags | O_CREAT, 0644);
}

/* As if CPUs were off, from the moment that there is such a file in the tree. */
static int open_online(const char *name)
{
	openat_t *next = (openat_t *)dlsym(RTLD_NEXT, "openat");
	char copy[PATH_MAX];

	if (strcmp(name, "/sys/devices/system/cpu/online") != 0)
		return -1;
	snprintf(copy, sizeof(copy), "%.2000s%.60s", getenv("KERNEL_TREE"),
		 name);
	return next(AT_FDCWD, copy, O_RDONLY | O_CLOEXEC, 0);
}

static int open_any(int dir, const char *name, int flags, mode_t mode)
{
	openat_t *next = (openat_t *)dlsym(RTLD_NEXT, "openat");
	int online = open_online(name);
	bool here;

	if (online >= 0)
		return online;

	if (!is_theirs(name, &here))
		return next(dir, name, flags, mode);
	if (here)
		return open_theirs(dir, name, flags);
	errno = ENOENT;
	return -1;
}

static mode_t mode_of(int flags, va_list *arguments)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(*arguments, mode_t) : 0;
}

int openat(int dir, const char *name, int flags, ...)
{
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = mode_of(flags, &arguments);
	va_end(arguments);
	return open_any(dir, name, flags, mode);
}

int open(const char *name, int flags, ...)
{
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = mode_of(flags, &arguments);
	va_end(arguments);
	return open_any(AT_FDCWD, name, flags, mode);
}

/* ---- what may be preferred ---- */

static void read_list(cpu_set_t *set, const char *list)
{
	CPU_ZERO(set);
	while (*list >= '0' && *list <= '9') {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (unsigned long cpu = first; cpu <= last; cpu++)
			CPU_SET(cpu, set);
		list = *end == ',' ? end + 1 : end;
	}
}

/* What a cgroup or a thread may use, by the path of its file. */
static bool read_allowed(cpu_set_t *allowed, const char *path)
{
	const char *thread = strstr(path, "/task/");
	char cpus[PATH_MAX], list[1000] = "";
	FILE *file;

	if (strstr(path, "/" THREAD_FILE) != NULL)
		return thread != NULL &&
		       sched_getaffinity(atoi(thread + 6), sizeof(*allowed),
					 allowed) == 0;
	snprintf(cpus, sizeof(cpus), "%.*s/cpuset.cpus",
		 (int)(strrchr(path, '/') - path), path);
	file = fopen(cpus, "re");
	if (file == NULL)
		return false;
	if (fgets(list, sizeof(list), file) != NULL)
		read_list(allowed, list);
	fclose(file);
	return list[0] != '\0';
}

static bool is_allowed(const char *path, const void *text, size_t length)
{
	cpu_set_t preferred, allowed, both;
	char list[1000];

	snprintf(list, sizeof(list), "%.*s", (int)length, (const char *)text);
	read_list(&preferred, list);
	if (!read_allowed(&allowed, path))
		return false;
	CPU_AND(&both, &preferred, &allowed);
	return CPU_EQUAL(&both, &preferred);
}

ssize_t write(int file, const void *text, size_t length)
{
	write_t *next = (write_t *)dlsym(RTLD_NEXT, "write");
	const char *tree = getenv("KERNEL_TREE");
	char path[PATH_MAX];

	full_path(path, file, "");
	if (strncmp(path, tree, strlen(tree)) != 0)
		return next(file, text, length);
	/* full_path() has put a slash at its end. */
	path[strlen(path) - 1] = '\0';
	if (strstr(path, "preferred_cpu") != NULL &&
	    !is_allowed(path + strlen(tree), text, length)) {
		errno = EINVAL;
		return -1;
	}
	/* A shorter list leaves nothing of the one before. */
	return ftruncate(file, 0) < 0 ? -1 : next(file, text, length);
}
