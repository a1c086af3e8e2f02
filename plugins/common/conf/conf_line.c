/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "conf_line.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Does a line have what is looked for?  It has no comment and no newline. */
typedef bool (*line_test)(const char *line, const void *what);

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

enum which { FIRST, LAST };

/* Slurm itself follows includes without an end. */
#define INCLUDES_DEEP 8

struct search {
	enum which which;
	line_test test;
	const void *what;
	struct tb_error *place;
	char *line; /* that was found */
	bool found;
};

static void search_file(struct search *search, const char *path,
			unsigned depth);

static bool is_include(const char *line)
{
	size_t length = strlen("Include");

	return strncasecmp(line, "Include", length) == 0 &&
	       isspace((unsigned char)line[length]);
}

/* The name may be relative to the file that includes. */
static void search_included(struct search *search, const char *path,
			    const char *line, unsigned depth)
{
	const char *name = skip_blanks(line + strlen("Include"));
	const char *slash = strrchr(path, '/');
	int directory = name[0] != '/' && slash != NULL
				? (int)(slash - path) + 1
				: 0;
	char *included;

	if (depth == INCLUDES_DEEP ||
	    asprintf(&included, "%.*s%.*s", directory, path,
		     (int)strcspn(name, " \t"), name) < 0)
		return;
	search_file(search, included, depth + 1);
	free(included);
}

static void search_file(struct search *search, const char *path, unsigned depth)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	unsigned number = 0;

	if (file == NULL)
		return;
	while (!(search->found && search->which == FIRST) &&
	       getline(&line, &size, file) >= 0) {
		line[strcspn(line, "#\r\n")] = '\0';
		number++;
		if (is_include(line)) {
			search_included(search, path, line, depth);
		} else if (search->test(line, search->what)) {
			search->found = true;
			free(search->line);
			search->line = strdup(line);
			tb_fail(search->place, "%.200s line %u", path, number);
		}
	}
	free(line);
	fclose(file);
}

/* The line, free()d by the caller; NULL: none. */
static char *find_line(const char *path, enum which which, line_test test,
		       const void *what, struct tb_error *place)
{
	struct search search = { which, test, what, place, NULL, false };

	search_file(&search, path, 0);
	if (!search.found)
		tb_fail(place, "%.200s", path);
	return search.line;
}

struct pair {
	const char *key, *value;
	const struct tb_conf_where *where;
};

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
static void find_pair(const struct tb_conf_where *where, enum which which,
		      const char *key, const char *value,
		      struct tb_error *place)
{
	struct pair pair = { key, value, where };
	char *line = find_line(where->path, which, has_pair, &pair, place);

	pair.where = NULL;
	if (!line)
		line = find_line(where->path, which, has_pair, &pair, place);
	free(line);
}

void tb_conf_first_line_of(const struct tb_conf_where *where, const char *key,
			   const char *value, struct tb_error *place)
{
	find_pair(where, FIRST, key, value, place);
}

void tb_conf_line_of(const struct tb_conf_where *where, const char *key,
		     const char *value, struct tb_error *place)
{
	find_pair(where, LAST, key, value, place);
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

	if (has_too_many_keys(line))
		return true;
	table = s_p_hashtbl_create(*options);
	readable = s_p_parse_line(table, line, &rest) &&
		   rest[strspn(rest, " \t\\")] == '\0';
	s_p_hashtbl_destroy(table);
	return !readable;
}

void tb_conf_bad_line(struct tb_conf_bad_line *bad, const char *path,
		      s_p_options_t *options)
{
	bad->line = find_line(path, FIRST, is_unreadable, &options,
			      &bad->place);
	bad->list = NULL;
	if (bad->line && begins_with_key(bad->line, "NodeName"))
		bad->list = "NodeName";
	else if (bad->line && begins_with_key(bad->line, "PartitionName"))
		bad->list = "PartitionName";
}

/* Behind a value, which may be in quotes. */
static const char *skip_value(const char *text)
{
	text = skip_blanks(text);
	if (*text == '"')
		text += 1 + strcspn(text + 1, "\"");
	return text + strcspn(text, " \t");
}

static bool is_one_of(const char *key, size_t length, const char *const *keys)
{
	for (; *keys != NULL; keys++)
		if (strlen(*keys) == length &&
		    strncasecmp(*keys, key, length) == 0)
			return true;
	return false;
}

char *tb_conf_unknown_key(const char *line, const char *const *keys)
{
	const char *equals = strchr(line, '=');

	while (equals != NULL) {
		const char *key = skip_blanks(skip_value(equals + 1));
		size_t length = strcspn(key, " \t=");

		if (length != 0 && *key != '\\' &&
		    !is_one_of(key, length, keys))
			return strndup(key, length);
		equals = strchr(key, '=');
	}
	return NULL;
}
