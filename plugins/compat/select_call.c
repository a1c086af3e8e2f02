/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select_call.c - slurmctld's question: may, does, or when will this job run? */
#include "select_ops.h"

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 0)
typedef bitstr_t excluded_t;
#else
typedef resv_exc_t excluded_t;
#endif

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(24, 11, 0)
#define WILL_RUN
#else
#define WILL_RUN , will_run_data_t *will_run
#endif

EXPORT extern int select_p_job_test(job_record_t *job, bitstr_t *nodes,
				    uint32_t min_nodes, uint32_t max_nodes,
				    uint32_t req_nodes, uint16_t mode,
				    list_t *preemptees, list_t **preempted,
				    excluded_t *excluded WILL_RUN);
extern int select_p_job_test(job_record_t *job, bitstr_t *nodes,
			     uint32_t min_nodes, uint32_t max_nodes,
			     uint32_t req_nodes, uint16_t mode,
			     list_t *preemptees, list_t **preempted,
			     excluded_t *excluded WILL_RUN)
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
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 11, 0)
		.will_run = will_run,
#endif
	};

	return tb_answer(&test);
}
