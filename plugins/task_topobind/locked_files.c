/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "task_topobind/locked_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Users find their files by name, but cannot open the directory: who can, could
 * lock it and keep everybody waiting.
 */
#define DIRECTORY_MODE 0711

/* ---- the directory ---- */

/* Whoever else could make names in it could lead us elsewhere. */
static bool is_ours(int dir)
{
	struct stat status;

	return fstat(dir, &status) == 0 && status.st_uid == geteuid() &&
	       !(status.st_mode & (S_IWGRP | S_IWOTH));
}

/* -1 with errno. */
static int open_and_lock(const char *path)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0)
		return -1;
	if (!is_ours(dir)) {
		errno = EPERM;
	} else if (fchmod(dir, DIRECTORY_MODE) == 0 &&
		   flock(dir, LOCK_EX) == 0) {
		/* That mode whatever the umask was. */
		return dir;
	}
	close(dir);
	return -1;
}

static int open_path(struct tb_locked_dir *dir, bool make,
		     struct tb_error *err)
{
	if (make && mkdir(dir->path, DIRECTORY_MODE) < 0 && errno != EEXIST)
		return tb_fail(err, "%.200s cannot be made: %s", dir->path,
			       strerror(errno));
	dir->fd = open_and_lock(dir->path);
	if (dir->fd < 0)
		return tb_fail(err, "%.200s cannot be used, it must be a "
			       "directory that only root can write to: %s",
			       dir->path, strerror(errno));
	return 0;
}

int tb_locked_dir_open(struct tb_locked_dir *dir, const char *spool_dir,
		       const char *name, bool make, struct tb_error *err)
{
	dir->fd = -1;
	if (asprintf(&dir->path, "%s/%s", spool_dir, name) < 0)
		return tb_fail(err, "out of memory");
	if (open_path(dir, make, err) == 0)
		return 0;
	free(dir->path);
	return -1;
}

void tb_locked_dir_close(struct tb_locked_dir *dir)
{
	close(dir->fd);
	free(dir->path);
}

/* ---- left-overs ---- */

/* Open and locked; -1: its maker lives, or has just removed it. */
static int open_left_over(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
			O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &status) == 0 &&
	    status.st_nlink > 0)
		return fd;
	close(fd);
	return -1;
}

static void sweep_file(int dir, const char *name, tb_locked_file_end_t *end)
{
	int fd = open_left_over(dir, name);

	if (fd < 0)
		return;
	if (end == NULL || end(fd, name))
		unlinkat(dir, name, 0);
	close(fd);
}

void tb_locked_dir_sweep(const struct tb_locked_dir *dir,
			 tb_locked_file_end_t *end)
{
	/* Closing the stream closes its descriptor. */
	int copy = openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;

	if (entries == NULL) {
		if (copy >= 0)
			close(copy);
		return;
	}
	while ((entry = readdir(entries)) != NULL) {
		if (entry->d_name[0] != '.')
			sweep_file(dir->fd, entry->d_name, end);
	}
	closedir(entries);
}

/* ---- files ---- */

static int write_all(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t written = write(fd, text, left);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -1;
		text += written;
		left -= (size_t)written;
	}
	return 0;
}

/* -1 with errno. */
static int fill_file(int fd, const struct tb_locked_owner *owner,
		     const char *text)
{
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 || write_all(fd, text) < 0 ||
	    fchmod(fd, 0400) < 0)
		return -1;
	return fchown(fd, owner->uid, owner->gid);
}

/* Only what was made here gets a path: another's file is not ours to remove. */
int tb_locked_file_create(struct tb_locked_file *file,
			  const struct tb_locked_dir *dir, const char *name,
			  const struct tb_locked_owner *owner,
			  const char *text, struct tb_error *err)
{
	int fd = openat(dir->fd, name, O_WRONLY | O_CREAT | O_EXCL |
			O_NOFOLLOW | O_CLOEXEC, 0400);

	file->path = NULL;
	file->fd = fd;
	if (fd >= 0 && asprintf(&file->path, "%s/%s", dir->path, name) < 0) {
		file->path = NULL;
		unlinkat(dir->fd, name, 0);
		return tb_fail(err, "out of memory");
	}
	if (fd < 0 || fill_file(fd, owner, text) < 0)
		return tb_fail(err, "%.100s/%.60s cannot be written: %s",
			       dir->path, name, strerror(errno));
	return 0;
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
