/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * local_memory.h - does the memory of a job fit on the NUMA nodes of its units?
 *
 * A job with bmem=local has memory of the NUMA nodes of its units only, so its memory
 * there is consumed with the units (doc/design.md, "Memory of NUMA nodes").  What a
 * job has on a node is divided over its NUMA nodes by the cores that it has of each,
 * rounded up.  A core belongs to the innermost NUMA node around it; one without a
 * NUMA node has memory from anywhere, which is not counted here.
 *
 * "Core" is what the caller counts in: the cores of the topology, or its threads
 * where each of them is a core to Slurm.  NUMA nodes are numbered in string order.
 * Sizes are in MiB.
 */
#ifndef TB_CORE_PLACE_LOCAL_MEMORY_H
#define TB_CORE_PLACE_LOCAL_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/bitset.h"
#include "core/topology/topology.h"

/* The NUMA nodes of a topology, which must live longer. */
struct tb_numa_nodes {
	const struct tb_topology *topology;
	unsigned count;
	struct tb_bitset **cores; /* of each */
};

/* NULL when out of memory.  The caller destroys. */
struct tb_numa_nodes *tb_numa_nodes_create(const struct tb_topology *topology,
					   bool by_thread);
void tb_numa_nodes_destroy(struct tb_numa_nodes *numa); /* NULL is fine */

/*
 * Where the sizes add up to more than jobs may have on the node (usable), each NUMA
 * node has its part of that.
 */
void tb_numa_memory_limit(uint64_t *sizes, unsigned count, uint64_t usable);

/*
 * Add a job's share of each NUMA node, or take away what was added: it has these cores,
 * and so much memory.
 */
void tb_numa_memory_add(const struct tb_numa_nodes *numa,
			const struct tb_bitset *cores, uint64_t memory,
			uint64_t *held);
void tb_numa_memory_take(const struct tb_numa_nodes *numa,
			 const struct tb_bitset *cores, uint64_t memory,
			 uint64_t *held);

/*
 * What is free of each NUMA node: of its size, less what jobs that are bound to it
 * hold there (local), less what other jobs have (others).  For these the kernel first
 * takes memory of the NUMA nodes where they run, and where that is used up of the
 * nearest that has some.  A NUMA node without memory (size 0) is like one of plenty,
 * TB_MEMORY_PLENTY: who runs there has memory from anywhere.
 */
#define TB_MEMORY_PLENTY UINT64_MAX
void tb_numa_memory_free(const struct tb_numa_nodes *numa,
			 const uint64_t *sizes, const uint64_t *local,
			 const uint64_t *others, uint64_t *available);

/* What a job needs on a node: so much whatever it has there, and for each of these. */
struct tb_memory_need {
	uint64_t per_node, per_slot, per_core;
};

/* Does it need anything? */
bool tb_memory_is_needed(const struct tb_memory_need *need);

/*
 * The most that the need of so many slots can be on a NUMA node: more than that is
 * plenty.
 */
uint64_t tb_memory_need_most(const struct tb_numa_nodes *numa,
			     const struct tb_memory_need *need, unsigned slots,
			     unsigned numa_node);

/* A job that needs memory, on a node with so much available.  All borrowed. */
struct tb_local_memory {
	const struct tb_numa_nodes *numa;
	struct tb_memory_need need;
	const uint64_t *available;
	struct tb_bitset *blocked, *placed; /* cores, to work with */
};

/*
 * Places slots without the blocked cores, and sets placed to the cores of all of them.
 * Returns how many; less than 1: none.
 */
typedef int (*tb_memory_try)(void *arg, const struct tb_bitset *blocked,
			     struct tb_bitset *placed);

/*
 * Place slots so that their memory fits.  Of a NUMA node that would be too full, all
 * cores are blocked but as many of the placed ones as there is memory for, and the
 * slots are placed again.  So slots go where there is memory, and fewer are placed
 * where there is too little.  When only the number of cores on each NUMA node counts, no
 * other placement has more slots.  Returns what the last try did; nothing is blocked
 * where the first fits.
 */
int tb_memory_place(struct tb_local_memory *memory, tb_memory_try try_slots,
		    void *arg);

/* Does the memory of a job that has these cores, and needs so much for it all, fit? */
bool tb_memory_fits(const struct tb_numa_nodes *numa, uint64_t memory,
		    const uint64_t *available, const struct tb_bitset *cores);

#endif
