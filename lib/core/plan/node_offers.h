/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node_offers.h - what a node offers to a job beside what is used there
 *
 * By the rules of classes.h, with placements beside what is used and, where the job asks
 * for devices of which only some cores are near, with those that are near some.
 */
#ifndef TB_CORE_PLAN_NODE_OFFERS_H
#define TB_CORE_PLAN_NODE_OFFERS_H

#include "core/place/local_memory.h"
#include "core/place/place.h"
#include "core/place/share.h"

#include "classes.h"
#include "device_counts.h"

/* Which units a job has that asks for devices: those near them (device_affinity.h)? */
enum tb_near {
	TB_NEAR_ANYTHING, /* all are alike */
	TB_NEAR_IF_POSSIBLE,
	TB_NEAR_ALWAYS
};

/* What a job asks for. */
struct tb_need {
	const struct tb_request *request;
	struct tb_asked asked;
	bool whole_nodes; /* who holds threads of a node must share them all */
	bool turns;	  /* those who share take turns (shared_use.h) */
	bool implicit;	  /* a task has as many units as hold its CPUs */
	bool one_size;	  /* whatever bequal says, see classes.h */
	unsigned share;	  /* so many jobs may have a unit; 0 and 1: one */
	uint64_t cpu_memory; /* with each CPU; 0: none is counted */
	/* What holders have of a node's is missing until they end: held_nodes.h. */
	bool memory_is_held;
	/* Of the NUMA nodes of its units; for each CPU, where Slurm's cores are meant. */
	struct tb_memory_need local_memory;
	/* Devices, a number for each kind: held_nodes.h. */
	const struct tb_devices_asked *devices;
	unsigned ndevices;
	enum tb_near near;
};

/* Devices of a node that are near the same threads. */
struct tb_used_pool {
	unsigned kind; /* of the need's devices */
	const struct tb_bitset *threads;
	uint32_t devices;
};

/* A node; borrows all that it points to. */
struct tb_offering_node {
	const struct tb_topology *topology;
	struct tb_placer *placer; /* of this topology */
	struct tb_books books;
	uint32_t left; /* tb_booked_left(); UINT32_MAX: no limit */
	const struct tb_bitset *masked; /* by the site (place.h); NULL: none */
	/* Who has its threads, as tb_place_shared() wants it; NULL: nobody shares. */
	const struct tb_thread_use *use;
	/* Where devices are near some of it, those of a kind together; or none. */
	const struct tb_used_pool *pools;
	const uint32_t *free; /* devices in each */
	unsigned npools;
	/* In Slurm's cores, and what is free of each; NULL: it is not counted. */
	const struct tb_numa_nodes *numa;
	const uint64_t *numa_free;
};

struct tb_offer_list {
	struct tb_offer *list;
	uint32_t count, room;
};

/*
 * Replaces the list with the offers of the node, whose number is in them.  Where there
 * is no memory for more they are fewer.
 */
void tb_node_offers_find(struct tb_offer_list *offers,
			 const struct tb_need *need,
			 const struct tb_offering_node *node, uint32_t number,
			 const struct tb_bitset *used);

/*
 * Leave so many slots of an offer with the node's placer.  As many as it holds; TB_HOST:
 * 1, and of an implicitly bound job so many tasks.  Returns how many are placed.
 */
uint32_t tb_node_offers_place(const struct tb_need *need,
			      const struct tb_offering_node *node,
			      const struct tb_offer *offer, uint32_t slots,
			      const struct tb_bitset *used);

void tb_offer_list_add(struct tb_offer_list *offers,
		       const struct tb_offer *offer);
void tb_offer_list_clear(struct tb_offer_list *offers);

/* Of the offers of one node: as many slots (TB_HOST: tasks) as one of them holds. */
uint32_t tb_node_offers_most(const struct tb_offer_list *offers,
			     const struct tb_need *need);

#endif
