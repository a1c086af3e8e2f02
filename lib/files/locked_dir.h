/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locked_dir.h - a directory of files that are locked as long as their makers live
 *
 * In slurmd's spool directory; only root can make names in it, and only root can
 * open it.  Who makes a file keeps a lock on it, so a file without a lock was
 * left by a process that was killed.
 *
 * No Slurm in here.
 */
#ifndef TB_FILES_LOCKED_DIR_H
#define TB_FILES_LOCKED_DIR_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/base/error.h"

/*
 * Who can open the directory could lock it and keep everybody waiting.  In the
 * second kind users find their files by name.
 */
#define TB_DIR_PRIVATE 0700
#define TB_DIR_SEARCHABLE 0711

struct tb_locked_dir {
	char *path;
	int fd;
};

/*
 * Open parent/name, not locked, for one of the two modes above; with make it is
 * made when it is not there.  0, or -1 with a sentence.  An open one ends with
 * tb_locked_dir_close(), which gives up its lock, too.
 */
int tb_locked_dir_open(struct tb_locked_dir *dir, const char *parent,
		       const char *name, mode_t mode, bool make,
		       struct tb_error *err);
void tb_locked_dir_close(struct tb_locked_dir *dir);

/*
 * Wait for the directory's lock; not twice.  Between making a file and its lock
 * nobody may look at it, so whoever makes files or asks whether their makers
 * live has the directory locked.  0, or -1 with a sentence.
 */
int tb_locked_dir_lock(const struct tb_locked_dir *dir, struct tb_error *err);
void tb_locked_dir_unlock(const struct tb_locked_dir *dir);
/* Open and lock. */
int tb_locked_dir_enter(struct tb_locked_dir *dir, const char *parent,
			const char *name, mode_t mode, bool make,
			struct tb_error *err);

/*
 * Each name with the suffix, until visit returns other than 0; that, or -1 when
 * the directory cannot be read.
 */
int tb_locked_dir_each(const struct tb_locked_dir *dir, const char *suffix,
		       int (*visit)(const char *name, void *data), void *data);

/*
 * For each file whose maker is dead: may it go?  fd is the file, open for
 * reading.  NULL: always.  The directory is locked.
 */
typedef bool tb_locked_file_end_t(int fd, const char *name);
void tb_locked_dir_sweep(const struct tb_locked_dir *dir,
			 tb_locked_file_end_t *end);

/*
 * The same where end takes its time: the directory is not locked, and is only for a
 * moment for each file.  While end runs, the file is.
 */
void tb_locked_dir_sweep_slowly(const struct tb_locked_dir *dir,
				tb_locked_file_end_t *end);
/*
 * Remove the file of a dead maker, for a new one of that name; waits so many
 * milliseconds for who looks at it.  The directory is locked.
 */
void tb_locked_dir_replace(const struct tb_locked_dir *dir, const char *name,
			   unsigned wait_ms);

/*
 * Wait for the lock of a file of that name, which is made when it is not there.
 * A descriptor, which ends it when it is closed; -1 with a sentence.
 */
int tb_locked_dir_lock_file(const struct tb_locked_dir *dir, const char *name,
			    struct tb_error *err);

/* ---- files ---- */

struct tb_locked_file {
	char *path; /* NULL: there is none */
	int fd;	    /* has the lock; -1: none */
};

/*
 * A new file of this process, locked, with the text (NULL: empty); only root can
 * read and write it.  The directory is locked.  0, or -1 with a sentence;
 * tb_locked_file_remove() is right after both.
 */
int tb_locked_file_create(struct tb_locked_file *file,
			  const struct tb_locked_dir *dir, const char *name,
			  const char *text, struct tb_error *err);
/* Give it to a user, who can only read it.  0, or -1 with a sentence. */
int tb_locked_file_give(const struct tb_locked_file *file, uid_t uid, gid_t gid,
			struct tb_error *err);
void tb_locked_file_remove(struct tb_locked_file *file);
/* Instead: the file stays, as that of a process that was killed. */
void tb_locked_file_leave(struct tb_locked_file *file);

/* Does the maker of an open file live?  True also when that is not known. */
bool tb_locked_file_is_alive(int fd);

#endif
