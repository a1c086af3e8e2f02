/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * held_nodes.h - what nodes have room for beside what holders have there
 *
 * Holders, jobs for example, have threads, devices and memory of nodes until they end.
 * Which of them have ended, the caller says; what a node then offers to a job is found
 * by the rules of node_offers.h.  Nothing is remembered: each call looks again.
 */
#ifndef TB_CORE_PLAN_HELD_NODES_H
#define TB_CORE_PLAN_HELD_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/bitset.h"

#include "node_offers.h"
#include "shared_use.h"

/* What one holder, a job for example, has of a node. */
struct tb_holder_job {
	unsigned holder; /* index into has_ended */
	const struct tb_bitset *threads;
	uint32_t cpus;		  /* that count against most_cpus */
	struct tb_share_of share; /* where units are shared */
	bool bars; /* the job can have nothing of the node until it ends */
	const uint32_t *devices;  /* of each kind of the need; NULL: none */
	const uint32_t *of_pools; /* of each pool of the node; NULL: none */
	uint64_t memory;	  /* where that of holders counts */
	const uint64_t *of_numa;  /* of it, of each NUMA node; NULL: none */
};

/* A node that may be used.  Borrows all that it points to. */
struct tb_used_node {
	const struct tb_topology *topology;
	struct tb_placer *placer; /* of this topology, can be shared */
	struct tb_books books;
	uint32_t most_cpus; /* MaxCPUsPerNode; UINT32_MAX: no limit */
	const struct tb_bitset *reserved; /* no end frees them; NULL: none */
	const struct tb_bitset *masked; /* by the site (place.h); NULL: none */
	const struct tb_holder_job *holders;
	unsigned nholders;
	bool required;		 /* must be among the chosen nodes */
	const uint32_t *devices; /* of each kind of the need; NULL: none */
	const struct tb_used_pool *pools; /* as in node_offers.h */
	unsigned npools;
	uint64_t memory; /* for jobs, in the need's unit, as all that follow */
	/*
	 * So much of it a job needs there, whatever slots it has; only where that of
	 * holders counts.
	 */
	uint64_t least_memory;
	/*
	 * As in node_offers.h, and of each NUMA node all and what is free now; where it has
	 * none there is plenty (local_memory.h).
	 */
	const struct tb_numa_nodes *numa;
	const uint64_t *numa_sizes, *numa_free;
};

struct tb_held_nodes {
	const struct tb_need *need;
	const struct tb_used_node *nodes;
	unsigned nnodes;
	bool *has_ended; /* by holder; the caller sets it.  Owned, as all that follow */

	struct tb_bitset **used;	 /* scratch, by node */
	struct tb_thread_use *use, *own; /* scratch, where units are shared */
	uint32_t *pools; /* scratch: devices that are free in each of a node */
	uint64_t *numa_free; /* scratch: memory of each NUMA node */
};

/*
 * No holder has ended.  nodes and what need points to must outlive it.  -1: out of
 * memory.  tb_held_nodes_clear() is right after both, and for one that is all 0.
 */
int tb_held_nodes_init(struct tb_held_nodes *held, const struct tb_need *need,
		       const struct tb_used_node *nodes, unsigned nnodes,
		       unsigned nholders);
void tb_held_nodes_clear(struct tb_held_nodes *held);

/* Replaces the list with the offers of a node. */
void tb_held_find_offers(struct tb_held_nodes *held, unsigned node,
			 struct tb_offer_list *offers);

/* tb_node_offers_place() on a node; the placement is left with its placer. */
unsigned tb_held_place(struct tb_held_nodes *held, unsigned node,
		       const struct tb_offer *offer, unsigned slots);

/* So many tasks (or slots) of an offer have their devices and their memory, too. */
uint32_t tb_held_tasks(const struct tb_held_nodes *held,
		       const struct tb_offer *offer);

/* Of so many tasks those for which a node has devices, too. */
uint32_t tb_held_limit_by_devices(const struct tb_held_nodes *held,
				  unsigned node, uint32_t tasks);

/*
 * How many devices of a kind are free on a node, and have the memory that goes with
 * each.
 */
uint32_t tb_held_devices(const struct tb_held_nodes *held, unsigned node,
			 unsigned kind);

/* Has the node less memory than a job needs there, whatever slots it has? */
bool tb_held_lacks_memory(const struct tb_held_nodes *held, unsigned node);

/* Has the holder more than threads there that count for the job? */
bool tb_held_holder_has_more(const struct tb_held_nodes *held, unsigned node,
			     unsigned holder);

#endif
