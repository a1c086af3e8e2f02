/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * soft.h - soft binding, seen from Slurm's hooks
 *
 * Every step on the node takes part: before it starts, bound or not, it claims its
 * own CPUs from soft-bound tasks of others (cpu_claim.h).  The tasks of a
 * soft-bound step get a controller (soft_controller.h).
 */
#ifndef TB_TASK_TOPOBIND_SOFT_SOFT_H
#define TB_TASK_TOPOBIND_SOFT_SOFT_H

#include "common/conf/conf.h"
#include "compat/task_compat.h"

/* slurmd: sweep, and claim the system's cores. */
void tb_task_soft_slurmd_start(void);
/*
 * Beside slurmd: look for what killed slurmstepds have left in the registry.  False:
 * it is to look again.
 */
bool tb_task_soft_tidy(const char *spool_dir);

/*
 * slurmstepd, before any task is there; step is NULL when topobind does not bind
 * it, site when there is no configuration; copy as of tb_site_load().
 */
void tb_task_soft_step_start(tb_slurm_step_t *slurm_step, struct tb_step *step,
			     const struct tb_conf *site, const char *copy);
/* All tasks of a bound step are held, none has started. */
void tb_task_soft_tasks_held(tb_slurm_step_t *slurm_step, struct tb_step *step);
/* The tasks are gone, their cgroups not yet.  More than once is fine. */
void tb_task_soft_step_end(void);

#endif
