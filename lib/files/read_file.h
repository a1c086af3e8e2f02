/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read_file.h - all of a file at once
 *
 * No Slurm in here.
 */
#ifndef TB_FILES_READ_FILE_H
#define TB_FILES_READ_FILE_H

#include <stddef.h>

/*
 * The bytes of an open file from its beginning, with a NUL behind them; how many
 * there are goes to size.  The caller frees.  NULL with errno: EINVAL when it is
 * not a regular file, EFBIG when it has more than max bytes, EIO when it was cut
 * meanwhile.
 */
char *tb_read_file(int fd, size_t max, size_t *size);

#endif
