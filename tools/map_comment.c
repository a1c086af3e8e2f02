/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_comment.c - the grant of a job in its system_comment; see map.h */
#define _DEFAULT_SOURCE /* strsep */
#include <stdlib.h>
#include <string.h>

#include "map.h"

#define BINDING "binding="
#define GRANT "grant="

/* The value of text that starts with key; NULL when it starts otherwise. */
static const char *value_of(const char *text, const char *key)
{
	size_t length = strlen(key);

	return strncmp(text, key, length) ? NULL : text + length;
}

static int add_grant(struct tb_map *map, unsigned job, char *value,
		     struct tb_error *err)
{
	/* No topology string has a colon. */
	char *colon = strrchr(value, ':');

	if (!colon)
		return tb_fail(err, "the grant \"%.100s\" has no \":\"", value);
	*colon = '\0';
	return tb_map_add_grant(map, job, value, colon + 1, err);
}

/* "binding=REQUEST grant=NODES:UNITS ..." */
static int add_line(struct tb_map *map, const char *const names[3], char *line,
		    struct tb_error *err)
{
	char *token = strsep(&line, " ");
	int job = tb_map_add_job(map, names[0], names[1], names[2],
				 value_of(token, BINDING), err);
	int rc = job < 0 ? -1 : 0;

	while (!rc && (token = strsep(&line, " ")))
		if (value_of(token, GRANT))
			rc = add_grant(map, job, token + strlen(GRANT), err);
	return rc;
}

int tb_map_add_comment(struct tb_map *map, const char *id, const char *user,
		       const char *name, const char *system_comment,
		       struct tb_error *err)
{
	const char *const names[3] = { id, user, name };
	char *copy = strdup(system_comment);
	char *rest = copy, *line;
	int rc = 0;

	if (!copy)
		return tb_fail(err, "out of memory while making the map");
	do
		line = strsep(&rest, "\n");
	while (line && !value_of(line, BINDING));
	if (line)
		rc = add_line(map, names, line, err);
	free(copy);
	return rc;
}
