/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * components.h - the parts of a heterogeneous job
 *
 * Slurm names such a job by its leader; each component has its own allocation.
 */
#ifndef TB_SELECT_COMPONENTS_H
#define TB_SELECT_COMPONENTS_H

#include "compat/select_compat.h"

/* The leader's components, itself included; of other jobs the job. */
static inline void tb_for_each_component(job_record_t *job, ListForF visit,
					 void *arg)
{
	if (job->het_job_list)
		list_for_each(job->het_job_list, visit, arg);
	else
		visit(job, arg);
}

#endif
