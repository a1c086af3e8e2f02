/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "held_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

/* ---- one node ---- */

/* A job that wants all of a node has it with whoever has it, or not at all. */
static bool takes_all(const struct tb_held_nodes *held)
{
	return held->use && held->need->whole_nodes;
}

static void find_used_threads(struct tb_held_nodes *held, unsigned index)
{
	const struct tb_used_node *node = &held->nodes[index];
	struct tb_bitset *used = held->used[index];

	tb_bitset_clear_all(used);
	if (node->reserved)
		tb_bitset_or(used, node->reserved);
	for (unsigned i = 0; !takes_all(held) && i < node->nholders; i++)
		if (!held->has_ended[node->holders[i].holder])
			tb_bitset_or(used, node->holders[i].threads);
}

/* Who has the threads of the node, into held->use. */
static void count_use(struct tb_held_nodes *held,
		      const struct tb_used_node *node)
{
	unsigned threads = tb_topology_threads(node->topology);

	memset(held->use, 0, threads * sizeof(*held->use));
	for (unsigned i = 0; i < node->nholders; i++)
		if (!held->has_ended[node->holders[i].holder])
			tb_shared_use_add(node->topology,
					  node->holders[i].threads,
					  node->holders[i].share, held->use,
					  held->own);
}

static void find_use(struct tb_held_nodes *held, unsigned index)
{
	const struct tb_used_node *node = &held->nodes[index];
	struct tb_unit unit = tb_booked_unit(held->need->request,
					     node->books.by_thread);

	count_use(held, node);
	if (node->reserved)
		tb_shared_use_bar(node->reserved, held->use);
	tb_share_only_units(node->topology, unit, held->use);
	tb_share_used(held->use, held->need->share, held->used[index]);
}

/* Has it too many jobs, for one that wants all of it? */
static bool has_too_many(struct tb_held_nodes *held,
			 const struct tb_used_node *node)
{
	const struct tb_need *need = held->need;

	count_use(held, node);
	return tb_share_whole(held->use, tb_topology_threads(node->topology),
			      need->turns) >= need->share;
}

/* For jobs with nodes of their own anybody bars a node who does not share it. */
static bool is_barred(struct tb_held_nodes *held,
		      const struct tb_used_node *node)
{
	bool own = held->need->whole_nodes && !takes_all(held);

	for (unsigned i = 0; i < node->nholders; i++) {
		const struct tb_holder_job *job = &node->holders[i];

		if ((job->bars || own) && !held->has_ended[job->holder])
			return true;
	}
	return takes_all(held) && has_too_many(held, node);
}

/* What MaxCPUsPerNode leaves. */
static uint32_t count_left(const struct tb_held_nodes *held,
			   const struct tb_used_node *node)
{
	uint32_t used = 0;

	if (node->most_cpus == UINT32_MAX)
		return UINT32_MAX;
	for (unsigned i = 0; i < node->nholders; i++)
		if (!held->has_ended[node->holders[i].holder])
			used += node->holders[i].cpus;
	return tb_booked_left(node->most_cpus, used);
}

/* The free devices of its pools, into held->pools. */
static void count_free_of_pools(struct tb_held_nodes *held,
				const struct tb_used_node *node)
{
	for (unsigned i = 0; i < node->npools; i++)
		held->pools[i] = node->pools[i].devices;
	for (unsigned i = 0; i < node->nholders; i++) {
		const struct tb_holder_job *job = &node->holders[i];

		if (!job->of_pools || held->has_ended[job->holder])
			continue;
		for (unsigned j = 0; j < node->npools; j++)
			held->pools[j] -= job->of_pools[j] < held->pools[j]
						  ? job->of_pools[j]
						  : held->pools[j];
	}
}

/* The free memory of its NUMA nodes, into held->numa_free. */
static void count_free_of_numa(struct tb_held_nodes *held,
			       const struct tb_used_node *node)
{
	uint64_t *free = held->numa_free;

	if (!node->numa)
		return;
	memcpy(free, node->numa_free, node->numa->count * sizeof(*free));
	for (unsigned i = 0; i < node->nholders; i++) {
		const struct tb_holder_job *job = &node->holders[i];

		if (!job->of_numa || !held->has_ended[job->holder])
			continue;
		for (unsigned j = 0; j < node->numa->count; j++)
			free[j] += job->of_numa[j] <
						   node->numa_sizes[j] - free[j]
					   ? job->of_numa[j]
					   : node->numa_sizes[j] - free[j];
	}
}

/* The node as it is now: what it has used is in held->used. */
static struct tb_offering_node look_at(struct tb_held_nodes *held,
				       unsigned index)
{
	const struct tb_used_node *node = &held->nodes[index];
	bool shares = held->use && !takes_all(held);

	if (shares)
		find_use(held, index);
	else
		find_used_threads(held, index);
	count_free_of_pools(held, node);
	count_free_of_numa(held, node);
	return (struct tb_offering_node){
		.topology = node->topology,
		.placer = node->placer,
		.books = node->books,
		.masked = node->masked,
		.use = shares ? held->use : NULL,
		.left = held->use ? UINT32_MAX : count_left(held, node),
		.pools = node->pools,
		.npools = node->npools,
		.free = held->pools,
		.numa = node->numa,
		.numa_free = held->numa_free,
	};
}

/* ---- its memory ---- */

static uint64_t count_memory(const struct tb_held_nodes *held, unsigned node)
{
	const struct tb_used_node *of = &held->nodes[node];
	uint64_t free = of->memory;

	if (!held->need->memory_is_held)
		return free;
	for (unsigned i = 0; i < of->nholders; i++) {
		const struct tb_holder_job *job = &of->holders[i];
		uint64_t taken = held->has_ended[job->holder] ? 0 : job->memory;

		free -= taken < free ? taken : free;
	}
	return free;
}

