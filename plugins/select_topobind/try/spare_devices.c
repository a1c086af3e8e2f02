/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spare_devices.h"

#include "src/common/macros.h"

#include "compat/select_gres.h"

#include "select_topobind/nodes/nodes.h"
#include "select_topobind/request/job_asked.h"

/* Cores near devices of a node, as they are found. */
struct sparing {
	const struct tb_test *test;
	struct tb_mask *mask; /* NULL: none was found */
	uint32_t node;
	bool found; /* on this node */
};

/* They mostly lie together: many are left out at once then. */
static void forbid_cores(struct tb_mask *mask, uint32_t node, bitstr_t *cores)
{
	bitoff_t last = node_record_table_ptr[node]->tot_cores - 1;
	bitoff_t first = bit_ffs(cores);

	last = MIN(last, bit_fls(cores));
	if (first < 0 || first > last)
		return;
	if (bit_set_count(cores) == last - first + 1) {
		tb_mask_forbid(mask, node, first, last - first + 1);
		return;
	}
	for (bitoff_t core = first; core <= last; core++)
		if (bit_test(cores, core))
			tb_mask_forbid(mask, node, core, 1);
}

static void spare_cores(uint32_t place, const bitstr_t *cores, uint32_t devices,
			void *arg)
{
	struct sparing *sparing = arg;

	(void)place;
	if (!devices)
		return;
	if (!sparing->mask)
		sparing->mask = tb_mask_open(sparing->test);
	forbid_cores(sparing->mask, sparing->node, (bitstr_t *)cores);
	sparing->found = true;
}

/*
 * A window or a list says itself which units these are; so do whole nodes.  In a
 * partition that shares, units that others have would come before those near devices.
 */
static bool could_have_others(const job_record_t *job,
			      const struct tb_request *request)
{
	if (job->gres_list_req || tb_wants_whole_nodes(job) ||
	    tb_job_sharing_limit(job) > 1)
		return false;
	return !request ||
	       (!request->cpus && !request->start && !request->stop);
}
/* Where all cores are near devices there are no others. */
static void spare_on_node(struct sparing *sparing, uint32_t node,
			  bitstr_t *nodes)
{
	sparing->node = node;
	sparing->found = false;
	tb_gres_visit_near(node, spare_cores, sparing);
	if (sparing->found && !tb_mask_leaves_some(sparing->mask, node))
		bit_clear(nodes, node);
}

/* Could they be all nodes of the job? */
static bool could_suffice(const struct tb_test *test, bitstr_t *nodes)
{
	bitstr_t *required = test->job->details->req_node_bitmap;

	return bit_set_count(nodes) >= (int)MAX(test->min_nodes, 1) &&
	       (!required || bit_super_set(required, nodes));
}

void tb_spared_clear(struct tb_spared *spared)
{
	tb_mask_destroy(spared->mask);
	spared->mask = NULL;
	FREE_NULL_BITMAP(spared->nodes);
}

void tb_spare_devices(struct tb_spared *spared, const struct tb_test *test,
		      const struct tb_request *request)
{
	struct sparing sparing = { .test = test };

	*spared = (struct tb_spared){ .mask = NULL };
	if (tb_test_mode(test) == TB_TEST_ONLY ||
	    !tb_job_spares_devices(test->job) ||
	    !could_have_others(test->job, request))
		return;
	spared->nodes = bit_copy(test->nodes);
	for (uint32_t node = 0; node < tb_node_count(); node++)
		if (bit_test(test->nodes, node))
			spare_on_node(&sparing, node, spared->nodes);
	spared->mask = sparing.mask;
	if (!spared->mask || !could_suffice(test, spared->nodes))
		tb_spared_clear(spared);
}
