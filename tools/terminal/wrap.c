/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wrap.c - see wrap.h */
#define _GNU_SOURCE /* vasprintf */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "line.h"
#include "terminal.h"
#include "text_stream.h"
#include "wrap.h"

/* Of a word that does not fit behind more. */
#define INDENT_LEAST 2

static size_t get_room(unsigned start, unsigned width)
{
	return width > start ? width - start : 0;
}

static bool fits(const char *text, unsigned start, unsigned width)
{
	size_t room = get_room(start, width);

	return tb_line_measure(text, room) <= room;
}

/* Where a line begins.  A wide word may fit into the next one, or further left. */
static unsigned find_start(const char *text, unsigned column, unsigned indent,
			   unsigned width)
{
	if (column > indent && fits(text, column, width))
		return column;
	return fits(text, indent, width) || indent < INDENT_LEAST
		       ? indent
		       : INDENT_LEAST;
}

void tb_print_wrapped_to(FILE *out, const char *text, unsigned column,
			 unsigned indent, unsigned width)
{
	const char *rest = *text ? text : NULL;

	while (rest) {
		unsigned start = find_start(rest, column, indent, width);
		size_t length = tb_line_measure(rest, get_room(start, width));

		if (start < column) {
			fputc('\n', out);
			column = 0;
		}
		fprintf(out, "%*s%.*s\n", (int)(start - column), "",
			(int)length, rest);
		rest = tb_line_next(rest, length);
		column = 0;
	}
}

void tb_print_wrapped(const char *text, unsigned column, unsigned indent,
		      unsigned width)
{
	tb_print_wrapped_to(stdout, text, column, indent, width);
}

/* Text of users is no command to a terminal. */
static char make_safe(char c)
{
	return c >= ' ' && c <= '~' ? c : '?';
}

void tb_text_print(const char *text, FILE *out)
{
	for (; *text; text++)
		fputc(make_safe(*text), out);
}

void tb_print_cell(FILE *out, const char *text, unsigned column)
{
	char *safe = strdup(*text ? text : " ");

	for (char *c = safe; c && *c; c++)
		*c = make_safe(*c);
	if (safe)
		tb_print_wrapped_to(out, safe, column, column, tb_line_width());
	free(safe);
}

void tb_print_sentence(FILE *out, const char *format, ...)
{
	char *text;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		return;
	tb_print_cell(out, text, 0);
	free(text);
}

int tb_print_stream(FILE *out, FILE *words, char **text)
{
	char *sentence = tb_text_stream_close(words, text);

	if (!sentence)
		return -1;
	tb_print_cell(out, sentence, 0);
	free(sentence);
	return 0;
}
