/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_comment.c - the grant of a job in its system_comment; see map.h */
#define _DEFAULT_SOURCE /* strdup */
#include <stdlib.h>
#include <string.h>

#include "common/job_comment.h"
#include "map.h"

static int add_grant(struct tb_map *map, unsigned job, char *value,
		     struct tb_error *err)
{
	const char *nodes, *string;

	if (tb_comment_cut_grant(value, &nodes, &string, err))
		return -1;
	return tb_map_add_grant(map, job, nodes, string, err);
}

/* One line: note a binding in *job, or add a grant to it. */
static int add_line(struct tb_map *map, const char *const names[3],
		    enum tb_comment_line line, char *value, int *job,
		    struct tb_error *err)
{
	if (line == TB_COMMENT_BINDING && *job < 0) {
		*job = tb_map_add_job(map, names[0], names[1], names[2], value,
				      err);
		return *job < 0 ? -1 : 0;
	}
	if (line == TB_COMMENT_GRANT && *job >= 0)
		return add_grant(map, *job, value, err);
	return 0;
}

int tb_map_add_comment(struct tb_map *map, const char *id, const char *user,
		       const char *name, const char *system_comment,
		       struct tb_error *err)
{
	const char *const names[3] = { id, user, name };
	char *copy = strdup(system_comment);
	char *rest = copy, *value;
	enum tb_comment_line line;
	int job = -1, rc = 0;

	if (!copy)
		return tb_fail(err, "out of memory while making the map");
	while (!rc && (value = tb_comment_next(&rest, &line)))
		rc = add_line(map, names, line, value, &job, err);
	free(copy);
	return rc;
}
