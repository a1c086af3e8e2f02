/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locked_files.h - a directory of files that do not outlive their makers
 *
 * In slurmd's spool directory; only root can make names in it, and only root
 * can open it.  As long as a file's slurmstepd lives it holds a lock on it, so a
 * file without one is left over from a slurmstepd that was killed; whoever comes
 * next removes it.
 *
 * No Slurm in here.
 */
#ifndef TB_TASK_LOCKED_FILES_H
#define TB_TASK_LOCKED_FILES_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/error.h"

/*
 * Open, and locked against all others who use it: between making a file and its
 * lock nobody may look at it.
 */
struct tb_locked_dir {
	char *path;
	int fd;
};

/*
 * With make it is made when it is not there.  -1 with a sentence; an open one
 * ends with tb_locked_dir_close().
 */
int tb_locked_dir_open(struct tb_locked_dir *dir, const char *spool_dir,
		       const char *name, bool make, struct tb_error *err);
void tb_locked_dir_close(struct tb_locked_dir *dir);

/*
 * For each file that is left over: may it go?  fd is the file, open for reading
 * and locked.  NULL: always.
 */
typedef bool tb_locked_file_end_t(int fd, const char *name);
void tb_locked_dir_sweep(const struct tb_locked_dir *dir,
			 tb_locked_file_end_t *end);

struct tb_locked_file {
	char *path; /* NULL: there is none */
	int fd;	    /* holds the lock; -1: none */
};

struct tb_locked_owner {
	uid_t uid;
	gid_t gid;
};

/*
 * A new file that its owner can read, with the text.  0, or -1 with a sentence;
 * tb_locked_file_remove() is right after both.
 */
int tb_locked_file_create(struct tb_locked_file *file,
			  const struct tb_locked_dir *dir, const char *name,
			  const struct tb_locked_owner *owner,
			  const char *text, struct tb_error *err);
void tb_locked_file_remove(struct tb_locked_file *file);
/* Instead: the file stays, as that of a slurmstepd that has been killed. */
void tb_locked_file_leave(struct tb_locked_file *file);

#endif
