/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select_call_2311.c - slurmctld's question in Slurm 23.11 and 24.05 */
#include "select_ops.h"

EXPORT extern int select_p_job_test(job_record_t *job, bitstr_t *nodes,
				    uint32_t min_nodes, uint32_t max_nodes,
				    uint32_t req_nodes, uint16_t mode,
				    list_t *preemptees, list_t **preempted,
				    resv_exc_t *excluded);
extern int select_p_job_test(job_record_t *job, bitstr_t *nodes,
			     uint32_t min_nodes, uint32_t max_nodes,
			     uint32_t req_nodes, uint16_t mode,
			     list_t *preemptees, list_t **preempted,
			     resv_exc_t *excluded)
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
	};

	return tb_answer(&test);
}
