/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See job_cpus.h: read from the struct, in all releases. */
#include "src/common/slurm_xlator.h"

#include "compat/job_cpus.h"

#include "src/common/job_resources.h"

/* Flags in some releases, numbers in others: 3 is --exclusive=mcs there. */
enum { WHOLE = 1, WHOLE_OR_OF_USER = 3 };

bool tb_job_has_whole_nodes(const job_info_t *job)
{
	const job_resources_t *has = job->job_resrcs;

	return has != NULL && (has->whole_node & WHOLE_OR_OF_USER) == WHOLE;
}
