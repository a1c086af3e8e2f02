/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain_order.h - the nodes of a plain job in the order of a policy
 */
#ifndef TB_SELECT_TOPOBIND_ORDER_PLAIN_ORDER_H
#define TB_SELECT_TOPOBIND_ORDER_PLAIN_ORDER_H

#include "node_order.h"

/* The caller sets try and arg. */
void tb_plain_order_init(struct tb_order *order, const struct tb_test *test);

#endif
