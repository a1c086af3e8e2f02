/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sort.h - the order in which a placement looks at siblings
 *
 * Private to lib/core.
 */
#ifndef TB_CORE_PLACE_SORT_H
#define TB_CORE_PLACE_SORT_H

#include "placer.h"

/* The children of a tree node in the order of the sort; nchildren many. */
const uint32_t *tb_sorted_children(struct tb_placer *placer, uint32_t node);

#endif
