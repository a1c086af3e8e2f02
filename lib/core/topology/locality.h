/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locality.h - how near to each other the threads are that jobs have of a node, and
 * who else is there
 *
 * For people who look at a cluster (topobind report); placement does not need it.  All
 * counts are of the containers of one letter; on a node without them those count that
 * stand for it (unit.h): sockets for L3 caches and NUMA nodes.  Of objects inside each
 * other (an N inside an N) the outermost count.
 */
#ifndef TB_CORE_TOPOLOGY_LOCALITY_H
#define TB_CORE_TOPOLOGY_LOCALITY_H

#include <stdint.h>

#include "core/base/bitset.h"
#include "topology.h"

/* What a job has of a node. */
struct tb_tenant {
	const struct tb_bitset *threads;
	uint64_t owner; /* tenants of the same owner are no strangers */
};

struct tb_locality {
	uint32_t touched; /* containers with a thread of the job */
	/*
	 * The fewest of an idle node that have as many threads of each kind of core.
	 * Never more than it touches.
	 */
	uint32_t fewest;
	uint32_t shared;    /* touched ones with a thread of a stranger */
	uint32_t strangers; /* jobs that have one there */
	uint32_t threads;   /* of the job in all that it touches */
	/* Of these, in the fewest containers where it has most of them. */
	uint32_t together;
};

/*
 * Of the tenant of this index.  kept (may be NULL: none) are threads that no job can
 * have, such as Slurm's system cores: they make no room, but for a job that has them.
 * -1 when out of memory.
 */
int tb_locality_measure(const struct tb_topology *topology, char letter,
			const struct tb_bitset *kept,
			const struct tb_tenant *tenants, unsigned ntenants,
			unsigned which, struct tb_locality *locality);

/* What a job has of another node, too.  Strangers: the most on one node. */
void tb_locality_add(struct tb_locality *sum, const struct tb_locality *more);

/*
 * Which part of its threads a job has in the fewest containers that suffice: more than
 * 0, and 1 if and only if it touches no more than these.  1 also for a job that has
 * none in any container.
 */
double tb_locality_score(const struct tb_locality *locality);

/* How many containers tb_broken_containers() looks at, the node among them. */
uint32_t tb_locality_containers(const struct tb_topology *topology);

#endif
