/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * census.h - what a node has of each kind of unit: in all, free, broken up
 *
 * This is for people and programs that look at a cluster (topobind nodes, topobind
 * metrics); placement does not need it.
 */
#ifndef TB_CORE_TOPOLOGY_CENSUS_H
#define TB_CORE_TOPOLOGY_CENSUS_H

#include <stdint.h>

#include "core/base/bitset.h"
#include "topology.h"
#include "unit.h"

/* S, N, X, Y, C and T, of power and of efficiency cores. */
#define TB_CENSUS_KINDS 12

/*
 * Units of one kind, all zero where the node has no object of the letter with
 * such cores: unlike in a request, no letter stands for another one.  Of objects
 * inside each other (an N inside an N) as many count as free as jobs could get at
 * the same time; total and broken count the outermost.
 */
struct tb_unit_census {
	uint32_t total;
	uint32_t free;	 /* no part of them is in use */
	uint32_t broken; /* a part of them is in use and a part is free */
	/*
	 * The largest free block: the most units in one object that is free as
	 * a whole; the object is the node, a container, a core or a thread.  0
	 * when no unit is free.
	 */
	uint32_t largest;
};

/*
 * A free core, which has no thread in use, is a fragment when the smallest
 * container around it with several cores (the node where there is none) is partly
 * in use: a job can get the core alone, but not with all of its neighbours.
 */
struct tb_census {
	struct tb_unit_census units[TB_CENSUS_KINDS];
	uint32_t cores, free_cores, fragments;
};

/* The unit of an index into units, in the order of a table. */
struct tb_unit tb_census_unit(unsigned kind);

/*
 * used (may be NULL: nothing is in use) and masked (likewise, core/place/place.h) have
 * a bit for each thread.  What is masked counts neither as used nor as free, and a unit
 * of which all is masked not at all.
 */
void tb_census_take(const struct tb_topology *topology,
		    const struct tb_bitset *used,
		    const struct tb_bitset *masked, struct tb_census *census);

#endif
