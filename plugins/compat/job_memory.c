/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See job_memory.h: no release's library has a function for that. */
#include "src/common/slurm_xlator.h"

#include "compat/job_memory.h"

#include "src/common/job_resources.h"

uint64_t tb_job_memory_at(const job_info_t *info, unsigned position,
			  unsigned count)
{
	const job_resources_t *job = info->job_resrcs;

	/* A job that ends can have left some of its nodes. */
	if (job == NULL || job->memory_allocated == NULL ||
	    job->nhosts != count || position >= count)
		return 0;
	return job->memory_allocated[position];
}
