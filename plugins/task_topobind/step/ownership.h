/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ownership.h - the directories of all steps are root's
 *
 * With cgroup v1 Slurm up to 23.02 gives those of each step to the step's user, bound
 * or not (common_cgroup_instantiate() in its plugins/cgroup/common; later ones give
 * nothing away); cgroup/take.h says what he could do there.  They are taken when
 * Slurm has made them, before any process of the step's user runs in the step, and
 * again at its end.
 *
 * The controllers are cpuset, where tasks are held, and freezer, by which Slurm finds
 * the processes of a step.  The others stay as Slurm has them as long as the step
 * runs.
 *
 * With v2 those of tasks are the user's (up to 23.02), who can move nothing into what
 * he makes there: only at the end it goes, as Slurm could not remove the step's
 * otherwise.
 */
#ifndef TB_TASK_TOPOBIND_STEP_OWNERSHIP_H
#define TB_TASK_TOPOBIND_STEP_OWNERSHIP_H

#include "compat/task_compat.h"

/*
 * In slurmstepd, as root: take those of this step, then what the steps of others
 * still have.  What cannot be taken is logged.
 */
void tb_ownership_take(tb_slurm_step_t *step);

/*
 * The same for a step without tasks (extern), where no hook comes after that in which
 * task/cgroup makes its directories: before each fork, of which the first is
 * Slurm's to have a process there.  Until tb_ownership_end().
 */
void tb_ownership_take_later(tb_slurm_step_t *step);

/*
 * At the step's end: what its user has made goes away, in every hierarchy; of a held
 * step (is_held) also what is left in its cpuset cgroup.  0, or -1 with a sentence.
 */
int tb_ownership_end(tb_slurm_step_t *step, bool is_held, struct tb_error *err);

/* In slurmd: what an earlier version, or somebody else, has left. */
void tb_ownership_take_all(void);

#endif
