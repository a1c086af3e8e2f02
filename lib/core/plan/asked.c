/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "asked.h"

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Those that it requires can be more: with --constraint="[a*2&b*1]", say. */
static uint32_t count_least_nodes(const struct tb_asked *asked)
{
	return larger(larger(asked->min_nodes, asked->required), 1);
}

uint32_t tb_asked_slots(const struct tb_asked *asked)
{
	uint32_t nodes = count_least_nodes(asked);
	uint32_t least = nodes * larger(asked->tasks_per_node, 1);

	if (asked->overcommit)
		return nodes;
	if (!asked->tasks)
		return least;
	return asked->in_part ? smaller(least, asked->tasks)
			      : larger(nodes, asked->tasks);
}

uint32_t tb_asked_slots_of_node(const struct tb_asked *asked)
{
	uint32_t slots = tb_asked_slots(asked);
	uint32_t others = larger(asked->min_nodes, 1) - 1;
	uint32_t limit = asked->overcommit ? 1 : asked->tasks_per_node;

	/* Each of the other nodes has a slot, too. */
	slots = slots > others ? slots - others : 1;
	return limit ? smaller(limit, slots) : slots;
}

uint32_t tb_asked_slots_of_each(const struct tb_asked *asked)
{
	if (asked->overcommit ||
	    (asked->may_be_fewer && tb_asked_exact_slots(asked)))
		return 0;
	return smaller(asked->tasks_per_node, tb_asked_slots_of_node(asked));
}

uint32_t tb_asked_exact_tasks(const struct tb_asked *asked)
{
	return asked->tasks_are_given ? tb_asked_slots(asked) : 0;
}

uint32_t tb_asked_exact_slots(const struct tb_asked *asked)
{
	/* Some clients say this, too, when the user gave tasks for each node. */
	if (asked->tasks == larger(asked->min_nodes, 1) * asked->tasks_per_node)
		return 0;
	return tb_asked_exact_tasks(asked);
}

uint32_t tb_asked_known_nodes(const struct tb_asked *asked)
{
	uint32_t least = count_least_nodes(asked);
	uint32_t most = asked->max_nodes ? asked->max_nodes : UINT32_MAX;

	/* Who says neither a number of tasks nor the most nodes has the fewest. */
	if (!asked->max_nodes && !asked->tasks_are_given)
		return least;
	return tb_asked_most_nodes(asked, most) <= least ? least : 0;
}

uint32_t tb_asked_known_slots(const struct tb_asked *asked)
{
	bool any_nodes = !asked->overcommit && tb_asked_exact_slots(asked);

	return any_nodes || tb_asked_known_nodes(asked) ? tb_asked_slots(asked)
							: 0;
}

/* Tasks that each node must have, all others having --ntasks-per-node of them. */
static uint32_t count_least_tasks(const struct tb_asked *asked)
{
	uint64_t limit = asked->tasks_per_node, others;

	if (!asked->max_nodes)
		return 1;
	others = limit * (asked->max_nodes - 1);
	if (asked->tasks <= others)
		return 1;
	others = asked->tasks - others;
	return (uint32_t)(limit < others ? limit : others);
}

uint32_t tb_asked_cpus_of_node(const struct tb_asked *asked)
{
	if (asked->node_cpus == asked->tasks_per_node * asked->task_cpus)
		return count_least_tasks(asked) * asked->task_cpus;
	return asked->node_cpus;
}

uint32_t tb_asked_least_hosts(const struct tb_asked *asked)
{
	uint32_t each = asked->tasks_per_node;

	if (!each || asked->overcommit || asked->in_part)
		return 0;
	return asked->tasks / each + (asked->tasks % each > 0);
}

uint32_t tb_asked_most_nodes(const struct tb_asked *asked, uint32_t nodes)
{
	uint32_t slots = tb_asked_exact_slots(asked);

	return slots ? smaller(nodes, slots) : nodes;
}

uint32_t tb_asked_cpus_on_one(const struct tb_asked *asked, uint32_t most_nodes)
{
	if (most_nodes != 1 || asked->overcommit)
		return UINT32_MAX;
	return tb_asked_slots(asked) * larger(asked->task_cpus, 1);
}