/* ---- its devices ---- */

uint32_t tb_held_devices(const struct tb_held_nodes *held, unsigned node,
			 unsigned kind)
{
	const struct tb_used_node *of = &held->nodes[node];
	uint64_t megabytes = held->need->devices[kind].megabytes;
	uint64_t with_memory = megabytes ? count_memory(held, node) / megabytes
					 : UINT32_MAX;
	uint32_t free = of->devices ? of->devices[kind] : 0;

	for (unsigned i = 0; i < of->nholders; i++) {
		const struct tb_holder_job *job = &of->holders[i];
		uint32_t taken = job->devices && !held->has_ended[job->holder]
					 ? job->devices[kind]
					 : 0;

		free -= taken < free ? taken : free;
	}
	return with_memory < free ? (uint32_t)with_memory : free;
}

uint32_t tb_held_limit_by_devices(const struct tb_held_nodes *held,
				  unsigned node, uint32_t tasks)
{
	for (unsigned i = 0; i < held->need->ndevices; i++) {
		struct tb_reach_range range =
			tb_devices_range(&held->need->devices[i], 0, tasks,
					 tb_held_devices(held, node, i));

		tasks = range.most;
	}
	return tasks;
}

bool tb_held_lacks_memory(const struct tb_held_nodes *held, unsigned node)
{
	return held->need->memory_is_held &&
	       count_memory(held, node) < held->nodes[node].least_memory;
}

uint32_t tb_held_tasks(const struct tb_held_nodes *held,
		       const struct tb_offer *offer)
{
	const struct tb_need *need = held->need;
	enum tb_type type = need->request->type;
	uint32_t tasks = tb_offer_tasks(offer, type, &need->asked);

	if (need->cpu_memory)
		tasks = tb_offer_tasks_in_memory(offer, type, tasks,
						 need->cpu_memory,
						 count_memory(held,
							      offer->node));
	return tb_held_limit_by_devices(held, offer->node, tasks);
}

bool tb_held_holder_has_more(const struct tb_held_nodes *held, unsigned node,
			     unsigned holder)
{
	const struct tb_used_node *of = &held->nodes[node];
	const struct tb_need *need = held->need;

	for (unsigned i = 0; i < of->nholders; i++) {
		const struct tb_holder_job *job = &of->holders[i];

		if (job->holder == holder)
			return (job->devices && need->ndevices) ||
			       (job->memory && need->memory_is_held);
	}
	return false;
}

/* ---- its offers ---- */

void tb_held_find_offers(struct tb_held_nodes *held, unsigned index,
			 struct tb_offer_list *offers)
{
	struct tb_offering_node node;

	offers->count = 0;
	if (is_barred(held, &held->nodes[index]))
		return;
	node = look_at(held, index);
	tb_node_offers_find(offers, held->need, &node, index,
			    held->used[index]);
}

unsigned tb_held_place(struct tb_held_nodes *held, unsigned node,
		       const struct tb_offer *offer, unsigned slots)
{
	struct tb_offering_node from = look_at(held, node);

	return tb_node_offers_place(held->need, &from, offer, slots,
				    held->used[node]);
}

/* ---- creating ---- */

static int make_use(struct tb_held_nodes *held)
{
	unsigned most = 1;

	if (held->need->share < 2)
		return 0;
	for (unsigned i = 0; i < held->nnodes; i++) {
		unsigned threads = tb_topology_threads(held->nodes[i].topology);

		most = threads > most ? threads : most;
	}
	held->use = calloc(most, sizeof(*held->use));
	held->own = calloc(most, sizeof(*held->own));
	return held->use && held->own ? 0 : -1;
}

static int make_pools(struct tb_held_nodes *held)
{
	unsigned most = 1;

	for (unsigned i = 0; i < held->nnodes; i++)
		if (held->nodes[i].npools > most)
			most = held->nodes[i].npools;
	held->pools = calloc(most, sizeof(*held->pools));
	return held->pools ? 0 : -1;
}

static int make_numa(struct tb_held_nodes *held)
{
	unsigned most = 1;

	for (unsigned i = 0; i < held->nnodes; i++) {
		const struct tb_numa_nodes *numa = held->nodes[i].numa;

		if (numa && numa->count > most)
			most = numa->count;
	}
	held->numa_free = calloc(most, sizeof(*held->numa_free));
	return held->numa_free ? 0 : -1;
}

static int make_thread_sets(struct tb_held_nodes *held)
{
	for (unsigned i = 0; i < held->nnodes; i++) {
		unsigned threads = tb_topology_threads(held->nodes[i].topology);

		held->used[i] = tb_bitset_create(threads);
		if (!held->used[i])
			return -1;
	}
	return 0;
}

int tb_held_nodes_init(struct tb_held_nodes *held, const struct tb_need *need,
		       const struct tb_used_node *nodes, unsigned nnodes,
		       unsigned nholders)
{
	*held = (struct tb_held_nodes){
		.need = need,
		.nodes = nodes,
		.nnodes = nnodes,
		.has_ended = tb_array_create(nholders,
					     sizeof(*held->has_ended)),
		.used = tb_array_create(nnodes, sizeof(*held->used)),
	};
	if (!held->has_ended || !held->used)
		return -1;
	return make_use(held) || make_pools(held) || make_numa(held)
		       ? -1
		       : make_thread_sets(held);
}

void tb_held_nodes_clear(struct tb_held_nodes *held)
{
	for (unsigned i = 0; held->used && i < held->nnodes; i++)
		tb_bitset_destroy(held->used[i]);
	free(held->used);
	free(held->has_ended);
	free(held->use);
	free(held->own);
	free(held->pools);
	free(held->numa_free);
}
