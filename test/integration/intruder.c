/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intruder.c - try to keep directories in Slurm's cgroups, as any user can
 *
 * usage: intruder SECONDS TOP...
 *
 * TOP is Slurm's directory in a hierarchy of cgroup v1.  As long as it may, it makes
 * directories in those of the steps of its user, with all CPUs that these have, and
 * moves each process of its user that is in one of them already, but none of others
 * who happen to be the same user, into them.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What it can make it may keep open, for when the directory is root's. */
#define KEPT_MAX 64

static int kept[KEPT_MAX];
static unsigned kept_count;

static void copy(const char *from, const char *to, const char *file)
{
	char path[4096], text[4096];
	ssize_t length = -1;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", from, file);
	fd = open(path, O_RDONLY);
	if (fd >= 0) {
		length = read(fd, text, sizeof(text));
		close(fd);
	}
	snprintf(path, sizeof(path), "%s/%s", to, file);
	fd = length > 0 ? open(path, O_WRONLY) : -1;
	if (fd >= 0) {
		if (write(fd, text, length) < 0)
			perror(path);
		close(fd);
	}
}

static void keep(const char *dir)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	fd = open(path, O_WRONLY);
	if (fd >= 0 && kept_count < KEPT_MAX)
		kept[kept_count++] = fd;
	else if (fd >= 0)
		close(fd);
}

static void make(const char *step, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", step, name);
	if (mkdir(path, 0755) < 0)
		return;
	printf("%s\n", path);
	fflush(stdout);
	copy(step, path, "cpuset.mems");
	copy(step, path, "cpuset.cpus");
	keep(path);
	snprintf(path, sizeof(path), "%s/%s/deep", step, name);
	mkdir(path, 0755);
}

/* One in the way of topobind's, too. */
static void make_in_steps(const char *top)
{
	char pattern[4096];
	glob_t steps;

	snprintf(pattern, sizeof(pattern), "%s/uid_%u/job_*/step_*", top,
		 (unsigned)getuid());
	if (glob(pattern, 0, NULL, &steps) != 0)
		return;
	for (size_t i = 0; i < steps.gl_pathc; i++) {
		make(steps.gl_pathv[i], "x");
		make(steps.gl_pathv[i], "task_0");
	}
	globfree(&steps);
}

static int is_mine(int proc, const char *name)
{
	struct stat status;

	return isdigit((unsigned char)name[0]) && atoi(name) != getpid() &&
	       fstatat(proc, name, &status, 0) == 0 &&
	       status.st_uid == getuid();
}

/* Is the process in a cgroup below this directory of Slurm's? */
static int is_below(int proc, const char *name, const char *top)
{
	char path[64], text[4096];
	ssize_t length = -1;
	int fd;

	snprintf(path, sizeof(path), "%.20s/cgroup", name);
	fd = openat(proc, path, O_RDONLY);
	if (fd >= 0) {
		length = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[length > 0 ? length : 0] = '\0';
	snprintf(path, sizeof(path), "%.60s/", strrchr(top, '/'));
	return strstr(text, path) != NULL;
}

static void move_all(const char *top)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (kept_count > 0 && proc != NULL &&
	       (entry = readdir(proc)) != NULL)
		if (is_mine(dirfd(proc), entry->d_name) &&
		    is_below(dirfd(proc), entry->d_name, top))
			for (unsigned i = 0; i < kept_count; i++)
				if (write(kept[i], entry->d_name,
					  strlen(entry->d_name)) < 0)
					continue;
	if (proc != NULL)
		closedir(proc);
}

int main(int argc, char **argv)
{
	time_t end;

	if (argc < 3 || strrchr(argv[2], '/') == NULL)
		return 2;
	end = time(NULL) + atoi(argv[1]);
	while (time(NULL) < end) {
		for (int i = 2; i < argc; i++)
			make_in_steps(argv[i]);
		move_all(argv[2]);
	}
	return 0;
}
