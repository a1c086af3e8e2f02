/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select_abi_2411.c - what Slurm 24.11 wants of a select plugin */
#include "select_ops.h"

#include "src/common/job_resources.h"

#include "select_topobind/hooks.h"
#include "select_topobind/reservation.h"

EXPORT extern const uint32_t plugin_id;

/* Any that no other plugin has: commands load all of them. */
const uint32_t plugin_id = 110;

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
	"select_p_get_info_from_plugin",
	"select_p_reconfigure",
};

_Static_assert(sizeof(tb_ops_symbols) == sizeof(slurm_select_ops_t),
	       "one symbol for each operation");

/* Copy between a row of the cores of all nodes and one of the job's nodes. */
static void copy_cores(const job_resources_t *granted, bitstr_t *all,
		       bool from_all)
{
	bitstr_t *from = from_all ? all : granted->core_bitmap;
	bitstr_t *to = from_all ? granted->core_bitmap : all;
	node_record_t *node;
	int first = 0;

	bit_clear_all(to);
	for (int i = 0; (node = next_node_bitmap(granted->node_bitmap, &i));
	     i++) {
		int first_of_all = tb_node_first_core(i);

		for (int core = 0; core < node->tot_cores; core++)
			if (bit_test(from, core + (from_all ? first_of_all
							    : first)))
				bit_set(to, core + (from_all ? first
							     : first_of_all));
		first += node->tot_cores;
	}
}

/*
 * To find the cores of a reservation Slurm asks when a job of no number would
 * run.  Which cores is ours to say; with GRES they are near these.
 */
static bool is_reservation(const struct tb_test *test)
{
	const resv_exc_t *excluded = test->excluded;

	return !test->job->job_id && excluded && excluded->core_bitmap &&
	       !test->job->gres_list_req;
}

static int test_reservation(const struct tb_test *test)
{
	const resv_exc_t *excluded = test->excluded;
	int rc = tb_cons_tres_job_test(test, NULL);
	const job_resources_t *granted = test->job->job_resrcs;
	bitstr_t *chosen;

	if (rc != SLURM_SUCCESS || !granted || !granted->core_bitmap)
		return rc;
	chosen = bit_alloc(tb_all_cores());
	copy_cores(granted, chosen, false);
	tb_reservation_choose(granted->node_bitmap, excluded->core_bitmap,
			      chosen);
	copy_cores(granted, chosen, true);
	FREE_NULL_BITMAP(chosen);
	return rc;
}

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

	return is_reservation(&test) ? test_reservation(&test)
				     : tb_hook_job_test(&test);
}
