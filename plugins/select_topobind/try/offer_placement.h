/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * offer_placement.h - slots of an offer on the cores of its node
 *
 * Beside what others have there, near the devices and with the memory that the job asks
 * for.  Nodes that are alike share a placement (offers->memo).
 */
#ifndef TB_SELECT_TOPOBIND_TRY_OFFER_PLACEMENT_H
#define TB_SELECT_TOPOBIND_TRY_OFFER_PLACEMENT_H

#include "offers.h"

/*
 * Place slots (TB_HOST: once) on the offer's node, of its unit_size.  The result
 * is valid until the next call.
 */
const struct tb_placed *tb_offers_place(struct tb_offers *offers,
					const struct tb_test *test,
					const struct tb_offer *offer,
					struct tb_shape *shape, uint32_t slots);

/*
 * The same, whatever is remembered: the slots themselves are left with the shape's
 * placer.  scratch is the shape's; what it says is used is set.
 */
const struct tb_placed *
tb_offers_place_anew(struct tb_offers *offers, const struct tb_test *test,
		     const struct tb_offer *offer, struct tb_shape *shape,
		     uint32_t slots, struct tb_scratch *scratch);

#endif
