/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain_memory.h"

#include <inttypes.h>

#include "src/common/read_config.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "compat/select_gres.h"

#include "job_test.h"

static bool fits(const struct tb_test *test, const struct tb_request *request,
		 const struct tb_view *view)
{
	struct tb_test call = *test;
	time_t start_time = test->job->start_time;
	int rc;

	tb_test_set_will_run(&call);
	call.preemptees = NULL;
	call.preempted = NULL;
	call.nodes = bit_copy(test->nodes);
	rc = tb_test_view_now(&call, request, view);
	FREE_NULL_BITMAP(call.nodes);
	test->job->start_time = start_time;
	return rc == SLURM_SUCCESS;
}

/* 0 would ask for all memory of a node, or leave it to a default. */
#define LITTLE 1

static bool fits_without_memory(const struct tb_test *test,
				const struct tb_request *request,
				const struct tb_view *view)
{
	job_record_t *job = test->job;
	uint64_t memory = job->details->pn_min_memory;
	uint32_t count = tb_gres_entries(job);
	uint64_t *for_gres = xcalloc(count + 1, sizeof(*for_gres));
	bool fit;

	job->details->pn_min_memory = LITTLE;
	for (uint32_t i = 0; i < count; i++)
		for_gres[i] = tb_gres_set_memory(job, i, LITTLE);
	fit = fits(test, request, view);
	for (uint32_t i = 0; i < count; i++)
		tb_gres_set_memory(job, i, for_gres[i]);
	job->details->pn_min_memory = memory;
	xfree(for_gres);
	return fit;
}

static char *print(const job_record_t *job)
{
	uint64_t memory = job->details->pn_min_memory;

	if (job->mem_per_tres)
		return xstrdup("units are free, but not enough memory on their nodes");
	if (!memory)
		return xstrdup("units are free, but not all memory of their nodes");
	return xstrdup_printf("units are free, but not %"PRIu64"M of memory for %s on their nodes",
			      memory & ~MEM_PER_CPU,
			      memory & MEM_PER_CPU ? "each CPU" : "the job");
}

char *tb_explain_memory(const struct tb_test *test,
			const struct tb_request *request,
			const struct tb_view *view)
{
	if (!(slurm_conf.select_type_param & CR_MEMORY) ||
	    !fits_without_memory(test, request, view))
		return NULL;
	return print(test->job);
}
