/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turns.h - does Slurm let jobs that share cores take turns (doc/design.md, "Turns")?
 */
#ifndef TB_COMMON_CONF_TURNS_H
#define TB_COMMON_CONF_TURNS_H

#include <stdbool.h>
#include <string.h>

#include "compat/slurm_types.h"

/*
 * With PreemptMode=GANG.  With CR_CPU and task/none the gang scheduler counts CPUs, and
 * lets two jobs run that have a core in common.
 */
static inline bool tb_slurm_takes_turns(const slurm_conf_t *slurm)
{
	bool counts_cpus = slurm->select_type_param & SELECT_CPU &&
			   slurm->task_plugin &&
			   !strcmp(slurm->task_plugin, "task/none");

	return slurm->preempt_mode & PREEMPT_MODE_GANG && !counts_cpus;
}

#endif
