/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_steps.h - the CPUs of a job that Slurm counts as used by its steps
 */
#ifndef TB_COMPAT_SELECT_STEPS_H
#define TB_COMPAT_SELECT_STEPS_H

#include "select_compat.h"

/*
 * Has Slurm, when plugins are asked about a step, already picked its cores and
 * counted its CPUs and memory?  Else it does so later, and keeps the cores that the
 * step has by then.
 */
bool tb_step_is_counted(void);

/*
 * How many CPUs of a node with so many threads on a core are counted for a step
 * that uses cpus of them.
 */
uint32_t tb_step_counted(uint32_t cpus, uint32_t threads);

/*
 * The step has other CPUs on its nodes than Slurm gave it, and shall give back as
 * many at its end.  cpus has an entry for each node of its layout.
 */
void tb_step_set_cpus(step_record_t *step, uint16_t *cpus);

#endif
