/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wait_reason_limits.h"

#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "select_topobind/books/ledger.h"
#include "select_topobind/nodes/job_nodes.h"
#include "select_topobind/try/scale.h"

/* The CPUs of each node that jobs of a partition have, as select/cons_tres counts. */
struct usage {
	const part_record_t *partition;
	uint32_t *cpus; /* by node */
};

static int add_usage(void *item, void *arg)
{
	job_record_t *job = item;
	struct usage *usage = arg;
	struct tb_allocated_node at = { 0 };
	const bitstr_t *cores;

	if (job->part_ptr != usage->partition || !tb_ledger_has(job))
		return 0;
	cores = job->job_resrcs->core_bitmap;
	while (tb_allocated_node_next(job->job_resrcs, &at)) {
		const node_record_t *node = node_record_table_ptr[at.node];

		usage->cpus[at.node] +=
			node->tpc *
			bit_set_count_range((bitstr_t *)cores, at.first_core,
					    at.first_core + node->tot_cores);
	}
	return 0;
}

/* The CPUs that the job needs on each node at least. */
static uint32_t count_needed(const struct tb_test *test,
			     const struct tb_offers *offers,
			     const struct tb_offer *offer)
{
	uint32_t nodes = MAX(test->max_nodes, 1);

	if (offers->request->type == TB_HOST)
		return offer->cpus;
	return offer->cpus * ((tb_job_slots(test->job) + nodes - 1) / nodes);
}

/* On how many of the nodes on which units are free is no room below the limit? */
static uint32_t count_full(const struct tb_offers *offers,
			   const struct tb_test *test, uint32_t limit)
{
	struct usage usage = { .partition = test->job->part_ptr };
	uint32_t full = 0;

	usage.cpus = xcalloc(tb_node_count() + 1, sizeof(*usage.cpus));
	list_for_each(job_list, add_usage, &usage);
	for (uint32_t i = 0; i < offers->count; i++) {
		const struct tb_offer *offer = &offers->list[i];

		full += usage.cpus[offer->node] +
				count_needed(test, offers, offer) >
			limit;
	}
	xfree(usage.cpus);
	return full;
}

static char *explain_partition(const struct tb_offers *offers,
			       const struct tb_test *test)
{
	const part_record_t *partition = test->job->part_ptr;

	if (!partition || partition->max_cpus_per_node == INFINITE ||
	    count_full(offers, test, partition->max_cpus_per_node) <
		    offers->count)
		return NULL;
	return xstrdup_printf(
		"units are free, but on no node may jobs of partition %s have so many CPUs more (MaxCPUsPerNode=%u)",
		partition->name, partition->max_cpus_per_node);
}

char *tb_explain_limits(const struct tb_offers *offers,
			const struct tb_test *test)
{
	const job_record_t *job = test->job;

	if (!offers->count)
		return NULL;
	if (job->req_switch && !job->best_switch)
		return xstrdup_printf(
			"units are free, but not on nodes of %u switch%s, as --switches asks",
			job->req_switch, job->req_switch == 1 ? "" : "es");
	return explain_partition(offers, test);
}
