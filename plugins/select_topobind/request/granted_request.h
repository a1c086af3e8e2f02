/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * granted_request.h - the request that a started job was bound by
 *
 * Slurm keeps it with the job across restarts where no update of the job can change
 * it: in spank_job_env (common/job/request_env.h).  A job's own request is there
 * since its submission.  When the job starts, one of these notes goes beside it: the
 * site's request, if the job is bound by that; that it is not bound though it asked;
 * or which of its alternatives (bunit=X:1|N:1) it was given.
 * What a client has put in the place of these notes is removed then.  SystemComment
 * (show/job_record.h) only shows all this: operators can overwrite it.
 */
#ifndef TB_SELECT_TOPOBIND_REQUEST_GRANTED_REQUEST_H
#define TB_SELECT_TOPOBIND_REQUEST_GRANTED_REQUEST_H

#include "compat/select_compat.h"

#include "kept_request.h"

/* Before the request, as it is shown, of a job that has its binding from the site. */
#define TB_GRANTED_IMPLICIT "implicit,"

/*
 * The job can start with the cores that it just got: by this one of its alternatives.
 * The note waits for the start.
 */
void tb_granted_choose(job_record_t *job, const struct tb_request *plain);
/* A request with alternatives becomes the one that was chosen; others stay. */
void tb_granted_settle(const job_record_t *job, struct tb_request *request);

/* Instead of its own request, and of all notes, a job that waits gets this line. */
void tb_granted_replace(job_record_t *job, const char *line);

/* The job starts: bound by the request that is shown so, or (NULL) not at all. */
void tb_granted_record(job_record_t *job, const char *shown);

/*
 * The same, of a part of a heterogeneous job, into its leader's environment for the
 * script, whose steps may be in all parts.
 */
void tb_granted_tell_leader(const job_record_t *job, const char *shown);

/*
 * What the job was started with, a plain request; false: it is not bound, or does not
 * run.  In any case the caller releases the request.
 */
bool tb_granted_find(const job_record_t *job, struct tb_held_request *held);
bool tb_granted_is_bound(const job_record_t *job);

/* As it is shown, also when the job waits again; NULL: not bound.  xfree() it. */
char *tb_granted_print(const job_record_t *job);

/* Is the job bound by the request that is shown so (NULL: not bound)? */
bool tb_granted_is(const job_record_t *job, const char *shown);
/* Are both bound by the same? */
bool tb_granted_is_same(const job_record_t *a, const job_record_t *b);

#endif
