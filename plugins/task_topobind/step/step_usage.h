/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * step_usage.h - how busy the job's units were during a step goes into its record
 *
 * Where topobind.conf has UsageRecord=yes.  In slurmstepd, which serves one step.
 */
#ifndef TB_TASK_TOPOBIND_STEP_STEP_USAGE_H
#define TB_TASK_TOPOBIND_STEP_STEP_USAGE_H

#include "common/conf/conf.h"
#include "compat/task_compat.h"
#include "step.h"

/* Before its tasks run; site may be NULL. */
void tb_step_usage_start(tb_slurm_step_t *slurm_step,
			 const struct tb_step *step,
			 const struct tb_conf *site);

/* When they are over, and before the step is destroyed.  What fails is logged. */
void tb_step_usage_end(tb_slurm_step_t *slurm_step, const struct tb_step *step);

#endif
