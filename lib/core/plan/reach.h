/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reach.h - which nodes hold all tasks of a job and all its devices
 *
 * Where units must be near the devices of their node (place/device_affinity.h), so
 * many devices need at least some slots to be near, and leave units for no more than
 * some.  A job that asks for a number of devices for all its nodes can have them in
 * any numbers on these: a search for nodes, and for slots and devices of each, that
 * sum up.
 */
#ifndef TB_CORE_PLAN_REACH_H
#define TB_CORE_PLAN_REACH_H

#include <stdbool.h>
#include <stdint.h>

/* With so many devices a node has from least to most slots; most 0: it has none. */
struct tb_reach_range {
	uint32_t least, most;
};

struct tb_reach_node {
	bool required;
	/* Its devices out of those for all nodes are 0 to so many. */
	uint32_t devices;
	const struct tb_reach_range *with; /* with each of these numbers */
	uint32_t group;			   /* for reach_groups.h */
	/* The result: 0 slots where the node is not needed. */
	uint32_t slots, has;
};

struct tb_reach_job {
	uint32_t min_nodes, max_nodes;
	uint32_t slots;	  /* on all nodes together; 0: as many as they have */
	uint32_t devices; /* on all nodes together */
};

enum tb_reached {
	TB_REACHED,
	TB_NOT_REACHED,
	TB_REACH_UNKNOWN, /* too much work, or no memory */
};

/*
 * Find the fewest nodes, of the first ones where there is a choice, and deal the
 * slots out among them as evenly as their ranges allow.  Each node that is needed has
 * at least one slot.
 */
enum tb_reached tb_reach(struct tb_reach_node *nodes, uint32_t count,
			 const struct tb_reach_job *job);

#endif
