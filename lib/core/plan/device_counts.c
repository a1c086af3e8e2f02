/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "device_counts.h"

#include <stdlib.h>

#include "core/base/array.h"

/* So many of the devices for all nodes are looked for on one. */
#define DEVICES_MAX 64

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

struct tb_reach_range tb_devices_range(const struct tb_devices_asked *asked,
				       uint32_t each, uint32_t tasks,
				       uint32_t free)
{
	uint32_t most = tasks;

	if (free < asked->per_node)
		most = 0;
	if (asked->per_task)
		most = (uint32_t)smaller(most, free / asked->per_task);
	if (!each)
		return (struct tb_reach_range){ 1, most };
	return (struct tb_reach_range){ each, most >= each ? each : 0 };
}

struct tb_reach_range
tb_devices_range_with(const struct tb_devices_asked *asked,
		      struct tb_reach_range range, uint32_t devices)
{
	uint32_t tasks = devices * asked->tasks_each;

	/* Whole devices: each has its tasks. */
	if (!asked->tasks_each)
		return range;
	return (struct tb_reach_range){
		tasks, tasks >= range.least && tasks <= range.most ? tasks : 0
	};
}

bool tb_devices_ask_one_each(const struct tb_devices_asked *asked,
			     struct tb_reach_node *nodes, uint32_t count,
			     struct tb_reach_job *job)
{
	if (!asked->per_job || asked->tasks_each ||
	    job->max_nodes <= asked->per_job)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		nodes[i].with += nodes[i].devices > 0;
		nodes[i].devices = 0;
	}
	job->devices = 0;
	if (job->min_nodes <= asked->per_job)
		job->min_nodes = (uint32_t)asked->per_job + 1;
	return true;
}

uint32_t tb_devices_tasks_each(uint64_t per_job, uint32_t each, uint32_t tasks,
			       bool overcommit)
{
	return overcommit || per_job * each != tasks ? 0 : each;
}

bool tb_devices_count_tasks(const struct tb_devices_asked *devices,
			    const struct tb_asked *asked)
{
	return asked->overcommit && devices->per_task && asked->tasks;
}

struct tb_reach_job tb_devices_job(const struct tb_asked *asked, bool hosts,
				   const struct tb_devices_asked *devices,
				   uint32_t min_nodes, uint32_t max_nodes,
				   uint32_t *each)
{
	uint64_t count = smaller(devices->per_job, UINT32_MAX);
	struct tb_reach_job job = { .min_nodes = min_nodes,
				    .max_nodes = max_nodes,
				    .devices = (uint32_t)count };

	*each = 0;
	if (tb_devices_count_tasks(devices, asked))
		job.slots = asked->tasks;
	else if (!asked->overcommit)
		job.slots = hosts ? tb_asked_exact_tasks(asked)
				  : tb_asked_exact_slots(asked);
	if (job.slots)
		job.max_nodes = (uint32_t)smaller(job.max_nodes, job.slots);
	else
		*each = asked->overcommit || !asked->tasks_per_node
				? 1
				: asked->tasks_per_node;
	return job;
}

void tb_devices_add_memory(const struct tb_devices_asked *asked, uint32_t nodes,
			   uint64_t *per_node, uint64_t *per_slot)
{
	uint32_t parts = nodes ? nodes : 1;

	if (asked->per_task)
		*per_slot += asked->megabytes * asked->per_task;
	else if (asked->per_node)
		*per_node += asked->megabytes * asked->per_node;
	else
		*per_node += asked->megabytes *
			     ((asked->per_job + parts - 1) / parts);
}

/* ---- do nodes suffice? ---- */

static uint32_t count_devices(const struct tb_devices_asked *asked,
			      const struct tb_devices_node *node)
{
	return (uint32_t)smaller(smaller(node->free, asked->per_job),
				 DEVICES_MAX);
}

static void fill_nodes(const struct tb_devices_asked *asked, uint32_t each,
		       const struct tb_devices_node *from, uint32_t count,
		       struct tb_reach_node *nodes,
		       struct tb_reach_range *ranges)
{
	for (uint32_t i = 0; i < count; i++) {
		struct tb_reach_range any = tb_devices_range(asked, each,
							     from[i].tasks,
							     from[i].free);
		uint32_t devices = count_devices(asked, &from[i]);

		nodes[i] = (struct tb_reach_node){ .required = from[i].required,
						   .devices = devices,
						   .with = ranges };
		/* Without one of those for the job it has none of it. */
		*ranges++ = asked->per_job ? (struct tb_reach_range){ 1, 0 }
					   : any;
		for (uint32_t d = 1; d <= devices; d++)
			*ranges++ = tb_devices_range_with(asked, any, d);
	}
}

enum tb_reached tb_devices_reach(const struct tb_devices_asked *asked,
				 struct tb_reach_node *nodes, uint32_t count,
				 struct tb_reach_job job)
{
	enum tb_reached reached = tb_reach(nodes, count, &job);

	if (reached == TB_NOT_REACHED &&
	    tb_devices_ask_one_each(asked, nodes, count, &job))
		reached = tb_reach(nodes, count, &job);
	return reached;
}

bool tb_devices_suffice(const struct tb_devices_asked *asked,
			const struct tb_reach_job *job, uint32_t each,
			const struct tb_devices_node *nodes, uint32_t count)
{
	struct tb_reach_node *list = tb_array_create(count, sizeof(*list));
	struct tb_reach_range *ranges;
	size_t all = 1;
	bool suffice = true;

	for (uint32_t i = 0; i < count; i++)
		all += count_devices(asked, &nodes[i]) + 1;
	ranges = calloc(all, sizeof(*ranges));
	if (list && ranges) {
		fill_nodes(asked, each, nodes, count, list, ranges);
		suffice = tb_devices_reach(asked, list, count, *job) !=
			  TB_NOT_REACHED;
	}
	free(list);
	free(ranges);
	return suffice;
}
