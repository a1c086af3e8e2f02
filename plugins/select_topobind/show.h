/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show.h - request and grant of a job, where scontrol, squeue and accounting
 * see them
 *
 * One line of the job's SystemComment is ours (DESIGN.md, section 5), so that
 * tables with a line for each job stay that; lines of others stay too:
 *
 *   pending  binding=REQUEST waiting=WHY, the latter to the end of the line
 *   started  binding=REQUEST grant=NODES:STRING grant=... (grants.h)
 *
 * The line is also what is known of a started job after the controller was
 * restarted or topobind.conf changed: it is saved with the job.
 */
#ifndef TB_SELECT_SHOW_H
#define TB_SELECT_SHOW_H

#include "compat/select_compat.h"
#include "core/request.h"

/* Before the request that is shown of a job that did not ask itself. */
#define TB_SHOW_IMPLICIT "implicit,"

/* A job that starts: request as it is shown, or NULL: it is not bound. */
void tb_show_grant(job_record_t *job, const char *request);
/* The grant of a bound job has changed, its request not. */
void tb_show_grant_again(job_record_t *job);
/* Was the started job granted units? */
bool tb_show_is_bound(const job_record_t *job);
/* What it asked for; false when it is not bound or that is not readable. */
bool tb_show_read_request(const job_record_t *job, struct tb_request *request);
/* By this request, or with NULL not at all?  As the other job was? */
bool tb_show_has_binding(const job_record_t *job, const char *request);
bool tb_show_same_binding(const job_record_t *a, const job_record_t *b);

/* A job that does not run yet; NULL: it will not be bound. */
void tb_show_request(job_record_t *job, const char *request);
/* A job that was started and waits again. */
void tb_show_requeued(job_record_t *job);

/*
 * Why a pending job waits: also its Reason, unless that is Priority.  NULL:
 * units are not what it waits for; the Reason is Slurm's, then.  reasons.h keeps
 * both as they should be.
 */
void tb_show_waiting(job_record_t *job, const char *why);
bool tb_show_is_waiting(const job_record_t *job);
/* The sentence; NULL when there is none.  The caller xfree()s. */
char *tb_show_find_waiting(const job_record_t *job);

/* m_topology_inuse= of all nodes of the job's allocation. */
void tb_show_nodes_of(const job_record_t *job);

#endif
