/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hooks.h - what the plugin does when Slurm calls it
 *
 * Slurm's task plugin interface without what differs between its versions:
 * compat/ has the functions that Slurm looks for, which call these.
 */
#ifndef TB_TASK_HOOKS_H
#define TB_TASK_HOOKS_H

#include <stdint.h>
#include <sys/types.h>

#include "compat/task_compat.h"

/* slurmd starts: save the machine for the steps to come, publish it. */
void tb_task_slurmd_start(void);
void tb_task_slurmd_stop(void);

/*
 * slurmd has a batch script to start: put the job's request, which the
 * controller has kept in spank_env, into the script's environment, and whether
 * it is the site's.  Both the script's slurmstepd and an srun in the script
 * read it there.  env is an
 * environment of Slurm's (env_array_*), env_count its size.
 */
void tb_task_batch_request(char ***env, uint32_t *env_count,
			   char *const *spank_env, uint32_t spank_count);

/*
 * slurmstepd, as root, before any task is there.  -1: a batch script that
 * another node can run.
 */
int tb_task_step_start(tb_slurm_step_t *step);
/* slurmstepd, as root: the task waits to start its program. */
void tb_task_hold(tb_slurm_step_t *step, uint32_t task);
/* In the task, as its user.  -1: do not start the program. */
int tb_task_prepare(tb_slurm_step_t *step);
/* slurmstepd, as root: a process from outside joins an extern step. */
void tb_task_adopt(pid_t pid);
/* slurmstepd, as root: all tasks are gone. */
void tb_task_step_end(tb_slurm_step_t *step);

#endif
