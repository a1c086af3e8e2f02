/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parts.h - units of two kinds beside each other (core/request/parts.h)
 *
 * Private to lib/core.  doc/design.md, "Placement", has the rule.  The larger kind is
 * the one whose units lie further out on this node; of two of one level the one that
 * the request names first.
 *
 * The place of both parts is the innermost container outside the larger kind, and of
 * equal ones the first in sorted order, in which both fit: no unit is in both.  There
 * the larger kind is taken first, packed.  Where the units differ in size, and packed
 * ones would leave too few of the other kind, the smallest ones are taken.  Then the
 * others are taken, packed in the innermost container around what was taken that has
 * enough of them; of NUMA nodes in it that have, in the nearest.
 */
#ifndef TB_CORE_PLACE_PARTS_H
#define TB_CORE_PLACE_PARTS_H

#include "placer.h"

/* NULL when out of memory. */
struct tb_parts *tb_parts_create(const struct tb_topology *topology,
				 uint32_t units);
void tb_parts_destroy(struct tb_parts *parts); /* NULL is fine */

/*
 * Place both parts beside used (may be NULL), as one group.  With alone nothing that
 * is used counts as load, as in tb_place_again().  False, and nothing is placed, where
 * there is no room for them.
 */
bool tb_take_parts(struct tb_placer *placer, const struct tb_request *request,
		   const struct tb_bitset *used, bool alone);

/* The threads of a part, as the request numbers them. */
const struct tb_bitset *tb_parts_threads(const struct tb_parts *parts,
					 unsigned index);

#endif
