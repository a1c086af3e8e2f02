/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select_reserve.c - since Slurm 23.11 reservations ask as jobs do */
#include "compat/select_ops.h"

#include "select_topobind/hooks.h"
#include "select_topobind/nodes/job_nodes.h"
#include "select_topobind/try/reservation.h"

/* Copy between a bitmap of the cores of all nodes and one of the job's nodes. */
static void copy_cores(const job_resources_t *granted, bitstr_t *all,
		       bool from_all)
{
	bitstr_t *from = from_all ? all : granted->core_bitmap;
	bitstr_t *to = from_all ? granted->core_bitmap : all;
	struct tb_allocated_node at = { 0 };

	bit_clear_all(to);
	while (tb_allocated_node_next(granted, &at)) {
		uint32_t cores = node_record_table_ptr[at.node]->tot_cores;
		uint32_t of_all = tb_node_first_core(at.node);
		uint32_t first = from_all ? of_all : at.first_core;
		uint32_t target = from_all ? at.first_core : of_all;

		for (uint32_t core = 0; core < cores; core++)
			if (bit_test(from, first + core))
				bit_set(to, target + core);
	}
}

/*
 * To find the cores of a reservation Slurm asks when a job without a number could
 * run.  topobind chooses the cores; with GRES Slurm does, near these.
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

int tb_answer(struct tb_test *test)
{
	return is_reservation(test) ? test_reservation(test)
				    : tb_hook_job_test(test);
}
