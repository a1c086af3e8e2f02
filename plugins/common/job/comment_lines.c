/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE /* asprintf */
#include "comment_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NULL after the last one. */
static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end != NULL ? end + 1 : NULL;
}

const char *tb_comment_find_line(const char *comment,
				 bool (*is_ours)(const char *line))
{
	while (comment != NULL && !is_ours(comment))
		comment = next_line(comment);
	return comment;
}

static char *append_line(char *end, bool is_first, const char *line,
			 size_t length)
{
	if (!is_first)
		*end++ = '\n';
	memcpy(end, line, length);
	return end + length;
}

char *tb_comment_replace_line(const char *comment,
			      bool (*is_ours)(const char *line),
			      const char *line)
{
	const char *text = comment != NULL ? comment : "";
	size_t length = line != NULL ? strlen(line) : 0;
	char *all = malloc(strlen(text) + length + 2);
	char *end = all;
	bool is_first = true;

	if (all == NULL)
		return NULL;
	for (const char *at = text[0] != '\0' ? text : NULL; at != NULL;
	     at = next_line(at)) {
		if (is_ours(at))
			continue;
		end = append_line(end, is_first, at, strcspn(at, "\n"));
		is_first = false;
	}
	if (length > 0)
		end = append_line(end, is_first, line, length);
	*end = '\0';
	return all;
}

/* ---- the words ---- */

static bool begins_with(const char *line, const char *word)
{
	return strncmp(line, word, strlen(word)) == 0;
}

static bool has_update(const char *line)
{
	return begins_with(line, TB_UPDATE_WORD);
}

static bool has_refused(const char *line)
{
	return begins_with(line, TB_REFUSED_WORD);
}

static bool has_word(const char *line)
{
	return has_update(line) || has_refused(line);
}

char *tb_comment_find_word(const char *comment, const char *word)
{
	const char *line = tb_comment_find_line(comment,
						strcmp(word, TB_UPDATE_WORD) ==
								0
							? has_update
							: has_refused);

	if (line == NULL)
		return NULL;
	line += strlen(word);
	return strndup(line, strcspn(line, "\n"));
}

char *tb_comment_put_word(const char *comment, const char *word,
			  const char *text)
{
	char *line = NULL, *all;

	if (word != NULL && asprintf(&line, "%s%s", word, text) < 0)
		return NULL;
	all = tb_comment_replace_line(comment, has_word, line);
	free(line);
	return all;
}
