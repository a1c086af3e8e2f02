/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * census.h - what a node has of each kind of unit: in all, free, broken up
 *
 * For people and programs that look at a cluster (topobind nodes, topobind
 * metrics); placement does not ask this.
 */
#ifndef TB_CORE_CENSUS_H
#define TB_CORE_CENSUS_H

#include <stdint.h>

#include "bitset.h"
#include "request.h"
#include "topology.h"

/* S, N, X, Y, C and T, of power and of efficiency cores. */
#define TB_CENSUS_KINDS 12

/*
 * Units of one kind, all zero where the node has no object of the letter with
 * such cores: other than in a request no letter means another one.  Of objects
 * inside each other (an N in an N) as many are free as could be granted at the
 * same time, and of the rest the outermost count.
 */
struct tb_unit_census {
	uint32_t total;
	uint32_t free;   /* nobody has any part of them */
	uint32_t broken; /* somebody has a part of them, and a part is free */
	/*
	 * The largest free block: the most units that one object has of which
	 * nobody has any part; the object is the node, a container, a core or a
	 * thread.  0 when none is free.
	 */
	uint32_t largest;
};

/*
 * A free core, of which nobody has a thread, is a fragment when the smallest
 * container around it that has several cores is partly in use (the node itself
 * where there is no such container): it can be had alone, but not with all of
 * its neighbours.
 */
struct tb_census {
	struct tb_unit_census units[TB_CENSUS_KINDS];
	uint32_t cores, free_cores, fragments;
};

/* The unit of an index into units, in the order of a table. */
struct tb_unit tb_census_unit(unsigned kind);

/* used (may be NULL: nobody has anything) has a bit for each thread. */
void tb_census_take(const struct tb_topology *topology,
		    const struct tb_bitset *used, struct tb_census *census);

#endif
