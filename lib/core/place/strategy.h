/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strategy.h - where the units of one slot come from
 *
 * Private to lib/core.
 */
#ifndef TB_CORE_PLACE_STRATEGY_H
#define TB_CORE_PLACE_STRATEGY_H

#include "placer.h"

/* Does the whole amount fit below a node? */
bool tb_holds_amount(const struct tb_placer *placer, uint32_t node);

/* Take one slot's amount.  False, and nothing is taken, when it does not fit. */
bool tb_take_slot(struct tb_placer *placer, enum tb_strategy strategy);

/* The same, packed, below a tree node. */
bool tb_take_packed_below(struct tb_placer *placer, uint32_t node);

/*
 * Take up to so many slots at once, where each has just the units that come next.
 * Returns how many; 0: none fits, or they have to be taken one by one.
 */
uint32_t tb_take_next_slots(struct tb_placer *placer, enum tb_strategy strategy,
			    uint32_t wanted);

#endif
