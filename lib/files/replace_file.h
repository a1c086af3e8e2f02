/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replace_file.h - give a file new content, all of it or nothing
 *
 * Readers find the old file or the new one, never a part of it, and after a
 * failure the old one.  The new content is written to NAME.PID.new beside the
 * file, which then gets the file's name.  Neither name is followed when it is a
 * symbolic link: at NAME the link itself is replaced.  A process that is killed
 * while it writes leaves its NAME.PID.new behind, where it hinders nobody.
 *
 * Several processes may replace one file at a time, the last one wins; threads
 * of one process must not.
 *
 * No Slurm in here.
 */
#ifndef TB_FILES_REPLACE_FILE_H
#define TB_FILES_REPLACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/base/error.h"

struct tb_new_content {
	const void *data;
	size_t size; /* in bytes */
	mode_t mode; /* whatever the umask */
	/*
	 * Wait until the content is on the disk, so that a power failure leaves
	 * the old file or the new one, too.  That can take seconds: not while
	 * others wait for a lock of the caller.
	 */
	bool sync;
};

/*
 * name is relative to the open directory, or to the working directory when that
 * is AT_FDCWD.  0, or -1 with a sentence: "NAME cannot be written: REASON".
 */
int tb_replace_file(int directory, const char *name,
		    const struct tb_new_content *content, struct tb_error *err);

#endif
