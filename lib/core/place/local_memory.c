/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "local_memory.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/topology/tree.h"

/* --- NUMA nodes as sets of cores --------------------------------------------- */

/* Of NUMA nodes around a thread the last in string order is the innermost. */
static void give_threads(const struct tb_topology *topology, unsigned *owner)
{
	unsigned count = tb_topology_count(topology, 'N');

	for (unsigned i = 0; i < tb_topology_threads(topology); i++)
		owner[i] = count;
	for (unsigned i = 0; i < count; i++) {
		unsigned first, threads;

		tb_topology_object(topology, 'N', i, &first, &threads);
		for (unsigned j = first; j < first + threads; j++)
			owner[j] = i;
	}
}

static void give_cores(struct tb_numa_nodes *numa, const unsigned *owner,
		       unsigned cores, bool by_thread)
{
	for (unsigned core = 0; core < cores; core++) {
		unsigned thread = by_thread
					  ? core
					  : tb_core_first_thread(numa->topology,
								 core);

		if (owner[thread] < numa->count)
			tb_bitset_set(numa->cores[owner[thread]], core);
	}
}

struct tb_numa_nodes *tb_numa_nodes_create(const struct tb_topology *topology,
					   bool by_thread)
{
	unsigned cores = by_thread ? tb_topology_threads(topology)
				   : tb_topology_cores(topology);
	struct tb_numa_nodes *numa = calloc(1, sizeof(*numa));
	unsigned *owner = calloc(tb_topology_threads(topology), sizeof(*owner));
	bool complete = numa && owner;

	if (complete) {
		numa->topology = topology;
		numa->count = tb_topology_count(topology, 'N');
		numa->cores = tb_array_create(numa->count,
					      sizeof(*numa->cores));
		complete = numa->cores;
	}
	for (unsigned i = 0; complete && i < numa->count; i++) {
		numa->cores[i] = tb_bitset_create(cores);
		complete = numa->cores[i];
	}
	if (complete) {
		give_threads(topology, owner);
		give_cores(numa, owner, cores, by_thread);
	} else {
		tb_numa_nodes_destroy(numa);
		numa = NULL;
	}
	free(owner);
	return numa;
}

void tb_numa_nodes_destroy(struct tb_numa_nodes *numa)
{
	if (!numa)
		return;
	for (unsigned i = 0; numa->cores && i < numa->count; i++)
		tb_bitset_destroy(numa->cores[i]);
	free(numa->cores);
	free(numa);
}

/* --- what is there, held and free -------------------------------------------- */

/* Without overflow: sizes have forty bits, cores sixteen. */
static uint64_t take_part_rounded_up(uint64_t number, uint64_t part,
				     uint64_t whole)
{
	return number / whole * part +
	       (number % whole * part + whole - 1) / whole;
}

void tb_numa_memory_limit(uint64_t *sizes, unsigned count, uint64_t usable)
{
	uint64_t sum = 0;
	double scale;

	for (unsigned i = 0; i < count; i++)
		sum += sizes[i];
	if (sum <= usable)
		return;
	scale = (double)usable / (double)sum;
	for (unsigned i = 0; i < count; i++)
		sizes[i] = (uint64_t)((double)sizes[i] * scale);
}

static uint64_t find_part(const struct tb_numa_nodes *numa, unsigned numa_node,
			  const struct tb_bitset *cores, unsigned all,
			  uint64_t memory)
{
	return take_part_rounded_up(memory,
				    tb_bitset_count_both(cores,
							 numa->cores[numa_node]),
				    all);
}

void tb_numa_memory_add(const struct tb_numa_nodes *numa,
			const struct tb_bitset *cores, uint64_t memory,
			uint64_t *held)
{
	unsigned all = tb_bitset_count(cores);

	for (unsigned i = 0; all && i < numa->count; i++)
		held[i] += find_part(numa, i, cores, all, memory);
}

void tb_numa_memory_take(const struct tb_numa_nodes *numa,
			 const struct tb_bitset *cores, uint64_t memory,
			 uint64_t *held)
{
	unsigned all = tb_bitset_count(cores);

	for (unsigned i = 0; all && i < numa->count; i++)
		held[i] -= find_part(numa, i, cores, all, memory);
}

/* The nearest to a NUMA node, by distance where that is known, that has room. */
static unsigned find_nearest(const struct tb_numa_nodes *numa, unsigned from,
			     const uint64_t *room)
{
	const unsigned *distances = numa->topology->distances;
	unsigned nearest = numa->count;

	for (unsigned i = 0; i < numa->count; i++) {
		const unsigned *row = distances ? distances + from * numa->count
						: NULL;

		if (room[i] &&
		    (nearest == numa->count || (row && row[i] < row[nearest])))
			nearest = i;
	}
	return nearest;
}

