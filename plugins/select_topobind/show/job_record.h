/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_record.h - request and grant of a job, where scontrol, squeue and accounting
 * see them
 *
 * topobind has one line of the job's SystemComment (doc/design.md, "Display"), so
 * that tables still have one line for each job.  Lines of others stay:
 *
 *   pending  binding=REQUEST nodes=MIN-MAX waiting=WHY, the latter to the end of the
 *            line; see common/job/job_comment.h
 *   started  binding=REQUEST grant=NODES:STRING grant=... (grant_text.h), with
 *            bmode=soft at the end of the request also where the site says so
 *
 * Slurm saves the line with the job.  Operators can overwrite it, so it is for people
 * and tools only: the controller itself asks request/granted_request.h.
 */
#ifndef TB_SELECT_TOPOBIND_SHOW_JOB_RECORD_H
#define TB_SELECT_TOPOBIND_SHOW_JOB_RECORD_H

#include "compat/select_compat.h"

#include "common/conf/conf.h"

/* The job starts: with this request, as it is shown; NULL: it is not bound. */
void tb_job_record_set_grant(job_record_t *job, const char *request,
			     const struct tb_conf *site);
/* The grant of a bound job has changed, but not its request. */
void tb_job_record_renew_grant(job_record_t *job, const struct tb_conf *site);
/* Write it again where somebody has overwritten it; nothing for plain jobs. */
void tb_job_record_restore_grant(job_record_t *job, const struct tb_conf *site);

/* The request of a job that does not run yet; NULL: it will not be bound. */
void tb_job_record_set_request(job_record_t *job, const char *request);
bool tb_job_record_has_request(const job_record_t *job);
/* The job was started, and waits again. */
void tb_job_record_drop_grant(job_record_t *job);

/*
 * Why a pending job waits.  It becomes its Reason, too, unless that is Priority.
 * NULL: it does not wait for units, so the Reason is Slurm's.  reasons.h corrects
 * both later.
 */
void tb_job_record_set_waiting(job_record_t *job, const char *why);
bool tb_job_record_is_waiting(const job_record_t *job);
/* The sentence; NULL when there is none.  The caller xfree()s. */
char *tb_job_record_find_waiting(const job_record_t *job);

#endif
