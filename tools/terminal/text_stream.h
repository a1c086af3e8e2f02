/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_stream.h - text that is printed into memory
 */
#ifndef TB_TOOLS_TERMINAL_TEXT_STREAM_H
#define TB_TOOLS_TERMINAL_TEXT_STREAM_H

#include <stdio.h>

/*
 * Close what open_memstream() opened with this text.  The text, malloc()ed;
 * NULL when out of memory, then there is none.
 */
char *tb_text_stream_close(FILE *out, char **text);

#endif
