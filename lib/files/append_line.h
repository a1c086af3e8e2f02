/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * append_line.h - one line more at the end of a file, all of it or nothing
 *
 * A line that could be written in part only is taken back, and behind one that was cut
 * (its writer was killed, or the machine) begins a new one.  Several processes may add
 * lines to one file.  The name is not followed when it is a symbolic link.
 *
 * No Slurm in here.
 */
#ifndef TB_FILES_APPEND_LINE_H
#define TB_FILES_APPEND_LINE_H

#include "core/base/error.h"

/*
 * The line has no newline.  A file that is not there is made.  0, or -1 with a sentence:
 * "NAME cannot be written: REASON".
 */
int tb_append_line(const char *name, const char *line, struct tb_error *err);

#endif
