/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flat.h - fewest.h's choice among equal containers, without tables
 *
 * Private to lib/core.  Mostly there is one level between a slot's place and its
 * units, and its containers are equal: the L3 caches of a socket.  Then the
 * choice is a matter of counting, and gives the same as the tables do.
 */
#ifndef TB_CORE_PLACE_FLAT_H
#define TB_CORE_PLACE_FLAT_H

#include "placer.h"

/* For nodes with so many units at the most.  NULL when out of memory. */
struct tb_flat *tb_flat_create(const struct tb_topology *topology,
			       uint32_t units);
void tb_flat_destroy(struct tb_flat *flat); /* NULL is fine */

/*
 * Take the amount of one slot below a node that holds it.  False, and nothing is
 * taken, when the choice is another one than among equal containers.
 */
bool tb_take_flat(struct tb_placer *placer, uint32_t place);

#endif
