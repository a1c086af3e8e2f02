/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_memory.h - the memory of a job on a node, as slurmctld tells its clients
 */
#ifndef TB_COMPAT_JOB_MEMORY_H
#define TB_COMPAT_JOB_MEMORY_H

#include "slurm_types.h"

/*
 * MB on the job's node at this position of count, in the order of the job's node_inx.
 * The record was asked for with SHOW_DETAIL.  0: it has none, or Slurm does not tell.
 */
uint64_t tb_job_memory_at(const job_info_t *job, unsigned position,
			  unsigned count);

#endif
