/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "clear.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROCS_FILE "cgroup.procs"

/* So many at a time; the others in the next round. */
#define KILL_MAX 64

/* Nobody's; root makes no cgroup as that group. */
#define MARKED_GID 65534

#define OPEN_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

struct timespec tb_clear_until(unsigned milliseconds)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += milliseconds / 1000;
	until.tv_nsec += milliseconds % 1000 * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000L;
	}
	return until;
}

bool tb_clear_is_over(const struct timespec *until)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > until->tv_sec ||
	       (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec);
}

/* ---- processes ---- */

/* Of a cgroup, as far as there is room; how many. */
static unsigned read_procs(int dir, pid_t pids[KILL_MAX])
{
	int fd = openat(dir, PROCS_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
	unsigned count = 0;
	int pid;

	if (file == NULL) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	/* 0 is one of another PID namespace: to kill that is to kill us. */
	while (count < KILL_MAX && fscanf(file, "%d", &pid) == 1)
		if (pid > 0 && pid != getpid())
			pids[count++] = pid;
	fclose(file);
	return count;
}

/* Kernels before 5.3 have no descriptors of processes. */
#define NO_DESCRIPTORS (-2)

/* A descriptor, NO_DESCRIPTORS, or -1: it has ended, or is for the next round. */
static int open_pid(pid_t pid)
{
	int fd;

#ifdef SYS_pidfd_open
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
#else
	(void)pid;
	fd = -1;
	errno = ENOSYS;
#endif
	return fd < 0 && errno == ENOSYS ? NO_DESCRIPTORS : fd;
}

static void kill_opened(int fd, pid_t pid)
{
#ifdef SYS_pidfd_send_signal
	if (fd >= 0)
		syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
#endif
	if (fd == NO_DESCRIPTORS)
		kill(pid, SIGKILL);
}

static bool has_pid(const pid_t *pids, unsigned count, pid_t pid)
{
	for (unsigned i = 0; i < count; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

/*
 * A number may be another process's by now: one that is still there after its
 * process has been opened is that process's.
 */
static void kill_procs(int dir)
{
	pid_t pids[KILL_MAX], again[KILL_MAX];
	int fds[KILL_MAX];
	unsigned count = read_procs(dir, pids), left;

	if (count == 0)
		return;
	for (unsigned i = 0; i < count; i++)
		fds[i] = open_pid(pids[i]);
	left = read_procs(dir, again);
	for (unsigned i = 0; i < count; i++) {
		if (has_pid(again, left, pids[i]))
			kill_opened(fds[i], pids[i]);
		if (fds[i] >= 0)
			close(fds[i]);
	}
}

static void write_word(int dir, const char *name, const char *word)
{
	int fd = openat(dir, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return;
	n = write(fd, word, strlen(word));
	(void)n;
	close(fd);
}

/* What v1's freezer has frozen does not die. */
static void kill_here(int dir)
{
	write_word(dir, "freezer.state", "THAWED");
	kill_procs(dir);
}

/* ---- owners ---- */

/*
 * Slurm gives away a directory; only who has made it has its files.  When root gets
 * them their group says whose they were, until they are gone.
 */
static bool has_foreign_files(int parent, const char *procs)
{
	struct stat status;

	return fstatat(parent, procs, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       (status.st_uid != 0 || status.st_gid == MARKED_GID);
}

bool tb_is_foreign(int parent, const char *name)
{
	char path[NAME_MAX + sizeof("/" PROCS_FILE)];

	return snprintf(path, sizeof(path), "%s/" PROCS_FILE, name) <
		       (int)sizeof(path) &&
	       has_foreign_files(parent, path);
}

static DIR *open_entries(int dir)
{
	/* Closing the stream closes its descriptor. */
	int copy = openat(dir, ".", OPEN_FLAGS);
	DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;

	if (entries == NULL && copy >= 0)
		close(copy);
	return entries;
}

static void give_file_to_root(int dir, const char *name)
{
	if (fchownat(dir, name, 0, MARKED_GID, AT_SYMLINK_NOFOLLOW) == 0)
		fchmodat(dir, name, 0600, 0);
}

static void give_files_to_root(int dir)
{
	DIR *entries = open_entries(dir);
	struct dirent *entry;

	while (entries != NULL && (entry = readdir(entries)) != NULL)
		if (entry->d_type == DT_REG)
			give_file_to_root(dir, entry->d_name);
	if (entries != NULL)
		closedir(entries);
}

int tb_give_to_root(int dir)
{
	if (fchown(dir, 0, 0) < 0)
		return -1;
	if (has_foreign_files(dir, PROCS_FILE))
		give_files_to_root(dir);
	return 0;
}

/* ---- a walk from leaf to leaf ---- */

/*
 * Without recursion, and with one directory open at a time: a user can make
 * thousands, each in the one before.
 */
struct walk {
	int dir;      /* where it is */
	char **names; /* of the directories that lead there */
	size_t depth, room;
	ino_t *stuck; /* could not be removed in this round */
	size_t stuck_count, stuck_room;
	bool all;
	const struct timespec *until;
};

static bool is_stuck(const struct walk *walk, ino_t inode)
{
	for (size_t i = 0; i < walk->stuck_count; i++)
		if (walk->stuck[i] == inode)
			return true;
	return false;
}

/* Room for one more; false: out of memory. */
static bool grow(void *array, size_t *room, size_t count, size_t size)
{
	void **data = array;
	size_t wanted = *room > 0 ? 2 * *room : 16;
	void *larger;

	if (count < *room)
		return true;
	larger = reallocarray(*data, wanted, size);
	if (larger == NULL)
		return false;
	*data = larger;
	*room = wanted;
	return true;
}

static bool add_stuck(struct walk *walk, ino_t inode)
{
	if (!grow(&walk->stuck, &walk->stuck_room, walk->stuck_count,
		  sizeof(*walk->stuck)))
		return false;
	walk->stuck[walk->stuck_count++] = inode;
	return true;
}

static bool is_wanted(const struct walk *walk, const struct dirent *entry)
{
	return entry->d_type == DT_DIR && entry->d_name[0] != '\0' &&
	       strcmp(entry->d_name, ".") != 0 &&
	       strcmp(entry->d_name, "..") != 0 &&
	       !is_stuck(walk, entry->d_ino) &&
	       (walk->all || walk->depth > 0 ||
		tb_is_foreign(walk->dir, entry->d_name));
}

/* The name of a child that was not visited.  The caller frees; NULL: none. */
static char *find_child(const struct walk *walk)
{
	DIR *entries = open_entries(walk->dir);
	struct dirent *entry;
	char *name = NULL;

	while (entries != NULL && name == NULL &&
	       (entry = readdir(entries)) != NULL)
		if (is_wanted(walk, entry))
			name = strdup(entry->d_name);
	if (entries != NULL)
		closedir(entries);
	return name;
}

/* Takes over name.  False when it cannot go there. */
static bool go_down(struct walk *walk, char *name)
{
	int dir = openat(walk->dir, name, OPEN_FLAGS);

	if (dir < 0 || !grow(&walk->names, &walk->room, walk->depth,
			     sizeof(*walk->names))) {
		if (dir >= 0)
			close(dir);
		free(name);
		return false;
	}
	walk->names[walk->depth++] = name;
	close(walk->dir);
	walk->dir = dir;
	tb_give_to_root(dir);
	kill_here(dir);
	return true;
}

static bool remove_and_go_up(struct walk *walk)
{
	int parent = openat(walk->dir, "..", OPEN_FLAGS);
	char *name = walk->names[--walk->depth];
	struct stat status;
	bool ok = parent >= 0 && fstat(walk->dir, &status) == 0;

	close(walk->dir);
	walk->dir = parent;
	if (ok && unlinkat(parent, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		ok = add_stuck(walk, status.st_ino);
	free(name);
	return ok;
}

/* All that is to go, once.  False when the walk ended early. */
static bool walk_round(struct walk *walk)
{
	while (!tb_clear_is_over(walk->until)) {
		char *name = find_child(walk);

		if (name == NULL && walk->depth == 0)
			return true;
		if (name != NULL ? !go_down(walk, name)
				 : !remove_and_go_up(walk))
			return false;
	}
	return false;
}

/* True when nothing is left of what is to go. */
static bool clear_once(int top, bool all, const struct timespec *until)
{
	struct walk walk = { .dir = openat(top, ".", OPEN_FLAGS),
			     .all = all,
			     .until = until };
	bool done;

	if (walk.dir < 0)
		return errno == ENOENT;
	done = walk_round(&walk) && walk.stuck_count == 0;
	while (walk.depth > 0)
		free(walk.names[--walk.depth]);
	if (walk.dir >= 0)
		close(walk.dir);
	free(walk.names);
	free(walk.stuck);
	return done;
}

void tb_clear_pause(void)
{
	const struct timespec pause = { .tv_nsec = 1000 * 1000 };

	nanosleep(&pause, NULL);
}

bool tb_clear_below(int directory, bool all, const struct timespec *until)
{
	bool done = clear_once(directory, all, until);

	while (!done && !tb_clear_is_over(until)) {
		tb_clear_pause();
		done = clear_once(directory, all, until);
	}
	return done;
}

/* ---- a whole cgroup ---- */

static bool has_self(int dir)
{
	int fd = openat(dir, PROCS_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
	bool found = false;
	int pid;

	if (file == NULL) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (!found && fscanf(file, "%d", &pid) == 1)
		found = pid == getpid();
	fclose(file);
	return found;
}

static bool try_clear(const char *directory, const struct timespec *until)
{
	int dir = open(directory, OPEN_FLAGS);
	bool done;

	if (dir < 0)
		return errno == ENOENT;
	tb_give_to_root(dir);
	kill_here(dir);
	done = clear_once(dir, true, until);
	if (done && !has_self(dir))
		done = rmdir(directory) == 0 || errno == ENOENT;
	close(dir);
	return done;
}

int tb_clear(const char *directory, const struct timespec *until,
	     struct tb_error *err)
{
	bool done = try_clear(directory, until);

	while (!done && !tb_clear_is_over(until)) {
		tb_clear_pause();
		done = try_clear(directory, until);
	}
	return done ? 0
		    : tb_fail(err,
			      "the cgroup %.300s cannot be removed: processes in "
			      "it do not die",
			      directory);
}
