/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _DEFAULT_SOURCE /* strsep, reallocarray */
#include "job_comment.h"

#include <stdlib.h>
#include <string.h>

/* The value of text that starts with key; NULL when it starts otherwise. */
static char *value_of(char *text, const char *key)
{
	size_t length = strlen(key);

	return strncmp(text, key, length) == 0 ? text + length : NULL;
}

/* The line of the binding without its first key; NULL for none. */
static char *find_binding(char *text)
{
	char *line, *value = NULL;

	while (value == NULL && (line = strsep(&text, "\n")) != NULL)
		value = value_of(line, "binding=");
	return value;
}

static int add_grant(struct tb_comment *comment, char *value,
		     struct tb_error *err)
{
	/* No topology string has a colon. */
	char *colon = strrchr(value, ':');
	struct tb_comment_grant *grants;

	if (colon == NULL)
		return tb_fail(err, "the grant \"%.100s\" has no \":\"", value);
	grants = reallocarray(comment->grants, comment->ngrants + 1,
			      sizeof(*grants));
	if (grants == NULL)
		return tb_fail(err, "out of memory");
	*colon = '\0';
	comment->grants = grants;
	grants[comment->ngrants].nodes = value;
	grants[comment->ngrants].units = colon + 1;
	comment->ngrants++;
	return 0;
}

static int read_words(struct tb_comment *comment, char *words,
		      struct tb_error *err)
{
	char *word, *grant;
	int rc = 0;

	while (rc == 0 && (word = strsep(&words, " ")) != NULL) {
		comment->waiting = value_of(word, "waiting=");
		if (comment->waiting != NULL) {
			/* To the end of the line. */
			if (words != NULL)
				words[-1] = ' ';
			return 0;
		}
		grant = value_of(word, "grant=");
		if (value_of(word, "nodes=") != NULL)
			comment->nodes = value_of(word, "nodes=");
		else if (grant != NULL)
			rc = add_grant(comment, grant, err);
		else if (value_of(word, "more=") != NULL)
			comment->has_more = true;
	}
	return rc;
}

int tb_comment_read(struct tb_comment *comment, const char *system_comment,
		    struct tb_error *err)
{
	char *words;

	memset(comment, 0, sizeof(*comment));
	if (system_comment == NULL)
		return 0;
	comment->text = strdup(system_comment);
	if (comment->text == NULL)
		return tb_fail(err, "out of memory");
	words = find_binding(comment->text);
	if (words == NULL)
		return 0;
	comment->request = strsep(&words, " ");
	return read_words(comment, words, err);
}

void tb_comment_clear(struct tb_comment *comment)
{
	free(comment->grants);
	free(comment->text);
}

bool tb_comment_is_list(const char *units)
{
	return units[0] >= '0' && units[0] <= '9';
}

bool tb_comment_is_cut(const char *request)
{
	size_t length = strlen(request), dots = strlen("...");

	return length >= dots && strcmp(request + length - dots, "...") == 0;
}
