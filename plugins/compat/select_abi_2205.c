/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select_abi_2205.c - what only Slurm 22.05 wants of a select plugin */
#include "select_ops.h"

#include "select_topobind/hooks.h"
#include "select_topobind/reservation.h"

EXPORT extern const uint32_t plugin_id;

/* "A wrapper over cons_tres": the id that Slurm's own checks accept as one. */
const uint32_t plugin_id = SELECT_PLUGIN_CRAY_CONS_TRES;

const char *tb_ops_symbols[] = {
	"plugin_id",
	"select_p_state_save",
	"select_p_state_restore",
	"select_p_job_init",
	"select_p_node_init",
	"select_p_job_test",
	"select_p_job_begin",
	"select_p_job_ready",
	"select_p_job_expand",
	"select_p_job_resized",
	"select_p_job_signal",
	"select_p_job_fini",
	"select_p_job_suspend",
	"select_p_job_resume",
	"select_p_step_pick_nodes",
	"select_p_step_start",
	"select_p_step_finish",
	"select_p_select_nodeinfo_pack",
	"select_p_select_nodeinfo_unpack",
	"select_p_select_nodeinfo_alloc",
	"select_p_select_nodeinfo_free",
	"select_p_select_nodeinfo_set_all",
	"select_p_select_nodeinfo_set",
	"select_p_select_nodeinfo_get",
	"select_p_select_jobinfo_alloc",
	"select_p_select_jobinfo_free",
	"select_p_select_jobinfo_set",
	"select_p_select_jobinfo_get",
	"select_p_select_jobinfo_copy",
	"select_p_select_jobinfo_pack",
	"select_p_select_jobinfo_unpack",
	"select_p_select_jobinfo_sprint",
	"select_p_select_jobinfo_xstrdup",
	"select_p_get_info_from_plugin",
	"select_p_update_node_config",
	"select_p_reconfigure",
	"select_p_resv_test",
};

_Static_assert(sizeof(tb_ops_symbols) == sizeof(slurm_select_ops_t),
	       "one symbol for each operation");

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

FORWARD(int, job_signal, job_signal,
	(job_record_t *job, int signal),
	(job, signal))
FORWARD(char *, select_jobinfo_sprint, jobinfo_sprint,
	(select_jobinfo_t *info, char *text, size_t size, int mode),
	(info, text, size, mode))
FORWARD(char *, select_jobinfo_xstrdup, jobinfo_xstrdup,
	(select_jobinfo_t *info, int mode),
	(info, mode))
FORWARD(int, update_node_config, update_node_config,
	(int index),
	(index))
