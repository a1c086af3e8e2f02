/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_accounting.h - a job's SystemComment into accounting's job record
 *
 * Slurm 22.05 has the column and does not fill it: what it sends to slurmdbd at
 * the start and at the end of a job is without the comment.
 */
#ifndef TB_COMPAT_ACCOUNTING_H
#define TB_COMPAT_ACCOUNTING_H

#include "select_compat.h"

/* Is there a database behind accounting? */
bool tb_accounting_is_there(void);

/*
 * Does the database know the job?  Otherwise it has a record of it only when it
 * hears of the job's end, which makes one.
 */
bool tb_accounting_knows(const job_record_t *job);

/*
 * Send the job's comment, for the record of its latest run; when it changed its
 * size, also for those of its sizes before.  Queued like all that slurmctld
 * tells slurmdbd: the call does not wait, and nothing is lost while slurmdbd is
 * away.
 */
void tb_accounting_send_comment(job_record_t *job);

#endif
