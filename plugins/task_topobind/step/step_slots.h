/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * step_slots.h - the cores of a step for which nobody has looked at slots
 *
 * The steps of a job with --stepmgr, so those of srun --async, are made by a slurmstepd,
 * which asks no plugin of topobind's. For a step with --exact or -c it picks any
 * cores of the job. So each node takes whole free slots of the job in their place.
 * Which cores its steps have here is in files that are locked as long as their
 * slurmstepd lives.
 *
 * No Slurm in here.
 */
#ifndef TB_TASK_TOPOBIND_STEP_STEP_SLOTS_H
#define TB_TASK_TOPOBIND_STEP_STEP_SLOTS_H

#include <stdint.h>

#include "core/base/error.h"
#include "step_plan.h"

/* The step, and slurmd's spool directory. */
struct tb_step_slots_id {
	const char *spool_dir;
	uint32_t job, step;
};

struct tb_step_slots;

/*
 * Pure: as many slots of its job as the step needs, for its tasks and with at least
 * as many cores as were picked for it, beside the cores that others have, as lists of
 * Slurm's cores. Slots with picked cores come first: these can be near its devices. *cores
 * NULL: there are too few, or the job's units are no slots (its request names CPUs,
 * parts or alternatives). Else the caller frees. 0, or -1 with a sentence.
 */
int tb_step_slots_choose(const struct tb_step_plan_input *input,
			 const char *others, char **cores,
			 struct tb_error *err);

/*
 * Take them. Where there are too few it waits some seconds for steps that are about to
 * end. NULL: the step keeps the cores that were picked for it.
 */
struct tb_step_slots *
tb_step_slots_take(const struct tb_step_slots_id *id,
		   const struct tb_step_plan_input *input);
const char *tb_step_slots_cores(const struct tb_step_slots *slots);
void tb_step_slots_give_back(struct tb_step_slots *slots); /* NULL is fine */

#endif
