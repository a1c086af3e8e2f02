/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line.h - where text is broken into lines
 *
 * At newlines, and between words.  A word that is wider than a line, such as a
 * list of nodes, is broken behind its commas, or plus signs as bcpus=0+2 has
 * them; what has none stays whole.
 */
#ifndef TB_TOOLS_TERMINAL_LINE_H
#define TB_TOOLS_TERMINAL_LINE_H

#include <stddef.h>

/* The length of the first line of text, in so many columns or one word. */
size_t tb_line_measure(const char *text, size_t room);

/* What follows that line; NULL at the end. */
const char *tb_line_next(const char *text, size_t length);

/* The columns that text needs when it is broken at newlines only... */
size_t tb_line_widest(const char *text);
/* ...and wherever it may be. */
size_t tb_line_narrowest(const char *text);

#endif
