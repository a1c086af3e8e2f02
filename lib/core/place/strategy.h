/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strategy.h - where the units of one slot come from
 *
 * Private to lib/core.
 */
#ifndef TB_CORE_PLACE_STRATEGY_H
#define TB_CORE_PLACE_STRATEGY_H

#include "placer.h"

/* Take one slot's amount.  False, and nothing is taken, when it does not fit. */
bool tb_take_slot(struct tb_placer *placer, enum tb_strategy strategy);

/* Units that slots have taken are not available any more. */
void tb_close_taken(struct tb_placer *placer);

#endif
