/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * take.h - the taking of units
 *
 * Private to lib/core.  A unit that is taken is granted, and neither it nor a unit
 * inside it or around it is available any more.
 */
#ifndef TB_CORE_PLACE_TAKE_H
#define TB_CORE_PLACE_TAKE_H

#include "placer.h"

/* Take one unit, which is available. */
void tb_take_unit(struct tb_placer *placer, uint32_t unit);

/*
 * Take available units in sorted pre-order until *missing is 0 or the tier has no
 * more.  Depth is bounded by TB_DEPTH_MAX.
 */
void tb_take_units_below(struct tb_placer *placer, uint32_t node,
			 uint32_t *missing);

/* Units that slots have taken are not available any more. */
void tb_close_taken(struct tb_placer *placer);

#endif
