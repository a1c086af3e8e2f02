/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_comment.h - what a job's SystemComment says of its binding
 *
 * The controller keeps one line there (select_topobind/show/job_record.h writes
 * it); other lines belong to others:
 *
 *   pending  binding=REQUEST nodes=MIN-MAX waiting=WHY, the latter to the end of
 *            the line; nodes= where Slurm shows a guess: 1- is any number
 *   started  binding=REQUEST grant=NODES:UNITS grant=... [more=N]
 *
 * NODES is a Slurm hostlist, UNITS their topology string with the job's units in
 * lower case or, in large jobs, a list of threads ("0-5,8": positions in the
 * string).  N nodes more are left out.
 */
#ifndef TB_COMMON_JOB_JOB_COMMENT_H
#define TB_COMMON_JOB_JOB_COMMENT_H

#include <stdbool.h>

#include "core/base/error.h"

struct tb_comment_grant {
	const char *nodes;
	const char *units;
};

struct tb_comment {
	char *text;	     /* what the others point into */
	const char *request; /* NULL: no binding */
	const char *nodes;   /* MIN-MAX or MIN-; NULL: as Slurm shows them */
	const char *waiting; /* for people; NULL: not told */
	struct tb_comment_grant *grants;
	unsigned ngrants;
	bool has_more; /* nodes were left out */
};

/*
 * Read a SystemComment, which may be NULL.  0 also when it has no binding; -1
 * with a sentence.  tb_comment_clear() is right after both.
 */
int tb_comment_read(struct tb_comment *comment, const char *system_comment,
		    struct tb_error *err);
void tb_comment_clear(struct tb_comment *comment);

/* A list of threads, and not a topology string? */
bool tb_comment_is_list(const char *units);

/* Was the request too long to be shown whole? */
bool tb_comment_is_cut(const char *request);

#endif
