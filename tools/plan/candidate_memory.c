/* SPDX-License-Identifier: GPL-2.0-or-later */
/* candidate_memory.c - see candidate_memory.h */
#include "candidate_memory.h"

#include <stdlib.h>

#include "core/place/local_memory.h"

/* One slot, beside what is used; in threads, which are the core's "cores" here. */
struct slot {
	const struct tb_candidate_node *node;
	const struct tb_request *request;
	const struct tb_bitset *used;
	struct tb_bitset *all; /* used and blocked, to work with */
};

static int try_slot(void *arg, const struct tb_bitset *blocked,
		    struct tb_bitset *placed)
{
	struct slot *slot = arg;
	int count;

	tb_bitset_assign(slot->all, slot->used);
	tb_bitset_or(slot->all, blocked);
	count = tb_place(slot->node->placer, slot->request, slot->all, 1);
	if (count > 0)
		tb_bitset_assign(placed, tb_placed_threads(slot->node->placer));
	return count;
}

/* With so much available; true where units are missing, not memory. */
static bool fits(struct slot *slot, struct tb_local_memory *local,
		 const uint64_t *available, const struct tb_bitset *used)
{
	slot->used = used;
	local->available = available;
	tb_bitset_clear_all(local->blocked);
	return try_slot(slot, local->blocked, local->placed) <= 0 ||
	       tb_memory_place(local, try_slot, slot) > 0;
}

static uint64_t count_needed(struct slot *slot, struct tb_local_memory *local)
{
	slot->used = slot->node->system;
	tb_bitset_clear_all(local->blocked);
	if (try_slot(slot, local->blocked, local->placed) <= 0)
		return 0;
	return local->need.per_node + local->need.per_slot +
	       local->need.per_core * tb_bitset_count(local->placed);
}

static void find_with(struct slot *slot, struct tb_local_memory *local,
		      const struct tb_node_memory *memory,
		      struct tb_candidate_memory *found)
{
	struct tb_bitset *used = tb_bitset_copy(slot->node->reserved);

	found->needed = count_needed(slot, local);
	found->ever = fits(slot, local, memory->sizes, slot->node->system);
	if (!used)
		return;
	if (slot->node->inuse)
		tb_bitset_or(used, slot->node->inuse);
	found->now = fits(slot, local, memory->available, used);
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
			     const struct tb_request *request,
			     struct tb_memory_need need,
			     struct tb_candidate_memory *found,
			     struct tb_error *err)
{
	unsigned threads = tb_topology_threads(node->topology);
	struct tb_request wide = tb_request_masked(request, node->masked);
	struct slot slot = { .node = node, .request = &wide };
	struct tb_numa_nodes *numa = tb_numa_nodes_create(node->topology, true);
	struct tb_local_memory local = { .numa = numa, .need = need };
	struct tb_node_memory there;
	int rc = 0;

	*found = (struct tb_candidate_memory){ .ever = true, .now = true };
	local.blocked = tb_bitset_create(threads);
	local.placed = tb_bitset_create(threads);
	slot.all = tb_bitset_create(threads);
	tb_request_widen_window(&wide);
	tb_node_memory_load(node->info, &there);
	if (!numa || !local.blocked || !local.placed || !slot.all) {
		rc = tb_fail(err, "out of memory");
	} else if (there.count && there.count == numa->count) {
		set_plenty(&there);
		find_with(&slot, &local, &there, found);
	}
	tb_node_memory_clear(&there);
	tb_bitset_destroy(slot.all);
	tb_bitset_destroy(local.placed);
	tb_bitset_destroy(local.blocked);
	tb_numa_nodes_destroy(numa);
	return rc;
}
