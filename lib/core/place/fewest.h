/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fewest.h - a slot of several units in as few containers as possible
 *
 * Private to lib/core.  doc/design.md, "Placement", has the rule.  It is a dynamic
 * programme over the tree below the slot's place: each tree node gets a table of
 * what it costs to take 0, 1, 2, ... units of it.  A cost is one number: the
 * containers that a choice touches, level by level, those of the outermost level
 * in the highest bits, and in the lowest bits the whole containers that it breaks.
 * The table of a list of siblings is made from the last one to the first.
 *
 * Containers with one unit do not count: no choice avoids them.
 */
#ifndef TB_CORE_PLACE_FEWEST_H
#define TB_CORE_PLACE_FEWEST_H

#include "placer.h"

/* No cost is as high: the amount is not there, or the programme too long. */
#define TB_NO_COST UINT64_MAX

/* NULL when out of memory. */
struct tb_fewest *tb_fewest_create(const struct tb_topology *topology);
void tb_fewest_destroy(struct tb_fewest *fewest); /* NULL is fine */

/*
 * Take the amount of one slot below a node, which has so many available units.  No
 * unit lies inside another, and none is shared.  Does not allocate.
 */
void tb_take_fewest(struct tb_placer *placer, uint32_t place);

/* The rest is for flat.c and nearest.c. */

/* Is there nothing to choose among below this node? */
bool tb_fewest_is_plain(const struct tb_placer *placer, uint32_t node);

/*
 * What it costs to take the amount below a node, after which tb_fewest_take() takes
 * it there.  TB_NO_COST when the amount is not there, or when the calculations of
 * this slot together become too long.
 */
uint64_t tb_fewest_cost(struct tb_placer *placer, uint32_t place);
void tb_fewest_take(struct tb_placer *placer, uint32_t place);

/*
 * After tb_fewest_cost(): would so many units of a node be those that come next in
 * the lists that are sorted, if the hidden units were available, too?
 */
bool tb_fewest_keeps_sort(struct tb_placer *placer, uint32_t node,
			  uint32_t units, const struct tb_bitset *hidden);

/* How many containers of a level a cost stands for. */
uint32_t tb_fewest_count(const struct tb_placer *placer, uint64_t cost,
			 uint32_t level);
/* A cost without what comes after this level; nlevels: without what breaks. */
uint64_t tb_fewest_down_to(const struct tb_placer *placer, uint64_t cost,
			   uint32_t level);

/* Does the sort name this letter?  Then its order is the user's. */
bool tb_sort_names(const struct tb_placer *placer, char letter);

#endif
