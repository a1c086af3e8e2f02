/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_comment.c - the grant of a job in its system_comment; see map.h */
#define _DEFAULT_SOURCE /* strsep */
#include <stdlib.h>
#include <string.h>

#include "map.h"

#define BINDING "binding="
#define GRANT "grant="

/* The value of a line that starts with key; NULL when it starts otherwise. */
static const char *line_value(const char *line, const char *key)
{
	size_t length = strlen(key);

	return strncmp(line, key, length) ? NULL : line + length;
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

/* One line: note a binding in *job, or add a grant to it. */
static int add_line(struct tb_map *map, const char *const names[3], char *line,
		    int *job, struct tb_error *err)
{
	const char *value = line_value(line, BINDING);

	if (value && *job < 0) {
		*job = tb_map_add_job(map, names[0], names[1], names[2], value,
				      err);
		return *job < 0 ? -1 : 0;
	}
	if (*job >= 0 && line_value(line, GRANT))
		return add_grant(map, *job, line + strlen(GRANT), err);
	return 0;
}

int tb_map_add_comment(struct tb_map *map, const char *id, const char *user,
		       const char *name, const char *system_comment,
		       struct tb_error *err)
{
	const char *const names[3] = { id, user, name };
	char *copy = strdup(system_comment);
	char *rest = copy, *line;
	int job = -1, rc = 0;

	if (!copy)
		return tb_fail(err, "out of memory while making the map");
	while (!rc && (line = strsep(&rest, "\n")))
		rc = add_line(map, names, line, &job, err);
	free(copy);
	return rc;
}
