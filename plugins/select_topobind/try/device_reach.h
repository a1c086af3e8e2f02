/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device_reach.h - nodes that hold all slots of a job and all of its devices
 *
 * select/cons_tres chooses nodes, and how many devices are on which, without knowing
 * of units, and in ways that are not those of units: by the tasks that it thinks a
 * node has.  Here the search of core/plan/reach.h does, for what the offers of a class,
 * the free devices and, where they must be near, placements on the nodes say.
 */
#ifndef TB_SELECT_TOPOBIND_TRY_DEVICE_REACH_H
#define TB_SELECT_TOPOBIND_TRY_DEVICE_REACH_H

#include "core/plan/reach.h"

#include "offers.h"
#include "slot_deal.h"

/*
 * Among the nodes of the offers [first, end).  *deal, if deal is not NULL, becomes what
 * was found, for the caller to destroy: nodes, their slots and devices; NULL where
 * nothing was.  Unknown also where there are several kinds of devices, or Slurm only
 * counts them.  The job's numbers must be its own, not scaled ones.
 */
enum tb_reached tb_device_reach(struct tb_offers *offers,
				const struct tb_test *test, uint32_t first,
				uint32_t end, struct tb_slot_deal **deal);

#endif
