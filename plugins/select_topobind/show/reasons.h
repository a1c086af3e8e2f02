/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reasons.h - why bound jobs wait, corrected while they do
 *
 * A job that could not start has a sentence in SystemComment and as its Reason
 * (job_record.h).  Slurm's scheduler deletes the Reason whenever it has tried the
 * job again, and calls no select plugin afterwards.  When a job begins to wait for
 * something else, because somebody holds it or its nodes are down, the scheduler
 * leaves SystemComment as it is.  A thread corrects both at most half a second
 * later, with slurmctld's write lock on jobs.  It looks only at jobs with a
 * sentence, and exists only when there was one.
 */
#ifndef TB_SELECT_TOPOBIND_SHOW_REASONS_H
#define TB_SELECT_TOPOBIND_SHOW_REASONS_H

#include "compat/select_compat.h"

/* Instead of tb_job_record_set_waiting(), with slurmctld's write lock on jobs. */
void tb_reasons_tell(job_record_t *job, const char *why);

/* After a restart: forget all jobs; then add each job that has a sentence. */
void tb_reasons_reset(void);
void tb_reasons_recovered(const job_record_t *job);

/* slurmctld was about to end, and does not: the thread goes on where it is needed. */
void tb_reasons_go_on(void);
/* End the thread; called without locks. */
void tb_reasons_fini(void);

#endif
