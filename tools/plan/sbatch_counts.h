/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sbatch_counts.h - the numbers of nodes, tasks and CPUs that sbatch makes of its options
 */
#ifndef TB_TOOLS_PLAN_SBATCH_COUNTS_H
#define TB_TOOLS_PLAN_SBATCH_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "compat/slurm_types.h"

/* Which options were given, whatever their values. */
struct tb_sbatch_given {
	bool ntasks, per_node, cpus, node_info;
};

/* Complete what the options leave open, as sbatch does. */
void tb_sbatch_complete_counts(job_desc_msg_t *job,
			       struct tb_sbatch_given given);

/* A number of a job description; 0: none is given. */
unsigned tb_given_count(uint32_t number);
unsigned tb_given_count_16(uint16_t number);

/* At most TB_SBATCH_COUNT_MAX: what no cluster has is as good as any larger number. */
uint32_t tb_multiply_counts(uint32_t a, uint32_t b);

#endif
