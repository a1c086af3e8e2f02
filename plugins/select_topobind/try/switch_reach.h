/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * switch_reach.h - nodes below as few switches as a job asks for
 *
 * select/cons_tres takes first the switch that has fewest nodes, or the nodes of the
 * least weight, whatever slots these have, and goes on with another one where that is
 * not enough: then the job waits, although another switch has all.
 */
#ifndef TB_SELECT_TOPOBIND_TRY_SWITCH_REACH_H
#define TB_SELECT_TOPOBIND_TRY_SWITCH_REACH_H

#include "offers.h"

/*
 * Leave of these nodes, which are of the offers [first, end), those below the fewest
 * switches that have all slots.  False: the job does not say how many switches, there
 * are none so few, or nothing is left out; then nodes is as it was.
 */
bool tb_switch_reach(const struct tb_offers *offers, const struct tb_test *test,
		     uint32_t first, uint32_t end, bitstr_t *nodes);

#endif
