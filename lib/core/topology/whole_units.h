/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whole_units.h - how many whole containers of each kind a job has of a node
 *
 * That is what Slurm's own books count as gres/socket, gres/numa, gres/l3 and gres/l2
 * (topobind_tres(7)).  A container counts when the job has all of it and nobody else a
 * part of it, so on a node of which jobs share nothing the sum over jobs is never more
 * than what the node has.  Of objects inside each other (an N inside an N) the innermost
 * count, for the same reason.  A node without a kind of object has none of that unit:
 * unlike in a request, no letter stands for another one.
 */
#ifndef TB_CORE_TOPOLOGY_WHOLE_UNITS_H
#define TB_CORE_TOPOLOGY_WHOLE_UNITS_H

#include <stdint.h>

#include "core/base/bitset.h"
#include "topology.h"

#define TB_COUNTED_UNITS 4

/* Their letters and names, in this order. */
#define TB_COUNTED_LETTERS "SNXY"
extern const char *const tb_counted_names[TB_COUNTED_UNITS];

struct tb_unit_counts {
	uint32_t of[TB_COUNTED_UNITS];
};

/* What an idle node has. */
struct tb_unit_counts tb_units_of_node(const struct tb_topology *topology);

/* The threads of a node; masked and others may be NULL: none. */
struct tb_unit_holding {
	const struct tb_bitset *granted; /* the job's */
	/* They run no tasks of this job: without them a container is whole. */
	const struct tb_bitset *masked;
	const struct tb_bitset *others; /* other jobs' */
};

/* Of which all threads are granted or masked, some granted, none of others. */
struct tb_unit_counts tb_whole_units(const struct tb_topology *topology,
				     const struct tb_unit_holding *holding);

#endif
