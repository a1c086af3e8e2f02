/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wrap.c - see wrap.h */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"
#include "wrap.h"

/* How much of text fits into so many columns: whole words, at least one. */
static size_t measure_line(const char *text, size_t room)
{
	size_t length = strcspn(text, "\n"), cut = room;

	if (length <= room)
		return length;
	while (cut && text[cut] != ' ')
		cut--;
	return cut ? cut : strcspn(text, " \n");
}

void tb_print_wrapped_to(FILE *out, const char *text, unsigned column,
			 unsigned indent, unsigned width)
{
	while (*text) {
		unsigned start = column > indent ? column : indent;
		size_t length = measure_line(text,
					     width > start ? width - start : 0);

		fprintf(out, "%*s%.*s\n", (int)(start - column), "",
			(int)length, text);
		text += length;
		text += *text == '\n' ? 1 : strspn(text, " ");
		column = 0;
	}
}

void tb_print_wrapped(const char *text, unsigned column, unsigned indent,
		      unsigned width)
{
	tb_print_wrapped_to(stdout, text, column, indent, width);
}

void tb_print_cell(FILE *out, const char *text, unsigned column)
{
	char *safe = strdup(*text ? text : " ");

	for (char *c = safe; c && *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	if (safe)
		tb_print_wrapped_to(out, safe, column, column, tb_line_width());
	free(safe);
}
