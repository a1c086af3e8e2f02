/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain.h - which nodes and cores select/cons_tres gives a job without a binding
 *
 * Private to lib/core/replay.  As measured (test/integration/whatif.sh), with nodes of
 * one weight, no switches and Slurm's default distribution:
 *
 * Nodes beside each other with room for a task are a set.  Of the sets that suffice it
 * takes the smallest, else the largest and then others.  In a set a job of one node gets
 * the one with the fewest CPUs free that holds it; other jobs get the first ones.  The CPUs
 * are counted down in the order in which nodes are found, so later ones have fewer tasks.
 * From Slurm 26.05 on a job of one task gets the first node that holds it.
 *
 * Tasks of several CPUs lie in one socket, the first ones first.  Other cores come from
 * one socket after the other, again and again.
 */
#ifndef TB_CORE_REPLAY_PLAIN_H
#define TB_CORE_REPLAY_PLAIN_H

#include "room.h"

/* Nodes beside each other. */
struct tb_node_set {
	unsigned first, end;
	int64_t cpus;	/* for whole tasks */
	uint32_t nodes; /* 0: has been taken */
};

/* Of a job: it has so many tasks there at most. */
struct tb_plain_node {
	unsigned node;
	uint32_t tasks;
};

/*
 * Nodes on which so many tasks have room go into nodes, in their order; returns how many,
 * 0 where they do not suffice.  sets is to work with; both hold as many as there are nodes.
 */
unsigned tb_plain_nodes(const struct tb_rooms *rooms, const uint32_t *room,
			const struct tb_replay_job *job,
			struct tb_node_set *sets, struct tb_plain_node *nodes);

struct tb_plain_tasks {
	uint32_t tasks, task_cpus;
	bool whole; /* whole_tasks of tb_replay_options */
};

/* Whole cores, of which none is used, into threads.  False: there are too few. */
bool tb_plain_cores(const struct tb_topology *topology, uint32_t cpus_per_core,
		    const struct tb_bitset *used,
		    const struct tb_plain_tasks *tasks,
		    struct tb_bitset *threads);

#endif
