/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spread.h - slots of one job in different containers (bspread)
 *
 * Private to lib/core.  Each container that could hold a slot, were nothing of it in
 * use, gets one before any gets a second, and so on.  So as many slots as there are
 * such containers are each in one of their own, or do not fit, and the first slots of
 * a placement are those of a placement of fewer.
 */
#ifndef TB_CORE_PLACE_SPREAD_H
#define TB_CORE_PLACE_SPREAD_H

#include "placer.h"

/*
 * A placement of a request begins: are its slots spread on this node?  They are not
 * where the containers lie inside the unit, or there are none.
 */
void tb_spread_begin(struct tb_placer *placer,
		     const struct tb_request *request);

/* The available units are those that containers could have.  Only when spread. */
void tb_spread_note_possible(struct tb_placer *placer);

/* The container for the next slot; TB_NO_NODE: none that is its turn holds it. */
uint32_t tb_spread_next(struct tb_placer *placer);

#endif
