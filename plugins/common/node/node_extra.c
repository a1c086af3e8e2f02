/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node_extra.h"

#include <stdlib.h>
#include <string.h>

#include "extra_json.h"

static const char *const blanks = " \t\n";

/* The whole token "name=value", NULL for none; length without a blank. */
static const char *find_token(const char *extra, const char *name,
			      size_t *length)
{
	size_t name_length = strlen(name);
	const char *at = extra ? strstr(extra, name) : NULL;

	while (at && (at[name_length] != '=' ||
		      (at > extra && !strchr(blanks, at[-1]))))
		at = strstr(at + 1, name);
	if (at)
		*length = strcspn(at, blanks);
	return at;
}

const char *tb_extra_find(const char *extra, const char *name, size_t *length)
{
	const char *token;

	if (tb_extra_is_json(extra))
		return tb_extra_json_find(extra, name, length);
	token = find_token(extra, name, length);
	if (!token)
		return NULL;
	*length -= strlen(name) + 1;
	return token + strlen(name) + 1;
}

bool tb_extra_has(const char *extra, const char *name, const char *value)
{
	size_t length;
	const char *seen = tb_extra_find(extra, name, &length);

	return seen && length == strlen(value) && !strncmp(seen, value, length);
}

static char *append_bytes(char *to, const char *from, size_t length)
{
	memcpy(to, from, length);
	return to + length;
}

static char *with_token(const char *extra, const char *name, const char *value)
{
	size_t old_length = 0;
	const char *old = find_token(extra, name, &old_length);
	size_t before = old ? (size_t)(old - extra)
			    : strlen(extra ? extra : "");
	const char *after = old ? old + old_length : "";
	char *made = malloc(before + strlen(after) + strlen(name) +
			    (value ? strlen(value) : 0) + 3);
	char *end = made;

	if (!made)
		return NULL;
	if (before)
		end = append_bytes(end, extra, before);
	if (value) {
		if (!old && before && !strchr(blanks, end[-1]))
			*end++ = ' ';
		end = append_bytes(end, name, strlen(name));
		*end++ = '=';
		end = append_bytes(end, value, strlen(value));
	} else {
		after += strspn(after, blanks);
	}
	end = append_bytes(end, after, strlen(after));
	*end = '\0';
	return made;
}

char *tb_extra_with(const char *extra, const char *name, const char *value,
		    bool as_json)
{
	char *object, *made;

	if (tb_extra_is_json(extra))
		return tb_extra_json_with(extra, name, value);
	if (!as_json || !value)
		return with_token(extra, name, value);
	object = tb_extra_to_json(extra);
	made = object ? tb_extra_json_with(object, name, value) : NULL;
	free(object);
	return made;
}
