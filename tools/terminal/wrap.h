/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wrap.h - sentences in lines of limited width
 */
#ifndef TB_TOOLS_TERMINAL_WRAP_H
#define TB_TOOLS_TERMINAL_WRAP_H

#include <stdio.h>

/*
 * Print text in lines of at most width columns (line.h), each behind indent
 * blanks.  The cursor stands in this column, counted from 0, of the first line.
 */
void tb_print_wrapped_to(FILE *out, const char *text, unsigned column,
			 unsigned indent, unsigned width);

/* The same to stdout. */
void tb_print_wrapped(const char *text, unsigned column, unsigned indent,
		      unsigned width);

/* Print text of users: what is not printable ASCII becomes "?". */
void tb_text_print(const char *text, FILE *out);

/*
 * The same for the last cell of a line, which begins at this column, in lines as
 * wide as tb_line_width().
 */
void tb_print_cell(FILE *out, const char *text, unsigned column);

/* The same for a sentence, in lines of its own. */
void tb_print_sentence(FILE *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What open_memstream() has made of words as text, which is freed.  -1: no memory. */
int tb_print_stream(FILE *out, FILE *words, char **text);

#endif
