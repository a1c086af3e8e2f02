/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spare_devices.h"

#include "compat/select_gres.h"

#include "scale.h"
#include "select_topobind/books/sharing.h"
#include "select_topobind/nodes/nodes.h"

/* Cores near devices of a node, as they are found. */
struct sparing {
	const struct tb_test *test;
	struct tb_mask *mask; /* NULL: none was found */
	uint32_t node;
};

static void spare_cores(uint32_t place, const bitstr_t *cores, uint32_t devices,
			void *arg)
{
	struct sparing *sparing = arg;
	uint32_t count = node_record_table_ptr[sparing->node]->tot_cores;

	(void)place;
	if (!devices)
		return;
	if (!sparing->mask)
		sparing->mask = tb_mask_open(sparing->test);
	for (uint32_t core = 0;
	     core < count && core < bit_size((bitstr_t *)cores); core++)
		if (bit_test((bitstr_t *)cores, core))
			tb_mask_forbid(sparing->mask, sparing->node, core);
}

/*
 * A window or a list says itself which units these are; so do whole nodes.  In a
 * partition that shares, units that others have would come before those near devices.
 */
static bool could_have_others(const job_record_t *job,
			      const struct tb_request *request)
{
	if (job->gres_list_req || tb_wants_whole_nodes(job) ||
	    tb_sharing_limit(job) > 1)
		return false;
	return !request ||
	       (!request->cpus && !request->start && !request->stop);
}

struct tb_mask *tb_spare_devices(const struct tb_test *test,
				 const struct tb_request *request)
{
	struct sparing sparing = { .test = test };

	if (tb_test_mode(test) == TB_TEST_ONLY ||
	    !tb_job_spares_devices(test->job) ||
	    !could_have_others(test->job, request))
		return NULL;
	for (uint32_t node = 0; node < tb_node_count(); node++) {
		sparing.node = node;
		if (bit_test(test->nodes, node))
			tb_gres_visit_near(node, spare_cores, &sparing);
	}
	return sparing.mask;
}
