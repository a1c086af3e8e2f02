/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "common/conf_line.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Does a line have what is looked for?  It has no comment and no newline. */
typedef bool (*line_test)(const char *line, const void *what);

enum which { FIRST, LAST };

static unsigned find_line(const char *path, enum which which, line_test test,
			  const void *what)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	unsigned number = 0, found = 0;

	if (file == NULL)
		return 0;
	while ((found == 0 || which == LAST) &&
	       getline(&line, &size, file) >= 0) {
		line[strcspn(line, "#\r\n")] = '\0';
		number++;
		if (test(line, what))
			found = number;
	}
	free(line);
	fclose(file);
	return found;
}

struct pair {
	const char *key, *value;
};

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

static bool is_value_at(const char *text, const char *value)
{
	size_t length = strlen(value);

	text = skip_blanks(text);
	if (*text++ != '=')
		return false;
	text = skip_blanks(text);
	text += *text == '"';
	return strncmp(text, value, length) == 0 &&
	       (text[length] == '\0' || strchr(" \t\"", text[length]) != NULL);
}

static bool has_pair(const char *line, const void *what)
{
	const struct pair *pair = what;
	const char *at = line;

	while ((at = strcasestr(at, pair->key)) != NULL) {
		bool begins = at == line || isspace((unsigned char)at[-1]);

		at += strlen(pair->key);
		if (begins && is_value_at(at, pair->value))
			return true;
	}
	return false;
}

unsigned tb_conf_line_of(const char *path, const char *key, const char *value)
{
	struct pair pair = { key, value };

	return find_line(path, LAST, has_pair, &pair);
}

/* Slurm reads one pair of a line; keys of arrays read the rest themselves. */
static bool reads_whole_line(const char *line, const s_p_options_t *options)
{
	size_t length = strcspn(line, " \t=");

	for (; options->key != NULL; options++)
		if (options->type == S_P_ARRAY &&
		    strlen(options->key) == length &&
		    strncasecmp(line, options->key, length) == 0)
			return true;
	return false;
}

static bool has_one_pair(const char *line)
{
	const char *at = strchr(line, '=');
	bool quoted;

	if (at == NULL)
		return true;
	at = skip_blanks(at + 1);
	quoted = *at == '"';
	at += quoted;
	at += strcspn(at, quoted ? "\"" : " \t");
	at += quoted && *at == '"';
	return at[strspn(at, " \t\\")] == '\0';
}

static bool is_unreadable(const char *line, const void *what)
{
	s_p_options_t *const *options = what;
	s_p_hashtbl_t *table;
	char *rest = (char *)line;
	bool readable;

	if (strncasecmp(line, "Include", strlen("Include")) == 0)
		return false;
	table = s_p_hashtbl_create(*options);
	readable = s_p_parse_line(table, line, &rest) &&
		   rest[strspn(rest, " \t\\")] == '\0';
	s_p_hashtbl_destroy(table);
	line = skip_blanks(line);
	return !readable ||
	       (!reads_whole_line(line, *options) && !has_one_pair(line));
}

unsigned tb_conf_bad_line(const char *path, s_p_options_t *options)
{
	return find_line(path, FIRST, is_unreadable, &options);
}
