/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_call_2205.c - slurmctld's questions in Slurm 22.05 and 23.02: about jobs,
 * with a bitmap of cores that are excluded, and about reservations
 */
#include "select_ops.h"

#include "select_topobind/hooks.h"
#include "select_topobind/reservation.h"

EXPORT extern int select_p_job_test(job_record_t *job, bitstr_t *nodes,
				    uint32_t min_nodes, uint32_t max_nodes,
				    uint32_t req_nodes, uint16_t mode,
				    list_t *preemptees, list_t **preempted,
				    bitstr_t *excluded);
extern int select_p_job_test(job_record_t *job, bitstr_t *nodes,
			     uint32_t min_nodes, uint32_t max_nodes,
			     uint32_t req_nodes, uint16_t mode,
			     list_t *preemptees, list_t **preempted,
			     bitstr_t *excluded)
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

	return tb_hook_job_test(&test);
}

/* Which cores: ours to say.  FIRST_CORES means the first ones of each node. */
EXPORT extern bitstr_t *select_p_resv_test(resv_desc_msg_t *resv,
					   uint32_t node_count, bitstr_t *nodes,
					   bitstr_t **cores);
extern bitstr_t *select_p_resv_test(resv_desc_msg_t *resv, uint32_t node_count,
				    bitstr_t *nodes, bitstr_t **cores)
{
	bitstr_t *avoid = cores && *cores ? bit_copy(*cores) : NULL;
	bitstr_t *chosen = tb_ops.resv_test(resv, node_count, nodes, cores);

	if (chosen && resv->core_cnt && cores && *cores &&
	    !(resv->flags & RESERVE_FLAG_FIRST_CORES))
		tb_reservation_choose(chosen, avoid, *cores);
	FREE_NULL_BITMAP(avoid);
	return chosen;
}
