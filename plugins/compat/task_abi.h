/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_abi.h - how the exported functions of the task plugin hold tasks, which
 * differs between Slurm versions
 *
 * Private to this directory.  Where another task plugin has the last word on a
 * task's cgroup, the task is held after that plugin: the task asks slurmstepd to
 * hold it and waits.
 */
#ifndef TB_COMPAT_TASK_ABI_H
#define TB_COMPAT_TASK_ABI_H

#include "task_compat.h"

/* In slurmstepd before its tasks are there.  -1 (logged): no task can be held. */
int tb_slurm_hold_begin(void);
/* In the task.  -1 (logged): it is not held. */
int tb_slurm_hold_wait(void);
/* In slurmstepd when all tasks have ended. */
void tb_slurm_hold_end(void);

#endif
