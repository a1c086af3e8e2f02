/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "task_topobind/pe_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRECTORY "topobind_pe"
/*
 * Users find their files by name, but cannot open the directory: who can, could
 * lock it and keep everybody waiting.
 */
#define DIRECTORY_MODE 0711

struct pe_file {
	char *path; /* NULL: there is none */
	int fd;	    /* holds the lock */
};

struct tb_pe_files {
	struct pe_file hosts, ranks;
};

/* ---- the directory ---- */

/* Whoever else could make names in it could lead us elsewhere. */
static bool is_ours(int dir)
{
	struct stat status;

	return fstat(dir, &status) == 0 && status.st_uid == geteuid() &&
	       !(status.st_mode & (S_IWGRP | S_IWOTH));
}

static char *directory_path(const char *spool_dir)
{
	char *path;

	return asprintf(&path, "%s/" DIRECTORY, spool_dir) < 0 ? NULL : path;
}

/*
 * Open, and locked against other slurmstepds: between making a file and its
 * lock nobody may look at it.  Closing unlocks.  -1 with errno.
 */
static int open_directory(const char *path)
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

/* ---- left-overs ---- */

static bool is_left_over(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
			O_CLOEXEC);
	bool unlocked;

	if (fd < 0)
		return false;
	unlocked = flock(fd, LOCK_EX | LOCK_NB) == 0;
	close(fd);
	return unlocked;
}

static void sweep(int dir)
{
	/* Closing the stream closes its descriptor. */
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;

	if (entries == NULL) {
		if (copy >= 0)
			close(copy);
		return;
	}
	while ((entry = readdir(entries)) != NULL) {
		if (entry->d_name[0] != '.' && is_left_over(dir, entry->d_name))
			unlinkat(dir, entry->d_name, 0);
	}
	closedir(entries);
}

void tb_pe_files_sweep(const char *spool_dir)
{
	char *path = directory_path(spool_dir);
	int dir = path != NULL ? open_directory(path) : -1;

	if (dir >= 0) {
		sweep(dir);
		close(dir);
	}
	free(path);
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

struct owner {
	uid_t uid;
	gid_t gid;
};

/* -1 with errno. */
static int fill_file(int fd, const struct owner *owner, const char *text)
{
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 || write_all(fd, text) < 0 ||
	    fchmod(fd, 0400) < 0)
		return -1;
	return fchown(fd, owner->uid, owner->gid);
}

/* Only what was made here gets a path: another's file is not ours to remove. */
static int create_file(struct pe_file *file, int dir, const char *directory,
		       const char *name, const struct owner *owner,
		       const char *text, struct tb_error *err)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
			O_CLOEXEC, 0400);

	file->fd = fd;
	if (fd >= 0 && asprintf(&file->path, "%s/%s", directory, name) < 0) {
		file->path = NULL;
		unlinkat(dir, name, 0);
		return tb_fail(err, "out of memory");
	}
	if (fd < 0 || fill_file(fd, owner, text) < 0)
		return tb_fail(err, "%.100s/%.60s cannot be written: %s",
			       directory, name, strerror(errno));
	return 0;
}

static int create_both(struct tb_pe_files *files, int dir,
		       const char *directory, const char *step,
		       const struct owner *owner,
		       const struct tb_pe_texts *texts, struct tb_error *err)
{
	char *hosts = NULL, *ranks = NULL;
	int rc;

	if (asprintf(&hosts, "%s.hosts", step) < 0)
		hosts = NULL;
	if (asprintf(&ranks, "%s.ranks", step) < 0)
		ranks = NULL;
	if (hosts == NULL || ranks == NULL)
		rc = tb_fail(err, "out of memory");
	else
		rc = create_file(&files->hosts, dir, directory, hosts, owner,
				 texts->hosts, err);
	if (rc == 0 && texts->ranks != NULL)
		rc = create_file(&files->ranks, dir, directory, ranks, owner,
				 texts->ranks, err);
	free(hosts);
	free(ranks);
	return rc;
}

static int create_files(struct tb_pe_files *files, const char *directory,
			const char *step, const struct owner *owner,
			const struct tb_pe_texts *texts, struct tb_error *err)
{
	int dir, rc;

	if (mkdir(directory, DIRECTORY_MODE) < 0 && errno != EEXIST)
		return tb_fail(err, "%.200s cannot be made: %s", directory,
			       strerror(errno));
	dir = open_directory(directory);
	if (dir < 0)
		return tb_fail(err, "%.200s cannot be used, it must be a "
			       "directory that only root can write to: %s",
			       directory, strerror(errno));
	sweep(dir);
	rc = create_both(files, dir, directory, step, owner, texts, err);
	close(dir);
	return rc;
}

struct tb_pe_files *tb_pe_files_create(const char *spool_dir, const char *step,
				       uid_t uid, gid_t gid,
				       const struct tb_pe_texts *texts,
				       struct tb_error *err)
{
	struct tb_pe_files *files = calloc(1, sizeof(*files));
	char *directory = directory_path(spool_dir);
	const struct owner owner = { uid, gid };

	if (files != NULL)
		files->hosts.fd = files->ranks.fd = -1;
	if (files == NULL || directory == NULL)
		tb_fail(err, "out of memory");
	else if (create_files(files, directory, step, &owner, texts, err) == 0)
		goto out;
	tb_pe_files_destroy(files);
	files = NULL;
out:
	free(directory);
	return files;
}

/* Without its lock a file may be swept: first the name, then the lock. */
static void remove_file(struct pe_file *file)
{
	if (file->path != NULL)
		unlink(file->path);
	if (file->fd >= 0)
		close(file->fd);
	free(file->path);
}

void tb_pe_files_destroy(struct tb_pe_files *files)
{
	if (files == NULL)
		return;
	remove_file(&files->hosts);
	remove_file(&files->ranks);
	free(files);
}

const char *tb_pe_files_hosts(const struct tb_pe_files *files)
{
	return files->hosts.path;
}

const char *tb_pe_files_ranks(const struct tb_pe_files *files)
{
	return files->ranks.path;
}
