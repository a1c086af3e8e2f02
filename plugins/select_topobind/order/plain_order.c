/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a node can hold is estimated by CPUs and memory; select/cons_tres decides.
 */
#include "plain_order.h"

#include "src/common/macros.h"

#include "select_topobind/request/job_asked.h"

#include "consumption.h"

/* What is free on a node: now, or (later) when no job runs there. */
struct supply {
	uint32_t cpus;
	uint64_t memory;
	bool idle;
};

static struct supply find_supply(uint32_t node, bool later)
{
	const node_record_t *record = node_record_table_ptr[node];

	if (later)
		return (struct supply){ record->cpus_efctv, record->real_memory,
					true };
	return (struct supply){ tb_node_free_cpus(node),
				tb_node_free_memory(node),
				!tb_consumption_of(node).jobs };
}

static uint32_t limit_by_memory(const job_details_t *details, uint64_t memory,
				uint32_t cpus)
{
	uint64_t wanted = details->pn_min_memory & ~MEM_PER_CPU;

	if (!(slurm_conf.select_type_param & SELECT_MEMORY) || !wanted)
		return cpus;
	if (details->pn_min_memory & MEM_PER_CPU)
		return MIN(cpus, memory / wanted);
	return memory < wanted ? 0 : cpus;
}

static uint32_t count_cpus(const struct tb_test *test,
			   const struct supply *supply)
{
	const job_details_t *details = test->job->details;
	uint32_t per_task = details->cpus_per_task == NO_VAL16
				    ? 1
				    : MAX(details->cpus_per_task, 1);
	uint32_t cpus = limit_by_memory(details, supply->memory, supply->cpus);

	if (tb_wants_whole_nodes(test->job) && !supply->idle)
		return 0;
	if (details->pn_min_cpus != NO_VAL && cpus < details->pn_min_cpus)
		return 0;
	cpus -= cpus % per_task;
	if (details->ntasks_per_node && !details->overcommit)
		cpus = MIN(cpus, details->ntasks_per_node * per_task);
	return cpus;
}

/* topobind does not choose the cores of a plain job, so only CPUs count. */
static void describe_candidate(const struct tb_order *order,
			       const struct tb_test *test,
			       struct tb_candidate *candidate, bool later)
{
	struct supply supply = find_supply(candidate->node, later);
	uint32_t taken;

	candidate->holds = count_cpus(test, &supply);
	taken = MIN(candidate->holds, order->need.amount);
	candidate->left = supply.cpus - MIN(supply.cpus, taken);
}

void tb_plain_order_init(struct tb_order *order, const struct tb_test *test)
{
	const job_details_t *details = test->job->details;
	uint32_t cpus = details->min_cpus == NO_VAL ? 1 : details->min_cpus;

	*order = (struct tb_order){
		.need = tb_node_need_of(test, MAX(cpus, 1)),
		.describe = describe_candidate,
	};
}
