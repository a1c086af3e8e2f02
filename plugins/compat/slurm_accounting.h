/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_accounting.h - sends a job's SystemComment to accounting's job record
 *
 * Slurm 22.05 has the column and does not fill it: it does not send the comment to
 * slurmdbd at the start and end of a job.
 */
#ifndef TB_COMPAT_ACCOUNTING_H
#define TB_COMPAT_ACCOUNTING_H

#include "select_compat.h"

/* Is there a database behind accounting? */
bool tb_slurm_accounting_is_there(void);

/*
 * Does the database know the job?  If not, its record is made when the database
 * hears of the job's end.
 */
bool tb_slurm_accounting_knows(const job_record_t *job);

/*
 * Send the job's comment for the record of its latest run, and for the records of
 * the sizes that it had in this run.  slurmctld queues it as all that it sends to
 * slurmdbd: the call does not wait, and nothing is lost while slurmdbd is away.
 */
void tb_slurm_accounting_send_comment(job_record_t *job);

#endif
