/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "expand.h"

#include "src/common/job_resources.h"
#include "src/common/log.h"

#include "granted_request.h"
#include "refusals.h"

int tb_expand_limit(struct tb_test *test, const char *binding)
{
	uint32_t id = test->job->details->expanding_jobid, nodes;
	const job_record_t *larger = id ? find_job_record(id) : NULL;

	if (!larger || !larger->node_bitmap ||
	    (!binding && !tb_granted_is_bound(larger)))
		return SLURM_SUCCESS;
	nodes = bit_set_count(larger->node_bitmap);
	if (!tb_granted_is(larger, binding) || nodes < test->min_nodes ||
	    nodes > test->max_nodes) {
		if (tb_test_mode(test) == TB_TEST_ONLY)
			tb_refusals_info(
				"topobind: %pJ refused: to expand %pJ it needs the same binding and the same nodes",
				test->job, larger);
		return SLURM_ERROR;
	}
	bit_and(test->nodes, larger->node_bitmap);
	test->min_nodes = test->max_nodes = test->req_nodes = nodes;
	return SLURM_SUCCESS;
}

static bool on_same_nodes(const job_record_t *a, const job_record_t *b)
{
	return a->job_resrcs && a->job_resrcs->node_bitmap && b->job_resrcs &&
	       b->job_resrcs->node_bitmap &&
	       bit_equal(a->job_resrcs->node_bitmap,
			 b->job_resrcs->node_bitmap);
}

int tb_expand_may_merge(const job_record_t *from, const job_record_t *to)
{
	if (!tb_granted_is_bound(from) && !tb_granted_is_bound(to))
		return SLURM_SUCCESS;
	if (tb_granted_is_same(from, to) && on_same_nodes(from, to))
		return SLURM_SUCCESS;
	tb_refusals_info(
		"topobind: %pJ cannot be expanded by %pJ: bound jobs need the same binding and the same nodes",
		to, from);
	return ESLURM_NOT_SUPPORTED;
}
