/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_reason.h - why a job waits, in Slurm's own word
 *
 * For the command.  Slurm's library has a function for it, but no public header.
 */
#ifndef TB_COMPAT_JOB_REASON_H
#define TB_COMPAT_JOB_REASON_H

#include "slurm_types.h"

/* The name of the job's state_reason, as squeue prints it; borrowed. */
const char *tb_job_reason(const job_info_t *job);

#endif
