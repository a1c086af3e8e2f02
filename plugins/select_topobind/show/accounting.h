/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * accounting.h - request and grant of started jobs in accounting's job record
 *
 * When a job starts right after it was submitted, the database does not know it
 * yet, nor any task of an array by its number, and slurmctld calls no select plugin
 * when that changes.  A thread sends the comments of such jobs later.  It exists only
 * when there was such a job, looks every second and a half with slurmctld's read lock
 * on jobs, and ends when slurmctld ends or gives control back.
 *
 * Functions are called with slurmctld's write lock on jobs.
 */
#ifndef TB_SELECT_TOPOBIND_SHOW_ACCOUNTING_H
#define TB_SELECT_TOPOBIND_SHOW_ACCOUNTING_H

#include "compat/select_compat.h"

/* A bound job starts: send its comment now, or when the database knows the job. */
void tb_accounting_job_started(job_record_t *job);
/* The job is about to get a new record, for its new size. */
void tb_accounting_job_resized(const job_record_t *job);

/* After a restart: forget all jobs; then add each bound job that was started. */
void tb_accounting_reset(void);
void tb_accounting_job_recovered(const job_record_t *job);

/* slurmctld was about to end, and does not: the thread goes on where it is needed. */
void tb_accounting_go_on(void);
/* End the thread, for now or for good; called without locks. */
void tb_accounting_stop(void);
void tb_accounting_fini(void);

#endif
