/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steps.h - whole slots for the steps of a bound job
 *
 * Slurm gives a step with --exact (or -c) as many cores as its tasks have CPUs,
 * from wherever they are free in the job, and deals the tasks of a step out
 * over the nodes by CPUs.  Of a bound job a task needs a slot: so once Slurm has
 * chosen, and before the credential is made, the cores are replaced by those of
 * whole free slots, and tasks move from nodes with fewer slots to others.
 *
 * The step's own binding options are not known here: they go from srun to the
 * nodes.  Such a step is placed by the nodes inside what it gets here.
 */
#ifndef TB_SELECT_STEPS_H
#define TB_SELECT_STEPS_H

#include "compat/select_compat.h"
#include "core/request.h"

/*
 * request is the job's.  Where there are not enough slots nothing is changed:
 * the node finds that out and refuses the step with a sentence.
 */
void tb_step_place(step_record_t *step, const struct tb_request *request);

#endif
