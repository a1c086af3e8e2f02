/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What only Slurm 24.11 wants of a task plugin. */
#include "compat/task_compat.h"

#include "src/slurmd/slurmstepd/slurmstepd.h"

#include "task_topobind/hooks.h"

#pragma GCC visibility push(default)
extern int task_p_pre_launch_priv(stepd_step_rec_t *step, uint32_t node_tid,
				  uint32_t global_tid);
#pragma GCC visibility pop

/* In slurmstepd, for each task before its program starts. */
int task_p_pre_launch_priv(stepd_step_rec_t *step, uint32_t node_tid,
			   uint32_t global_tid)
{
	(void)global_tid;
	tb_task_hold(step, node_tid);
	return SLURM_SUCCESS;
}

void tb_slurm_stepd_drain(char *reason)
{
	stepd_drain_node(reason);
}

bool tb_slurm_step_overcommits(const tb_slurm_step_t *step)
{
	return step->flags & LAUNCH_OVERCOMMIT;
}
