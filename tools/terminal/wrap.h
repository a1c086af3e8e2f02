/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wrap.h - sentences in lines of limited width
 */
#ifndef TB_TOOLS_TERMINAL_WRAP_H
#define TB_TOOLS_TERMINAL_WRAP_H

/*
 * Print text to stdout in lines of at most width columns, each behind indent
 * blanks; a newline in text begins a new line.  The cursor stands in this
 * column, counted from 0, of the first line.
 */
void tb_print_wrapped(const char *text, unsigned column, unsigned indent,
		      unsigned width);

#endif
