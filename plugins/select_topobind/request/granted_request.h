/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * granted_request.h - the request that a started job was bound by
 *
 * Slurm keeps it with the job across restarts where no update of the job can change
 * it: in spank_job_env (common/job/request_env.h).  A job's own request is there
 * since its submission.  When the job starts, two notes go beside it: the site's
 * request, if the job is bound by that; or that it is not bound though it asked.
 * What a client has put in the place of these notes is removed then.  SystemComment
 * (show/job_record.h) only shows all this: operators can overwrite it.
 */
#ifndef TB_SELECT_TOPOBIND_REQUEST_GRANTED_REQUEST_H
#define TB_SELECT_TOPOBIND_REQUEST_GRANTED_REQUEST_H

#include "compat/select_compat.h"

#include "kept_request.h"

/* Before the request, as it is shown, of a job that has its binding from the site. */
#define TB_GRANTED_IMPLICIT "implicit,"

/* The job starts: bound by the request that is shown so, or (NULL) not at all. */
void tb_granted_record(job_record_t *job, const char *shown);

/*
 * What the job was started with; false: it is not bound, or does not run.  In
 * any case the caller releases the request.
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
