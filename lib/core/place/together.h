/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * together.h - the slots of a job side by side
 *
 * Private to lib/core.  Slots that are taken one after the other are each in as few
 * containers as possible, but the second one takes the next container that has
 * room, wherever the first one lies.  Here each slot is in as few containers, and
 * of all slots together the containers are the fewest, as fewest.h finds them for
 * one slot: there a slot of units, here a set of slots (doc/design.md,
 * "Placement").
 */
#ifndef TB_CORE_PLACE_TOGETHER_H
#define TB_CORE_PLACE_TOGETHER_H

#include "placer.h"

/*
 * Is there anything to choose?  Not for a strategy, spread, sort or window that says
 * which units come first, nor for slots that may be unequal, where the first ones must
 * be the same however many follow.
 */
bool tb_together_applies(const struct tb_placer *placer,
			 const struct tb_request *request, unsigned wanted);

/* Take slots until so many are taken in all, or none fits any more. */
void tb_take_together(struct tb_placer *placer, unsigned wanted);

#endif
