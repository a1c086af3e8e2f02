/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wrap.h - sentences in lines of limited width
 */
#ifndef TB_TOOLS_TERMINAL_WRAP_H
#define TB_TOOLS_TERMINAL_WRAP_H

#include <stdio.h>

/*
 * Print text in lines of at most width columns, each behind indent
 * blanks; a newline in text begins a new line.  The cursor stands in this
 * column, counted from 0, of the first line.
 */
void tb_print_wrapped_to(FILE *out, const char *text, unsigned column,
			 unsigned indent, unsigned width);

/* The same to stdout. */
void tb_print_wrapped(const char *text, unsigned column, unsigned indent,
		      unsigned width);

/*
 * The last cell of a line, which begins at this column, in lines as wide as
 * tb_line_width().  Text of users: what is not printable ASCII becomes "?".
 */
void tb_print_cell(FILE *out, const char *text, unsigned column);

#endif
