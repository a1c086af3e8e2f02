/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * offer_order.h - the offers of a bound job in the order of a policy
 */
#ifndef TB_SELECT_TOPOBIND_ORDER_OFFER_ORDER_H
#define TB_SELECT_TOPOBIND_ORDER_OFFER_ORDER_H

#include "node_order.h"
#include "select_topobind/try/offers.h"

/* Sort the classes by the best node of each, by test->choice. */
void tb_order_classes(struct tb_offers *offers, const struct tb_test *test);

struct tb_class_order {
	struct tb_order order;
	struct tb_offers *offers;
	uint32_t first, end; /* of the class */
	void *arg;	     /* for the caller */
};

/* For the nodes of a class; the caller sets order.try and arg. */
void tb_class_order_init(struct tb_class_order *class, struct tb_offers *offers,
			 const struct tb_test *test, uint32_t first,
			 uint32_t end);

#endif
