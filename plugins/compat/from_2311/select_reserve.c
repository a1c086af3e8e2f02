/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select_reserve.c - since Slurm 23.11 reservations ask as jobs do */
#include "compat/select_ops.h"

#include "src/common/job_resources.h"
#include "src/common/xmalloc.h"

#include "select_topobind/hooks.h"
#include "select_topobind/nodes/job_nodes.h"
#include "select_topobind/try/reservation.h"
#include "select_topobind/try/unit_reservation.h"

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

/* ---- units ---- */

/* The cores of a reservation as those of a job, so that Slurm keeps them. */
static void grant_cores(job_record_t *job, bitstr_t *nodes, bitstr_t *cores)
{
	job_resources_t *granted = create_job_resources();
	struct tb_allocated_node at = { 0 };

	granted->node_bitmap = bit_copy(nodes);
	granted->nhosts = bit_set_count(nodes);
	granted->nodes = bitmap2node_name(nodes);
	build_job_resources(granted);
	granted->cpus = xcalloc(granted->nhosts, sizeof(*granted->cpus));
	copy_cores(granted, cores, true);
	while (tb_allocated_node_next(granted, &at)) {
		const node_record_t *node = node_record_table_ptr[at.node];
		uint32_t end = at.first_core + node->tot_cores;

		granted->cpus[at.index] =
			node->threads *
			bit_set_count_range(granted->core_bitmap, at.first_core,
					    end);
		granted->ncpus += granted->cpus[at.index];
	}
	job->total_cpus = granted->ncpus;
	free_job_resources(&job->job_resrcs);
	job->job_resrcs = granted;
}

static int grant_units(const struct tb_test *test,
		       const struct tb_unit_reservation *asked)
{
	bitstr_t *cores = tb_unit_reservation_choose(asked), *nodes;

	if (!cores)
		return SLURM_ERROR;
	nodes = tb_unit_reservation_nodes(cores);
	bit_copybits(test->nodes, nodes);
	grant_cores(test->job, nodes, cores);
	FREE_NULL_BITMAP(nodes);
	FREE_NULL_BITMAP(cores);
	return SLURM_SUCCESS;
}

/* False: it asks for no units. */
static bool test_units(const struct tb_test *test, int *rc)
{
	const job_details_t *details = test->job->details;
	struct tb_reserved_request wanted;
	bool again;
	const char *text = tb_unit_reservation_find_text(details->begin_time,
							 details->min_cpus,
							 &again);
	struct tb_unit_reservation asked = {
		.wanted = &wanted,
		.partition = test->job->part_ptr,
		.nodes = test->nodes,
		.all_nodes = details->req_node_bitmap,
		.excluded = test->excluded,
		.cores = again ? details->min_cpus : 0,
		.start = details->begin_time,
	};
	bool found = !tb_reserved_request_read(&wanted, text, NULL);

	if (found)
		*rc = grant_units(test, &asked);
	tb_reserved_request_clear(&wanted);
	return found;
}

int tb_answer(struct tb_test *test)
{
	int rc;

	if (!is_reservation(test))
		return tb_hook_job_test(test);
	return test_units(test, &rc) ? rc : test_reservation(test);
}