/* What is too much for a NUMA node lies on others. */
static void spill(const struct tb_numa_nodes *numa, unsigned from,
		  uint64_t too_much, uint64_t *room)
{
	while (too_much) {
		unsigned to = find_nearest(numa, from, room);
		uint64_t moved;

		if (to == numa->count)
			return;
		moved = too_much < room[to] ? too_much : room[to];
		room[to] -= moved;
		too_much -= moved;
	}
}

/* What jobs that are bound to it leave of a NUMA node. */
static uint64_t find_rest(uint64_t size, uint64_t local)
{
	return local < size ? size - local : 0;
}

static uint64_t find_too_much(uint64_t size, uint64_t local, uint64_t others)
{
	uint64_t rest = find_rest(size, local);

	if (!size)
		return local + others;
	return others > rest ? others - rest : 0;
}

void tb_numa_memory_free(const struct tb_numa_nodes *numa,
			 const uint64_t *sizes, const uint64_t *local,
			 const uint64_t *others, uint64_t *available)
{
	/* First all that lies where it was asked for, whoever came first. */
	for (unsigned i = 0; i < numa->count; i++) {
		uint64_t rest = find_rest(sizes[i], local[i]);

		available[i] = others[i] < rest ? rest - others[i] : 0;
	}
	for (unsigned i = 0; i < numa->count; i++)
		spill(numa, i, find_too_much(sizes[i], local[i], others[i]),
		      available);
	for (unsigned i = 0; i < numa->count; i++)
		if (!sizes[i])
			available[i] = TB_MEMORY_PLENTY;
}

/* --- what fits --------------------------------------------------------------- */

bool tb_memory_is_needed(const struct tb_memory_need *need)
{
	return need->per_node || need->per_slot || need->per_core;
}

/* Of so many slots with so many cores, of them so many here. */
struct spread {
	unsigned slots, all, here;
};

static uint64_t find_share(const struct tb_memory_need *need,
			   struct spread spread)
{
	uint64_t for_all = need->per_node + need->per_slot * spread.slots;

	if (!spread.here)
		return 0;
	return need->per_core * spread.here +
	       take_part_rounded_up(for_all, spread.here, spread.all);
}

uint64_t tb_memory_need_most(const struct tb_numa_nodes *numa,
			     const struct tb_memory_need *need, unsigned slots,
			     unsigned numa_node)
{
	unsigned cores = tb_bitset_count(numa->cores[numa_node]);

	return find_share(need, (struct spread){ slots, cores, cores });
}

/* For how many of the cores here there is memory; there is not for all. */
static unsigned count_cores(const struct tb_memory_need *need,
			    struct spread spread, uint64_t available)
{
	unsigned enough = 0, too_many = spread.here;

	while (too_many - enough > 1) {
		spread.here = enough + (too_many - enough) / 2;
		if (find_share(need, spread) <= available)
			enough = spread.here;
		else
			too_many = spread.here;
	}
	return enough;
}

/* All cores of the NUMA node but the first of the placed ones. */
static void block_cores(const struct tb_bitset *cores,
			const struct tb_bitset *placed, unsigned kept,
			struct tb_bitset *blocked)
{
	TB_BITSET_EACH(core, cores) {
		if (kept && tb_bitset_test(placed, core))
			kept--;
		else
			tb_bitset_set(blocked, core);
	}
}

/* Is a NUMA node too full?  Then more cores are blocked; keep: not all of its. */
static bool block_full(struct tb_local_memory *memory, unsigned slots,
		       bool keep)
{
	struct spread spread = { slots, tb_bitset_count(memory->placed), 0 };
	bool full = false;

	for (unsigned i = 0; i < memory->numa->count; i++) {
		const struct tb_bitset *cores = memory->numa->cores[i];
		uint64_t available = memory->available[i];

		spread.here = tb_bitset_count_both(memory->placed, cores);
		if (find_share(&memory->need, spread) <= available)
			continue;
		block_cores(cores, memory->placed,
			    keep ? count_cores(&memory->need, spread, available)
				 : 0,
			    memory->blocked);
		full = true;
	}
	return full;
}

int tb_memory_place(struct tb_local_memory *memory, tb_memory_try try_slots,
		    void *arg)
{
	/* As a rule each is cut once; then each goes, and there is an end. */
	unsigned cuts = 2 * memory->numa->count + 2;
	int slots;

	tb_bitset_clear_all(memory->blocked);
	do
		slots = try_slots(arg, memory->blocked, memory->placed);
	while (slots > 0 && block_full(memory, slots, cuts && cuts--));
	return slots;
}

bool tb_memory_fits(const struct tb_numa_nodes *numa, uint64_t memory,
		    const uint64_t *available, const struct tb_bitset *cores)
{
	const struct tb_memory_need need = { .per_node = memory };
	struct spread spread = { 1, tb_bitset_count(cores), 0 };

	for (unsigned i = 0; i < numa->count; i++) {
		spread.here = tb_bitset_count_both(cores, numa->cores[i]);
		if (find_share(&need, spread) > available[i])
			return false;
	}
	return true;
}
