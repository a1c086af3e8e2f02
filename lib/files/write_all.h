/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write_all.h - all bytes into an open file
 */
#ifndef TB_FILES_WRITE_ALL_H
#define TB_FILES_WRITE_ALL_H

#include <stddef.h>

/* -1 with errno; then some of them may have been written. */
int tb_write_all(int fd, const void *data, size_t size);

#endif
