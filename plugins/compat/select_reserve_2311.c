/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select_reserve_2311.c - since Slurm 23.11 reservations ask as jobs do */
#include "select_ops.h"

#include "src/common/job_resources.h"

#include "select_topobind/hooks.h"
#include "select_topobind/reservation.h"

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

int tb_answer(struct tb_test *test)
{
	return is_reservation(test) ? test_reservation(test)
				    : tb_hook_job_test(test);
}
