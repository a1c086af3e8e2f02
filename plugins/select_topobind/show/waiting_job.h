/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waiting_job.h - the request of a job that has not started is shown in its record
 *
 * Under slurmctld's write lock on jobs.
 */
#ifndef TB_SELECT_TOPOBIND_SHOW_WAITING_JOB_H
#define TB_SELECT_TOPOBIND_SHOW_WAITING_JOB_H

#include "common/conf/conf.h"
#include "compat/select_compat.h"
#include "select_topobind/request/effective_request.h"

/* Show its request; nothing happens to a job that does not wait. */
void tb_waiting_job_show(const struct tb_effective_request *effective,
			 job_record_t *job);
/* Has somebody wanted another binding (request/changed_request.h)?  Then it has that. */
bool tb_waiting_job_take_change(job_record_t *job, const struct tb_conf *site);
/* Both, of a job of which Slurm may not ask for long. */
void tb_waiting_job_look(job_record_t *job, const struct tb_conf *site);

#endif
