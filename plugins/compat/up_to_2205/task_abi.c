/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task_abi.c - what only Slurm 22.05 wants of a task plugin */
#include "compat/task_abi.h"

#include "task_topobind/hooks.h"

#pragma GCC visibility push(default)
extern int task_p_pre_set_affinity(stepd_step_rec_t *job, uint32_t node_tid);
extern int task_p_set_affinity(stepd_step_rec_t *job, uint32_t node_tid);
extern int task_p_post_set_affinity(stepd_step_rec_t *job, uint32_t node_tid);
#pragma GCC visibility pop

int task_p_pre_set_affinity(stepd_step_rec_t *job, uint32_t node_tid)
{
	(void)job;
	(void)node_tid;
	return SLURM_SUCCESS;
}

int task_p_set_affinity(stepd_step_rec_t *job, uint32_t node_tid)
{
	(void)job;
	(void)node_tid;
	return SLURM_SUCCESS;
}

/* The last hook before the program starts: task/affinity has had its turn. */
int task_p_post_set_affinity(stepd_step_rec_t *job, uint32_t node_tid)
{
	tb_task_hold(job, node_tid);
	return SLURM_SUCCESS;
}

/* Tasks are held by the last hook of all, see above. */
int tb_slurm_hold_begin(void)
{
	return 0;
}

int tb_slurm_hold_wait(void)
{
	return 0;
}

void tb_slurm_hold_end(void)
{
}
