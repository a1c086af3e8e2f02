/* SPDX-License-Identifier: GPL-2.0-or-later */
/* candidate_memory.c - see candidate_memory.h */
#include "candidate_memory.h"

#include <stdlib.h>

#include "core/place/local_memory.h"

/* Slots beside what is used; in threads, which are the core's "cores" here. */
struct slots {
	const struct tb_candidate_node *node;
	const struct tb_request *request;
	unsigned most; /* so many are tried */
	const struct tb_bitset *used;
	struct tb_bitset *all; /* used and blocked, to work with */
};

static int try_slots(void *arg, const struct tb_bitset *blocked,
		     struct tb_bitset *placed)
{
	struct slots *slots = arg;
	int count;

	tb_bitset_assign(slots->all, slots->used);
	tb_bitset_or(slots->all, blocked);
	count = tb_place(slots->node->placer, slots->request, slots->all,
			 slots->most);
	if (count > 0)
		tb_bitset_assign(placed,
				 tb_placed_threads(slots->node->placer));
	return count;
}

/* With so much available; true where units are missing, not memory. */
static bool fits(struct slots *slots, struct tb_local_memory *local,
		 const uint64_t *available, const struct tb_bitset *used)
{
	slots->used = used;
	local->available = available;
	tb_bitset_clear_all(local->blocked);
	return try_slots(slots, local->blocked, local->placed) <= 0 ||
	       tb_memory_place(local, try_slots, slots) > 0;
}

static uint64_t count_needed(struct slots *slots, struct tb_local_memory *local)
{
	slots->used = slots->node->system;
	tb_bitset_clear_all(local->blocked);
	if (try_slots(slots, local->blocked, local->placed) <= 0)
		return 0;
	return local->need.per_node + local->need.per_slot +
	       local->need.per_core * tb_bitset_count(local->placed);
}

/* What is for the whole node is spread over the slots there, at most so many. */
static void find_with(struct slots *slots, unsigned most,
		      struct tb_local_memory *local,
		      const struct tb_node_memory *memory,
		      struct tb_candidate_memory *found)
{
	struct tb_bitset *used = tb_bitset_copy(slots->node->reserved);

	found->needed = count_needed(slots, local);
	slots->most = most;
	found->ever = fits(slots, local, memory->sizes, slots->node->system);
	if (!used)
		return;
	if (slots->node->inuse)
		tb_bitset_or(used, slots->node->inuse);
	found->now = fits(slots, local, memory->available, used);
	tb_bitset_destroy(used);
}

/* A node without memory has plenty for who runs there (local_memory.h). */
static void set_plenty(struct tb_node_memory *memory)
{
	for (unsigned i = 0; i < memory->count; i++)
		if (!memory->sizes[i])
			memory->sizes[i] = memory->available[i] =
				TB_MEMORY_PLENTY;
}

struct tb_candidate_numa *
tb_candidate_numa_create(const struct tb_candidate_node *node)
{
	struct tb_candidate_numa *numa = calloc(1, sizeof(*numa));

	if (!numa)
		return NULL;
	numa->numa = tb_numa_nodes_create(node->topology,
					  node->books.by_thread);
	tb_node_memory_load(node->info, &numa->memory);
	if (numa->numa && numa->memory.count &&
	    numa->memory.count == numa->numa->count) {
		set_plenty(&numa->memory);
		return numa;
	}
	tb_candidate_numa_destroy(numa);
	return NULL;
}

void tb_candidate_numa_destroy(struct tb_candidate_numa *numa)
{
	if (!numa)
		return;
	tb_node_memory_clear(&numa->memory);
	tb_numa_nodes_destroy(numa->numa);
	free(numa);
}

uint64_t *tb_candidate_numa_share(const struct tb_candidate_numa *numa,
				  const struct tb_candidate_node *node,
				  const struct tb_holder_job *hold)
{
	unsigned ncores = node->books.by_thread
				  ? tb_topology_threads(node->topology)
				  : tb_topology_cores(node->topology);
	struct tb_bitset *cores = tb_bitset_create(ncores);
	uint64_t *share = calloc(numa->numa->count, sizeof(*share));

	if (!cores || !share || !hold->memory) {
		free(share);
		share = NULL;
	} else {
		if (node->books.by_thread)
			tb_bitset_assign(cores, hold->threads);
		else
			tb_cores_of_threads(node->topology, hold->threads,
					    cores);
		tb_numa_memory_add(numa->numa, cores, hold->memory, share);
	}
	tb_bitset_destroy(cores);
	return share;
}

int tb_candidate_memory_find(const struct tb_candidate_node *node,
			     const struct tb_request *request, unsigned most,
			     struct tb_memory_need need,
			     struct tb_candidate_memory *found,
			     struct tb_error *err)
{
	unsigned threads = tb_topology_threads(node->topology);
	struct tb_request wide = tb_request_masked(request, node->masked);
	struct slots slots = { .node = node, .request = &wide, .most = 1 };
	struct tb_numa_nodes *numa = tb_numa_nodes_create(node->topology, true);
	struct tb_local_memory local = { .numa = numa, .need = need };
	struct tb_node_memory there;
	int rc = 0;

	*found = (struct tb_candidate_memory){ .ever = true, .now = true };
	local.blocked = tb_bitset_create(threads);
	local.placed = tb_bitset_create(threads);
	slots.all = tb_bitset_create(threads);
	tb_request_widen_window(&wide);
	tb_node_memory_load(node->info, &there);
	if (!numa || !local.blocked || !local.placed || !slots.all) {
		rc = tb_fail(err, "out of memory");
	} else if (there.count && there.count == numa->count) {
		set_plenty(&there);
		find_with(&slots, most, &local, &there, found);
	}
	tb_node_memory_clear(&there);
	tb_bitset_destroy(slots.all);
	tb_bitset_destroy(local.placed);
	tb_bitset_destroy(local.blocked);
	tb_numa_nodes_destroy(numa);
	return rc;
}
