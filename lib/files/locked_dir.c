/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE /* asprintf */
#include "locked_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "write_all.h"

/* ---- the directory ---- */

/*
 * Whoever else could make names in it could lead us elsewhere.  It gets that mode
 * whatever the umask was; one that has it may be on a read-only disk.
 */
static bool is_ours(int fd, mode_t mode)
{
	mode_t others = mode == TB_DIR_PRIVATE ? S_IRWXG | S_IRWXO
					       : S_IWGRP | S_IWOTH;
	struct stat status;

	return fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
	       !(status.st_mode & others) &&
	       ((status.st_mode & ALLPERMS) == mode || fchmod(fd, mode) == 0);
}

/* -1 with errno. */
static int open_ours(const char *path, mode_t mode)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (is_ours(fd, mode))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

static int open_path(struct tb_locked_dir *dir, mode_t mode, bool make,
		     struct tb_error *err)
{
	if (make && mkdir(dir->path, mode) < 0 && errno != EEXIST)
		return tb_fail(err, "%.200s cannot be made: %s", dir->path,
			       strerror(errno));
	dir->fd = open_ours(dir->path, mode);
	if (dir->fd < 0)
		return tb_fail(err,
			       "%.200s cannot be used, it must be a "
			       "directory of root's with mode %04o: %s",
			       dir->path, (unsigned)mode, strerror(errno));
	return 0;
}

int tb_locked_dir_open(struct tb_locked_dir *dir, const char *parent,
		       const char *name, mode_t mode, bool make,
		       struct tb_error *err)
{
	dir->fd = -1;
	if (asprintf(&dir->path, "%s/%s", parent, name) < 0) {
		dir->path = NULL;
		return tb_fail(err, "out of memory");
	}
	if (open_path(dir, mode, make, err) == 0)
		return 0;
	free(dir->path);
	dir->path = NULL;
	return -1;
}

void tb_locked_dir_close(struct tb_locked_dir *dir)
{
	tb_locked_dir_unlock(dir);
	close(dir->fd);
	free(dir->path);
}

/* -1 with errno. */
static int wait_for_lock(int fd)
{
	int rc;

	do
		rc = flock(fd, LOCK_EX);
	while (rc < 0 && errno == EINTR);
	return rc;
}

int tb_locked_dir_lock(const struct tb_locked_dir *dir, struct tb_error *err)
{
	return wait_for_lock(dir->fd) == 0
		       ? 0
		       : tb_fail(err, "%.200s cannot be locked: %s", dir->path,
				 strerror(errno));
}

/* Not by closing alone: a child that was just forked would keep the lock. */
void tb_locked_dir_unlock(const struct tb_locked_dir *dir)
{
	flock(dir->fd, LOCK_UN);
}

int tb_locked_dir_enter(struct tb_locked_dir *dir, const char *parent,
			const char *name, mode_t mode, bool make,
			struct tb_error *err)
{
	if (tb_locked_dir_open(dir, parent, name, mode, make, err) < 0)
		return -1;
	if (tb_locked_dir_lock(dir, err) == 0)
		return 0;
	tb_locked_dir_close(dir);
	return -1;
}

/* ---- what is in it ---- */

static bool has_suffix(const char *name, const char *suffix)
{
	size_t length = strlen(name), tail = strlen(suffix);

	return length > tail && strcmp(name + length - tail, suffix) == 0;
}

int tb_locked_dir_each(const struct tb_locked_dir *dir, const char *suffix,
		       int (*visit)(const char *name, void *data), void *data)
{
	/* Closing the stream closes its descriptor. */
	int copy = openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;
	int rc = 0;

	if (entries == NULL) {
		if (copy >= 0)
			close(copy);
		return -1;
	}
	while (rc == 0 && (entry = readdir(entries)) != NULL)
		if (entry->d_name[0] != '.' &&
		    has_suffix(entry->d_name, suffix))
			rc = visit(entry->d_name, data);
	closedir(entries);
	return rc;
}

struct sweeper {
	const struct tb_locked_dir *dir;
	tb_locked_file_end_t *end;
	bool slowly;
};

/*
 * NFS locks for one alone only what is open to write; when that is closed, whoever
 * watches the directory looks again.  To share it does to see that the maker is dead.
 */
static bool lock_at_once(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) == 0 ||
	       (errno == EBADF && flock(fd, LOCK_SH | LOCK_NB) == 0);
}

