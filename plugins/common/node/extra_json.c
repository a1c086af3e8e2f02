/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "extra_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const blanks = " \t\r\n";

/* A member as it stands in the text. */
struct member {
	const char *begin, *end; /* from its name to the end of its value */
	const char *name, *value;
	size_t name_length, value_length; /* without quotes */
};

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, blanks);
}

/* Behind the quote that ends it, or at the end of the text. */
static const char *skip_string(const char *at)
{
	for (at++; *at && *at != '"'; at++)
		if (*at == '\\' && at[1])
			at++;
	return *at ? at + 1 : at;
}

static bool ends_value(char c)
{
	return !c || strchr(",}]", c) || strchr(blanks, c);
}

static const char *skip_value(const char *at)
{
	unsigned depth = 0;

	while (*at && (depth > 0 || !ends_value(*at))) {
		if (*at == '"') {
			at = skip_string(at);
			continue;
		}
		if (*at == '{' || *at == '[')
			depth++;
		else if (*at == '}' || *at == ']')
			depth--;
		at++;
	}
	return at;
}

/* From the begin of a member.  False: there is none. */
static bool read_member(const char *at, struct member *member)
{
	if (*at != '"')
		return false;
	member->begin = at;
	member->name = at + 1;
	at = skip_string(at);
	member->name_length = at - member->name - 1;
	at = skip_blanks(at);
	if (*at != ':')
		return false;
	member->value = skip_blanks(at + 1);
	member->end = skip_value(member->value);
	member->value_length = member->end - member->value;
	if (*member->value == '"' && member->value_length >= 2) {
		member->value++;
		member->value_length -= 2;
	}
	return member->end > member->value;
}

static bool has_name(const struct member *member, const char *name)
{
	return member->name_length == strlen(name) &&
	       !strncmp(member->name, name, member->name_length);
}

/*
 * Walk over an object up to the member of this name (NULL: of none), which is in
 * *found then.  Behind the object; NULL: it has that member, or is no object.
 */
static const char *walk_object(const char *text, const char *name,
			       struct member *found)
{
	const char *at = skip_blanks(text);

	found->begin = NULL;
	if (*at != '{')
		return NULL;
	at = skip_blanks(at + 1);
	if (*at == '}')
		return at + 1;
	for (;;) {
		if (!read_member(at, found)) {
			found->begin = NULL;
			return NULL;
		}
		if (name && has_name(found, name))
			return NULL;
		at = skip_blanks(found->end);
		if (*at != ',')
			break;
		at = skip_blanks(at + 1);
	}
	found->begin = NULL;
	return *at == '}' ? at + 1 : NULL;
}

static const char *find_end(const char *text)
{
	struct member member;

	return walk_object(text, NULL, &member);
}

bool tb_extra_is_json(const char *extra)
{
	const char *end = extra ? find_end(extra) : NULL;

	return end && !*skip_blanks(end);
}

const char *tb_extra_json_find(const char *extra, const char *name,
			       size_t *length)
{
	struct member member;

	walk_object(extra, name, &member);
	if (!member.begin)
		return NULL;
	*length = member.value_length;
	return member.value;
}

/* malloc()ed; NULL when out of memory. */
static char *print_member(const char *begin, int before, const char *comma,
			  const char *name, const char *value,
			  const char *after)
{
	char *made;

	return asprintf(&made, "%.*s%s\"%s\": \"%s\"%s", before, begin, comma,
			name, value, after) < 0
		       ? NULL
		       : made;
}

/* The object with one member more, behind the others. */
static char *append_member(const char *extra, const char *name,
			   const char *value)
{
	const char *brace = find_end(extra) - 1, *last = brace;

	while (strchr(blanks, last[-1]))
		last--;
	return print_member(extra, last - extra, last[-1] == '{' ? "" : ", ",
			    name, value, brace);
}

/* With the comma behind it, or that before the last one. */
static char *remove_member(const char *extra, const struct member *member)
{
	const char *before = member->begin, *after = skip_blanks(member->end);
	char *made;

	if (*after == ',') {
		after = skip_blanks(after + 1);
	} else {
		while (strchr(blanks, before[-1]))
			before--;
		if (before[-1] == ',')
			before--;
	}
	return asprintf(&made, "%.*s%s", (int)(before - extra), extra, after) <
			       0
		       ? NULL
		       : made;
}

char *tb_extra_json_with(const char *extra, const char *name, const char *value)
{
	struct member member;

	walk_object(extra, name, &member);
	if (!value)
		return member.begin ? remove_member(extra, &member)
				    : strdup(extra);
	if (!member.begin)
		return append_member(extra, name, value);
	return print_member(extra, member.begin - extra, "", name, value,
			    member.end);
}

/* Without what JSON escapes, in place. */
static char *without_escapes(char *text)
{
	for (char *c = text; *c; c++)
		if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ')
			*c = '_';
	return text;
}

/* Takes over object; NULL: out of memory. */
static char *add_word(char *object, char *word)
{
	char *value = strchr(word, '=');
	char *made;

	if (value)
		*value++ = '\0';
	made = tb_extra_json_with(object, without_escapes(word),
				  value ? without_escapes(value) : "");
	free(object);
	return made;
}

char *tb_extra_to_json(const char *extra)
{
	const char *end = extra ? find_end(extra) : NULL;
	char *words = strdup(end ? end : extra ? extra : ""), *rest = NULL;
	char *object = end ? strndup(extra, end - extra) : strdup("{}");

	if (words)
		for (char *word = strtok_r(words, blanks, &rest);
		     object && word; word = strtok_r(NULL, blanks, &rest))
			object = add_word(object, word);
	free(words);
	return object;
}
