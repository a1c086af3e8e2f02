/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * See select_steps.h: since Slurm 23.11 a step keeps a record of its CPUs, and
 * whole cores are counted.
 */
#include "compat/select_steps.h"

#include "src/common/slurm_protocol_defs.h"
#include "src/common/xmalloc.h"

uint32_t tb_step_counted(uint32_t cpus, uint32_t threads)
{
	return ROUNDUP(cpus, threads) * threads;
}

void tb_step_set_cpus(step_record_t *step, uint16_t *cpus)
{
	xfree(step->cpu_alloc_values);
	xfree(step->cpu_alloc_reps);
	slurm_array16_to_value_reps(cpus, step->step_layout->node_cnt,
				    &step->cpu_alloc_values,
				    &step->cpu_alloc_reps,
				    &step->cpu_alloc_array_cnt);
}
