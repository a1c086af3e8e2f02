/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "soft_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define KEY "soft=preferred:"

static const char *find_word(const char *comment)
{
	const char *at = comment;

	while (at != NULL && (at = strstr(at, KEY)) != NULL) {
		if (at == comment || at[-1] == ' ')
			return at;
		at++;
	}
	return NULL;
}

/* Somebody else's nonsense counts as nothing. */
static struct tb_soft_counts read_word(const char *word)
{
	struct tb_soft_counts counts;

	if (word == NULL ||
	    sscanf(word,
		   KEY "%" SCNu64 ",allowed:%" SCNu64 ",smoothed:%" SCNu64,
		   &counts.preferred, &counts.allowed, &counts.smoothed) != 3)
		counts = (struct tb_soft_counts){ 0 };
	return counts;
}

char *tb_soft_record_add(const char *comment, const struct tb_soft_counts *more)
{
	const char *text = comment != NULL ? comment : "";
	const char *word = find_word(text);
	struct tb_soft_counts before = read_word(word);
	size_t length = word != NULL ? (size_t)(word - text) : strlen(text);
	const char *after = word != NULL ? word + strcspn(word, " ") : "";
	bool blank = length > 0 && text[length - 1] != ' ';
	char *sum;

	if (asprintf(&sum,
		     "%.*s%s" KEY "%" PRIu64 ",allowed:%" PRIu64
		     ",smoothed:%" PRIu64 "%s",
		     (int)length, text, blank ? " " : "",
		     before.preferred + more->preferred,
		     before.allowed + more->allowed,
		     before.smoothed + more->smoothed, after) < 0)
		return NULL;
	return sum;
}

char *tb_soft_record_drop(const char *comment)
{
	const char *word = find_word(comment);
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
