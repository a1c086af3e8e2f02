/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line.c - see line.h */
#include "line.h"

#include <string.h>

/* The part of a word up to what separates the items of a list, with it. */
static size_t measure_piece(const char *word, size_t length)
{
	size_t piece = strcspn(word, ",+");

	return piece < length ? piece + 1 : length;
}

/* Whole pieces of a word, at least one. */
static size_t measure_pieces(const char *word, size_t length, size_t room)
{
	size_t cut = measure_piece(word, length);

	while (cut < length) {
		size_t piece = measure_piece(word + cut, length - cut);

		if (cut + piece > room)
			break;
		cut += piece;
	}
	return cut;
}

size_t tb_line_measure(const char *text, size_t room)
{
	size_t length = strcspn(text, "\n"), cut = room;

	if (length <= room)
		return length;
	while (cut && text[cut] != ' ')
		cut--;
	return cut ? cut : measure_pieces(text, strcspn(text, " \n"), room);
}

const char *tb_line_next(const char *text, size_t length)
{
	text += length;
	text += *text == '\n' ? 1 : strspn(text, " ");
	return *text ? text : NULL;
}

size_t tb_line_widest(const char *text)
{
	size_t widest = 0;

	for (; text && *text; text = strchr(text, '\n')) {
		size_t length;

		text += *text == '\n';
		length = strcspn(text, "\n");
		widest = length > widest ? length : widest;
	}
	return widest;
}

size_t tb_line_narrowest(const char *text)
{
	size_t narrowest = 0;

	for (text += strspn(text, " \n"); *text; text += strspn(text, " \n")) {
		size_t piece = measure_piece(text, strcspn(text, " \n"));

		narrowest = piece > narrowest ? piece : narrowest;
		text += piece;
	}
	return narrowest;
}
