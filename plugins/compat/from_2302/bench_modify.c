/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_modify.c - what Slurm 23.02 asks a plugin for JobSubmitPlugins,
 * as test/bench/slurmctld_bench.c is one, about changes of jobs
 */
#include "compat/select_ops.h"

/* All changes are fine. */
EXPORT extern int job_modify(job_desc_msg_t *change, job_record_t *job,
			     uint32_t user, char **error);
extern int job_modify(job_desc_msg_t *change, job_record_t *job, uint32_t user,
		      char **error)
{
	(void)change;
	(void)job;
	(void)user;
	(void)error;
	return SLURM_SUCCESS;
}