/*
 * O_RDONLY or O_RDWR; with its lock, which a living maker would have.  -1: it is no
 * left-over, or cannot be opened so.
 */
static int open_left_over(int dir, const char *name, int mode)
{
	int fd = openat(dir, name, mode | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return -1;
	/* Without a name: its maker has just removed it. */
	if (lock_at_once(fd) && fstat(fd, &status) == 0 && status.st_nlink > 0)
		return fd;
	close(fd);
	return -1;
}

static int sweep_file(const char *name, void *data)
{
	const struct sweeper *sweeper = data;
	int fd;

	if (sweeper->slowly && wait_for_lock(sweeper->dir->fd) < 0)
		return -1;
	fd = open_left_over(sweeper->dir->fd, name, O_RDONLY);
	if (sweeper->slowly)
		tb_locked_dir_unlock(sweeper->dir);
	if (fd < 0)
		return 0;
	if (sweeper->end == NULL || sweeper->end(fd, name))
		unlinkat(sweeper->dir->fd, name, 0);
	close(fd);
	return 0;
}

void tb_locked_dir_sweep(const struct tb_locked_dir *dir,
			 tb_locked_file_end_t *end)
{
	struct sweeper sweeper = { dir, end, false };

	tb_locked_dir_each(dir, "", sweep_file, &sweeper);
}

void tb_locked_dir_sweep_slowly(const struct tb_locked_dir *dir,
				tb_locked_file_end_t *end)
{
	struct sweeper sweeper = { dir, end, true };

	tb_locked_dir_each(dir, "", sweep_file, &sweeper);
}

void tb_locked_dir_replace(const struct tb_locked_dir *dir, const char *name,
			   unsigned wait_ms)
{
	const struct timespec pause = { .tv_nsec = 1000 * 1000 };
	/* Alone, whatever the file system: who ends the former step is to be done. */
	int fd = open_left_over(dir->fd, name, O_RDWR);

	for (unsigned i = 0; fd < 0 && i < wait_ms; i++) {
		if (faccessat(dir->fd, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
			return;
		nanosleep(&pause, NULL);
		fd = open_left_over(dir->fd, name, O_RDWR);
	}
	if (fd < 0)
		return;
	unlinkat(dir->fd, name, 0);
	close(fd);
}

/* ---- files ---- */

/* Only what was made here gets a path: another's file is not ours to remove. */
int tb_locked_file_create(struct tb_locked_file *file,
			  const struct tb_locked_dir *dir, const char *name,
			  const char *text, struct tb_error *err)
{
	int fd = openat(dir->fd, name,
			O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);

	file->path = NULL;
	file->fd = fd;
	if (fd >= 0 && asprintf(&file->path, "%s/%s", dir->path, name) < 0) {
		file->path = NULL;
		unlinkat(dir->fd, name, 0);
		return tb_fail(err, "out of memory");
	}
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 ||
	    (text != NULL && tb_write_all(fd, text, strlen(text)) < 0))
		return tb_fail(err, "%.100s/%.60s cannot be written: %s",
			       dir->path, name, strerror(errno));
	return 0;
}

int tb_locked_file_give(const struct tb_locked_file *file, uid_t uid, gid_t gid,
			struct tb_error *err)
{
	if (fchmod(file->fd, 0400) == 0 && fchown(file->fd, uid, gid) == 0)
		return 0;
	return tb_fail(err, "%.200s cannot be given to user %lu: %s",
		       file->path, (unsigned long)uid, strerror(errno));
}

int tb_locked_dir_lock_file(const struct tb_locked_dir *dir, const char *name,
			    struct tb_error *err)
{
	int fd = openat(dir->fd, name,
			O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd >= 0 && wait_for_lock(fd) == 0)
		return fd;
	tb_fail(err, "%.200s/%.60s cannot be locked: %s", dir->path, name,
		strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

void tb_locked_file_leave(struct tb_locked_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	free(file->path);
}

/* Without its lock a file may be swept: first the name, then the lock. */
void tb_locked_file_remove(struct tb_locked_file *file)
{
	if (file->path != NULL)
		unlink(file->path);
	tb_locked_file_leave(file);
}

bool tb_locked_file_is_alive(int fd)
{
	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		return true;
	flock(fd, LOCK_UN);
	return false;
}
