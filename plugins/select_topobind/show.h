/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show.h - the grant of a running job, where scontrol and accounting see it
 *
 * The job's SystemComment gets the line "binding=<request>" and, for each
 * distinct grant, a line "grant=<nodes>:<topology string>" in which the job's
 * units are in lower case (DESIGN.md, section 5).  Lines of others stay.
 *
 * The lines are also what is known of a started job after the controller was
 * restarted or topobind.conf changed: they are saved with the job.
 */
#ifndef TB_SELECT_SHOW_H
#define TB_SELECT_SHOW_H

#include "compat/select_compat.h"
#include "core/request.h"

/* Before the request in the line binding= of a job that did not ask itself. */
#define TB_SHOW_IMPLICIT "implicit,"

/* request is what the line binding= says, or NULL: the job is not bound. */
void tb_show_grant(job_record_t *job, const char *request);
/* Was the job granted units when it started? */
bool tb_show_is_bound(const job_record_t *job);
/* What it asked for then; false when it is not bound or that is not readable. */
bool tb_show_request(const job_record_t *job, struct tb_request *request);

/* The grant of a bound job has changed, its request not. */
void tb_show_grant_again(job_record_t *job);
/* Was it bound by this request, or with NULL not bound?  As the other was? */
bool tb_show_has_binding(const job_record_t *job, const char *request);
bool tb_show_same_binding(const job_record_t *a, const job_record_t *b);

/*
 * Why a pending job waits: its Reason, which the scheduler wipes whenever it
 * tries the job again, and the line "waiting=<why>" of its SystemComment, which
 * stays until the job starts.  NULL: units are not what it waits for.
 */
void tb_show_waiting(job_record_t *job, const char *why);

/* m_topology_inuse= of all nodes of the job's allocation. */
void tb_show_nodes_of(const job_record_t *job);

#endif
