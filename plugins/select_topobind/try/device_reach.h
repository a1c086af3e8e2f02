/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device_reach.h - nodes on which a job's units are near all of its devices
 *
 * select/cons_tres chooses nodes, and how many devices are on which, without knowing
 * that units must be near them.  Here the search of core/plan/reach.h does, for what
 * the offers of a class and placements on their nodes say.
 */
#ifndef TB_SELECT_TOPOBIND_TRY_DEVICE_REACH_H
#define TB_SELECT_TOPOBIND_TRY_DEVICE_REACH_H

#include "core/plan/reach.h"

#include "offers.h"
#include "slot_deal.h"

/*
 * Among the nodes of the offers [first, end).  nodes, if not NULL, become those that
 * were found, if any.  Unknown also where units need not be near, or devices go with
 * tasks.  The job's numbers must be its own, not scaled ones.
 */
enum tb_reached tb_device_reach(struct tb_offers *offers,
				const struct tb_test *test, uint32_t first,
				uint32_t end, bitstr_t *nodes);

/*
 * Deal the slots of the deal, and the devices that were counted as selected, out anew
 * on its nodes, so that all are near each other.  False: that is not possible, or the
 * nodes are many.
 */
bool tb_device_reach_deal(struct tb_slot_deal *deal, struct tb_offers *offers,
			  const struct tb_test *test);

#endif
