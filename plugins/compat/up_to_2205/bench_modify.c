/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_modify.c - what Slurm 22.05 asks a plugin for JobSubmitPlugins,
 * as test/bench/slurmctld_bench.c is one, about changes of jobs
 */
#include "compat/select_ops.h"

/* All changes are fine. */
EXPORT extern int job_modify(job_desc_msg_t *change, job_record_t *job,
			     uint32_t user);
extern int job_modify(job_desc_msg_t *change, job_record_t *job, uint32_t user)
{
	(void)change;
	(void)job;
	(void)user;
	return SLURM_SUCCESS;
}
