/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hetjob.h - the parts of a heterogeneous job
 *
 * Slurm names such a job by its leader; each component has its own allocation.
 */
#ifndef TB_SELECT_TOPOBIND_REQUEST_HETJOB_H
#define TB_SELECT_TOPOBIND_REQUEST_HETJOB_H

#include "compat/select_compat.h"

/*
 * Visit the components of a heterogeneous job by its leader, the leader too; or the
 * job itself, if it is none.
 */
static inline void tb_for_each_component(job_record_t *job, ListForF visit,
					 void *arg)
{
	if (job->het_job_list)
		list_for_each(job->het_job_list, visit, arg);
	else
		visit(job, arg);
}

#endif
