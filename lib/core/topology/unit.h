/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit.h - units: what a request counts (doc/design.md, "Units")
 *
 * A unit is an object of a topology with the cores of one kind in it: a thread,
 * a core, a cache, a socket or a NUMA node.  On a node without N or X objects
 * the units N and X are its sockets, without Y objects the unit Y is the core.
 */
#ifndef TB_CORE_TOPOLOGY_UNIT_H
#define TB_CORE_TOPOLOGY_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "topology.h"

struct tb_unit {
	char letter;		/* T C S X Y N; C stands for E when... */
	enum tb_core_kind kind; /* ...kind is TB_EFFICIENCY */
};

/* All names of --bunit, with blanks between them; and what they mean, in a message. */
extern const char tb_unit_names[];
extern const char tb_unit_allowed[];

/*
 * A letter or a word ("X", "l3"), in any case.  False, and *unit does not change,
 * when there is no such unit.
 */
bool tb_unit_parse(const char *name, struct tb_unit *unit);

/* "X", "EX", "C", "E", ...: the letters of --bunit.  Static text. */
const char *tb_unit_name(struct tb_unit unit);

/*
 * How many such units the node has, and how many of them nobody uses a part of;
 * for messages such as "no node has 2 free X units".  An object without a thread
 * of the kind is no unit, and neither is one of which all of these are masked.  Of
 * objects inside each other (an N inside an N) as many count as jobs can have at
 * the same time.  used and masked may be NULL.
 */
unsigned tb_units_total(const struct tb_topology *topology,
			struct tb_unit unit);
unsigned tb_units_available(const struct tb_topology *topology,
			    struct tb_unit unit, const struct tb_bitset *used,
			    const struct tb_bitset *masked);
/* No more than so many are counted. */
unsigned tb_units_available_to(const struct tb_topology *topology,
			       struct tb_unit unit,
			       const struct tb_bitset *used,
			       const struct tb_bitset *masked, unsigned most);

/* Add to threads all others of the units that have any of them. */
void tb_units_fill_up(const struct tb_topology *topology, struct tb_unit unit,
		      struct tb_bitset *threads);

/*
 * The unit that each thread belongs to, as the number of the unit's first
 * thread.  TB_NO_UNIT for threads of the other kind and outside all units.
 * unit_of has room for all threads.
 */
#define TB_NO_UNIT UINT32_MAX
void tb_units_of_threads(const struct tb_topology *topology,
			 struct tb_unit unit, uint32_t *unit_of);

#endif
