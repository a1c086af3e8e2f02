/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * See select_steps.h: Slurm 22.05 counts the CPUs as they are, and again at the
 * step's end, by its tasks.
 */
#include "compat/select_steps.h"

uint32_t tb_step_counted(uint32_t cpus, uint32_t threads)
{
	(void)threads;
	return cpus;
}

void tb_step_set_cpus(step_record_t *step, uint16_t *cpus)
{
	(void)step;
	(void)cpus;
}
