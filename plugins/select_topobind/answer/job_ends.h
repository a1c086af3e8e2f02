/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_ends.h - the running jobs in the order in which they will end
 *
 * To find a start in the future one asks what fits when the first so many of
 * these jobs have ended.
 */
#ifndef TB_SELECT_TOPOBIND_ANSWER_JOB_ENDS_H
#define TB_SELECT_TOPOBIND_ANSWER_JOB_ENDS_H

#include "compat/select_compat.h"

struct tb_job_end {
	time_t time;
	job_record_t *job;
};

struct tb_job_ends {
	struct tb_job_end *list; /* the first end first */
	uint32_t count;
};

/* When does this job end?  0: leave it out. */
typedef time_t (*tb_job_end_time)(job_record_t *job, void *arg);

/* Of the jobs that run or are suspended on these nodes.  The caller clears. */
void tb_job_ends_find(struct tb_job_ends *ends, const bitstr_t *nodes,
		      tb_job_end_time end_time, void *arg);
void tb_job_ends_clear(struct tb_job_ends *ends);

#endif
