/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wrap.c - see wrap.h */
#include <stdio.h>
#include <string.h>

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

void tb_print_wrapped(const char *text, unsigned column, unsigned indent,
		      unsigned width)
{
	while (*text) {
		unsigned start = column > indent ? column : indent;
		size_t length = measure_line(text,
					     width > start ? width - start : 0);

		printf("%*s%.*s\n", (int)(start - column), "", (int)length,
		       text);
		text += length;
		text += *text == '\n' ? 1 : strspn(text, " ");
		column = 0;
	}
}
