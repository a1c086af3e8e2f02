/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steps.h - whole slots for the steps of a bound job
 *
 * Slurm gives a step with --exact (or -c) as many cores as its tasks have CPUs,
 * any that are free in the job, and deals the tasks out to the nodes by CPUs.  A
 * task of a bound job needs a slot.  So when Slurm has chosen, and before it makes
 * the credential, the cores are replaced by those of whole free slots, and tasks
 * move from nodes with fewer slots to others.  Since Slurm 25.05 this happens when it
 * has chosen nodes and dealt out tasks: cores that a step has by then are kept.
 *
 * The controller does not know the step's own binding options, which go from srun
 * to the nodes.  The nodes place such a step inside what it gets here.
 */
#ifndef TB_SELECT_TOPOBIND_STEPS_STEPS_H
#define TB_SELECT_TOPOBIND_STEPS_STEPS_H

#include "compat/select_compat.h"
#include "core/request/request.h"

/*
 * request is the job's.  Where there are not enough slots nothing is changed; the
 * node then refuses the step with a sentence.
 */
void tb_step_place(step_record_t *step, const struct tb_request *request);

/*
 * Slurm has counted a step that tb_step_place() was called for before: write into
 * Slurm's books which cores of the job its steps have.
 */
void tb_step_write_cores(const step_record_t *step);

#endif
