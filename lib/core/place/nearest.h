/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nearest.h - the NUMA nodes of a slot, near each other
 *
 * Private to lib/core.  Of the sets of NUMA nodes that touch no more containers
 * than necessary, the one with the smallest sum of distances.  Sets are tried in
 * the order of their sums, a bounded number of them, and how many sums are looked
 * at is bounded, too: where a node has so many NUMA nodes that this is not
 * enough, a set that is nearly the best is taken.
 */
#ifndef TB_CORE_PLACE_NEAREST_H
#define TB_CORE_PLACE_NEAREST_H

#include "placer.h"

/* For sets of so many units.  NULL when out of memory. */
struct tb_nearest *tb_nearest_create(const struct tb_topology *topology,
				     uint32_t units);
void tb_nearest_destroy(struct tb_nearest *nearest); /* NULL is fine */

/*
 * Do the distances of the node say anything?  They do when they differ and NUMA
 * nodes do not lie inside each other.
 */
bool tb_distances_matter(const struct tb_placer *placer);

/* Is there a set of NUMA nodes to choose for a slot below this node? */
bool tb_nearest_applies(const struct tb_placer *placer, uint32_t place);

/* Take the amount of one slot.  False, and nothing is taken: any set is as good. */
bool tb_take_nearest(struct tb_placer *placer, uint32_t place);

#endif
