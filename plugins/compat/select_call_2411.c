/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select_call_2411.c - slurmctld's question since Slurm 24.11 */
#include "select_ops.h"

EXPORT extern int select_p_job_test(job_record_t *job, bitstr_t *nodes,
				    uint32_t min_nodes, uint32_t max_nodes,
				    uint32_t req_nodes, uint16_t mode,
				    list_t *preemptees, list_t **preempted,
				    resv_exc_t *excluded,
				    will_run_data_t *will_run);
extern int select_p_job_test(job_record_t *job, bitstr_t *nodes,
			     uint32_t min_nodes, uint32_t max_nodes,
			     uint32_t req_nodes, uint16_t mode,
			     list_t *preemptees, list_t **preempted,
			     resv_exc_t *excluded,
			     will_run_data_t *will_run)
{
	struct tb_test test = {
		.job = job,
		.nodes = nodes,
		.min_nodes = min_nodes,
		.max_nodes = max_nodes,
		.req_nodes = req_nodes,
		.mode = mode,
		.preemptees = preemptees,
		.preempted = preempted,
		.excluded = excluded,
		.will_run = will_run,
	};

	return tb_answer(&test);
}
