/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a node could hold is an estimate, by CPUs and memory: select/cons_tres has
 * the last word.
 */
#include "plain_order.h"

#include "src/common/macros.h"

#include "consumption.h"
#include "scale.h"

static uint32_t cpus_by_memory(const struct job_details *details,
			       uint32_t node, uint32_t cpus)
{
	uint64_t memory = tb_node_free_memory(node);
	uint64_t wanted = details->pn_min_memory & ~MEM_PER_CPU;

	if (!(slurm_conf.select_type_param & CR_MEMORY) || !wanted)
		return cpus;
	if (details->pn_min_memory & MEM_PER_CPU)
		return MIN(cpus, memory / wanted);
	return memory < wanted ? 0 : cpus;
}

static uint32_t cpus_for(const struct tb_test *test, uint32_t node)
{
	const struct job_details *details = test->job->details;
	uint32_t per_task = details->cpus_per_task == NO_VAL16
		? 1 : MAX(details->cpus_per_task, 1);
	uint32_t cpus = tb_node_free_cpus(node);

	if (tb_wants_whole_nodes(test->job) && tb_consumption_of(node).jobs)
		return 0;
	cpus = cpus_by_memory(details, node, cpus);
	if (details->pn_min_cpus != NO_VAL && cpus < details->pn_min_cpus)
		return 0;
	cpus -= cpus % per_task;
	if (details->ntasks_per_node && !details->overcommit)
		cpus = MIN(cpus, details->ntasks_per_node * per_task);
	return cpus;
}

/* Which cores a plain job gets is not ours to say: CPUs are all there is. */
static void describe(const struct tb_order *order, const struct tb_test *test,
		     struct tb_candidate *candidate)
{
	uint32_t free_cpus = tb_node_free_cpus(candidate->node);

	candidate->holds = cpus_for(test, candidate->node);
	candidate->left = free_cpus - MIN(free_cpus, MIN(candidate->holds,
							 order->need.amount));
}

void tb_plain_order_init(struct tb_order *order, const struct tb_test *test)
{
	const struct job_details *details = test->job->details;
	uint32_t cpus = details->min_cpus == NO_VAL ? 1 : details->min_cpus;

	*order = (struct tb_order) {
		.need = tb_need_of(test, MAX(cpus, 1)), .describe = describe,
	};
}
