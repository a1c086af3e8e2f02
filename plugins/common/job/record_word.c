/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "record_word.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *tb_record_word_find(const char *comment, const char *key)
{
	const char *at = comment;

	while (at != NULL && (at = strstr(at, key)) != NULL) {
		if (at == comment || at[-1] == ' ')
			return at;
		at++;
	}
	return NULL;
}

char *tb_record_word_set(const char *comment, const char *key, const char *word)
{
	const char *text = comment != NULL ? comment : "";
	const char *old = tb_record_word_find(text, key);
	size_t length = old != NULL ? (size_t)(old - text) : strlen(text);
	const char *after = old != NULL ? old + strcspn(old, " ") : "";
	bool blank = length > 0 && text[length - 1] != ' ';
	char *changed;

	return asprintf(&changed, "%.*s%s%s%s", (int)length, text,
			blank ? " " : "", word, after) < 0
		       ? NULL
		       : changed;
}

char *tb_record_word_drop(const char *comment, const char *key)
{
	const char *word = tb_record_word_find(comment, key);
	const char *after;
	char *rest;
	int length;

	if (word == NULL)
		return NULL;
	after = word + strcspn(word, " ");
	length = (int)(word - comment);
	/* One blank of two. */
	if (length > 0)
		length--;
	else
		after += strspn(after, " ");
	return asprintf(&rest, "%.*s%s", length, comment, after) < 0 ? NULL
								     : rest;
}
