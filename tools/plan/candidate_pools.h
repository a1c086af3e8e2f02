/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidate_pools.h - which units of a node are near which of its devices
 *
 * Nodes show it in their Extra field (core/topology/device_places.h); who has which
 * devices Slurm tells by their numbers.
 */
#ifndef TB_TOOLS_PLAN_CANDIDATE_POOLS_H
#define TB_TOOLS_PLAN_CANDIDATE_POOLS_H

#include "core/plan/blockers.h"

#include "candidate_nodes.h"

/* As plan/held_nodes.h wants them. */
struct tb_candidate_pools {
	unsigned count;
	struct tb_used_pool *list; /* their threads are owned */
	struct tb_bitset **left;   /* of each, devices that no hold took */
	struct tb_bitset *now;	   /* to work with */
	bool unknown; /* the node has such devices, and does not show where */
};

/*
 * Those of the devices that are asked for; none where all of these are near all units.
 * The node has its topology.  NULL with a sentence when out of memory.
 */
struct tb_candidate_pools *
tb_candidate_pools_create(const struct tb_candidate_node *node,
			  const struct tb_job_devices *asked,
			  struct tb_error *err);

/* Add the threads of the node that are near some device, where that is shown. */
void tb_candidate_pools_add_near(const struct tb_candidate_node *node,
				 struct tb_bitset *threads);

void tb_candidate_pools_destroy(struct tb_candidate_pools *pools); /* NULL ok */

/*
 * Say in which pools the devices of a hold are, which are counted: those in Slurm's list of
 * what it has, or for what is hidden of what is in use, after all other holds; and these
 * GPUs (NULL: none).  NULL pools: there are none.  -1 with a sentence when out of memory.
 */
int tb_candidate_pools_take(const struct tb_candidate_pools *pools,
			    const struct tb_job_devices *asked,
			    struct tb_holder_job *hold, const char *list,
			    const struct tb_bitset *gpus, struct tb_error *err);

#endif
