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
	const struct tb_conf_where *where;
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

static bool has_value(const char *line, const char *key, const char *value)
{
	const char *at = line;

	while ((at = strcasestr(at, key)) != NULL) {
		bool begins = at == line || isspace((unsigned char)at[-1]);

		at += strlen(key);
		if (begins && is_value_at(at, value))
			return true;
	}
	return false;
}

static bool begins_with_key(const char *line, const char *key)
{
	line = skip_blanks(line);
	return strncasecmp(line, key, strlen(key)) == 0 &&
	       *skip_blanks(line + strlen(key)) == '=';
}

static bool is_of_site(const char *line)
{
	return !begins_with_key(line, "PartitionName") &&
	       !begins_with_key(line, "NodeName");
}

static bool is_there(const char *line, const struct tb_conf_where *where)
{
	if (where->list != NULL)
		return has_value(line, where->list, where->name);
	return is_of_site(line);
}

static bool has_pair(const char *line, const void *what)
{
	const struct pair *pair = what;

	return has_value(line, pair->key, pair->value) &&
	       (pair->where == NULL || is_there(line, pair->where));
}

/* A line that is continued has its first key in another one: then anywhere. */
static unsigned find_pair(const struct tb_conf_where *where, enum which which,
			  const char *key, const char *value)
{
	struct pair pair = { key, value, where };
	unsigned line = find_line(where->path, which, has_pair, &pair);

	if (line > 0)
		return line;
	pair.where = NULL;
	return find_line(where->path, which, has_pair, &pair);
}

unsigned tb_conf_first_line_of(const struct tb_conf_where *where,
			       const char *key, const char *value)
{
	return find_pair(where, FIRST, key, value);
}

unsigned tb_conf_line_of(const struct tb_conf_where *where, const char *key,
			 const char *value)
{
	return find_pair(where, LAST, key, value);
}

/* Only after the name of a list may there be more keys in a line. */
static bool has_too_many_keys(const char *line)
{
	const char *equals = strchr(line, '=');

	return is_of_site(line) && equals != NULL &&
	       strchr(equals + 1, '=') != NULL;
}

static bool is_unreadable(const char *line, const void *what)
{
	s_p_options_t *const *options = what;
	s_p_hashtbl_t *table;
	char *rest = (char *)line;
	bool readable;

	if (strncasecmp(line, "Include", strlen("Include")) == 0)
		return false;
	if (has_too_many_keys(line))
		return true;
	table = s_p_hashtbl_create(*options);
	readable = s_p_parse_line(table, line, &rest) &&
		   rest[strspn(rest, " \t\\")] == '\0';
	s_p_hashtbl_destroy(table);
	return !readable;
}

unsigned tb_conf_bad_line(const char *path, s_p_options_t *options)
{
	return find_line(path, FIRST, is_unreadable, &options);
}
