/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "partition_limit.h"

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "core/plan/booked.h"

#include "select_topobind/nodes/job_nodes.h"
#include "select_topobind/request/job_asked.h"

struct tb_partition_limit {
	const part_record_t *partition;
	const struct tb_view *view;
	uint32_t *cpus; /* by node, that jobs of the partition have */
};

static bool is_counted_here(const struct tb_test *test)
{
	const part_record_t *partition = test->job->part_ptr;

	return partition && partition->max_cpus_per_node != INFINITE &&
	       !tb_wants_whole_nodes(test->job) &&
	       tb_job_sharing_limit(test->job) == 1;
}

/* All threads of the cores, as select/cons_tres counts. */
static void add_cpus(struct tb_partition_limit *limit, const job_record_t *job)
{
	bitstr_t *cores = job->job_resrcs->core_bitmap;
	struct tb_allocated_node at = { 0 };

	while (tb_allocated_node_next(job->job_resrcs, &at)) {
		const node_record_t *node = node_record_table_ptr[at.node];
		uint32_t end = at.first_core + node->tot_cores;

		limit->cpus[at.node] += node->tpc *
					bit_set_count_range(cores,
							    at.first_core, end);
	}
}

static int add_job(void *item, void *arg)
{
	struct tb_partition_limit *limit = arg;
	const job_record_t *job = item;

	if (job->part_ptr == limit->partition && tb_ledger_has(job) &&
	    !tb_view_has_ended(limit->view, job))
		add_cpus(limit, job);
	return 0;
}

struct tb_partition_limit *tb_partition_limit_create(const struct tb_test *test,
						     const struct tb_view *view)
{
	struct tb_partition_limit *limit;

	if (!is_counted_here(test))
		return NULL;
	limit = xmalloc(sizeof(*limit));
	limit->partition = test->job->part_ptr;
	limit->view = view;
	limit->cpus = xcalloc(tb_node_count() + 1, sizeof(*limit->cpus));
	if (!tb_view_gres(view).idle)
		list_for_each(job_list, add_job, limit);
	return limit;
}

void tb_partition_limit_destroy(struct tb_partition_limit *limit)
{
	if (!limit)
		return;
	xfree(limit->cpus);
	xfree(limit);
}

uint32_t tb_partition_limit_left(const struct tb_partition_limit *limit,
				 uint32_t node)
{
	return limit ? tb_booked_left(limit->partition->max_cpus_per_node,
				      limit->cpus[node])
		     : UINT32_MAX;
}

uint32_t tb_partition_limit_lift(const struct tb_test *test)
{
	part_record_t *partition = test->job->part_ptr;
	uint32_t before = partition ? partition->max_cpus_per_node : INFINITE;

	if (is_counted_here(test))
		partition->max_cpus_per_node = INFINITE;
	return before;
}

void tb_partition_limit_restore(const struct tb_test *test, uint32_t before)
{
	if (test->job->part_ptr)
		test->job->part_ptr->max_cpus_per_node = before;
}
