/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_abi.c - since Slurm 26.05 a running job may give back memory, by an update
 * or by --mem-update
 */
#include "compat/select_ops.h"

#include "src/common/macros.h"

#include "select_topobind/hooks.h"

/* As slurmctld does when the plugin has returned: each node keeps no more than this. */
static void reduce_memory(job_record_t *job)
{
	job_resources_t *allocated = job->job_resrcs;
	uint64_t most = job->details->pn_min_memory;

	for (uint32_t i = 0; i < allocated->nhosts; i++)
		allocated->memory_allocated[i] =
			MIN(allocated->memory_allocated[i], most);
}

/* select/cons_tres looks at what the job had before. */
void select_p_job_mem_reduce(job_record_t *job)
{
	tb_ops.job_mem_reduce(job);
	reduce_memory(job);
	tb_hook_job_memory_reduced(job);
}
