/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_comment.c - the grant of a job in its system_comment; see map.h */
#include "common/job/job_comment.h"
#include "map.h"

static int add_job(struct tb_map *map, const char *const names[3],
		   const struct tb_comment *comment, struct tb_error *err)
{
	int job = tb_map_add_job(map, names[0], names[1], names[2],
				 comment->request, err);
	int rc = job < 0 ? -1 : 0;

	for (unsigned i = 0; !rc && i < comment->ngrants; i++)
		rc = tb_map_add_grant(map, job, comment->grants[i].nodes,
				      comment->grants[i].units, err);
	return rc;
}

int tb_map_add_comment(struct tb_map *map, const char *id, const char *user,
		       const char *name, const char *system_comment,
		       struct tb_error *err)
{
	const char *const names[3] = { id, user, name };
	struct tb_comment comment;
	int rc = tb_comment_read(&comment, system_comment, err);

	if (!rc && comment.request)
		rc = add_job(map, names, &comment, err);
	tb_comment_clear(&comment);
	return rc;
}
