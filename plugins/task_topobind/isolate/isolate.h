/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * isolate.h - the CPUs of this slurmstepd's job, for the job alone (isolation.h)
 *
 * Functions of the task plugin's hooks; slurmstepd serves one step.
 */
#ifndef TB_TASK_TOPOBIND_ISOLATE_ISOLATE_H
#define TB_TASK_TOPOBIND_ISOLATE_ISOLATE_H

#include "compat/task_compat.h"
#include "task_topobind/step/step.h"

/* Of any step, before it has cgroups: jobs that had its CPUs for themselves give way. */
void tb_task_isolate_give_way(tb_slurm_step_t *slurm_step);

/*
 * When its cgroups are there.  A step that is to be isolated and cannot be fails; where
 * only the site would like it, it goes on.
 */
void tb_task_isolate(tb_slurm_step_t *slurm_step, struct tb_step *step);
/* In a task: it is not the task's. */
void tb_task_isolate_leave(void);
void tb_task_isolate_end(void);

#endif
