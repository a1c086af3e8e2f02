/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account.h - request and grant of started jobs in accounting's job record
 *
 * A job that starts right after it was submitted is not known to the database
 * yet, and slurmctld calls no select plugin when that changes.  Jobs that wait
 * for it are looked after by a thread, which is there only when one does, looks
 * once a second, with slurmctld's read lock on jobs, and ends with slurmctld or
 * when that goes back to standing by.
 *
 * Functions are called with slurmctld's write lock on jobs.
 */
#ifndef TB_SELECT_ACCOUNT_H
#define TB_SELECT_ACCOUNT_H

#include "compat/select_compat.h"

/* A bound job starts: send its comment now or when it is known. */
void tb_account_started(job_record_t *job);
/* It is about to get a record of its own for its new size. */
void tb_account_resized(const job_record_t *job);

/* After a restart: none waits; a bound job that was started may have. */
void tb_account_reset(void);
void tb_account_recovered(const job_record_t *job);

/* End the thread, for now or for good; called without locks. */
void tb_account_stop(void);
void tb_account_fini(void);

#endif
