/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node_choice.h - how a job's nodes are chosen: the policy that counts for it
 *
 * order/node_order.h finds it.  What it points to outlives the question.
 */
#ifndef TB_SELECT_TOPOBIND_REQUEST_NODE_CHOICE_H
#define TB_SELECT_TOPOBIND_REQUEST_NODE_CHOICE_H

#include <stdbool.h>

#include "common/conf/conf.h"
#include "core/policy/priority_function.h"
#include "core/request/request.h"

struct tb_node_choice {
	enum tb_allocation policy;
	const char *prefer; /* as in core/request/prefer.h, or NULL */
	const struct tb_priority_function *function;
	const char *plugin; /* of policy PLUGIN */
	const struct tb_conf *site;
	const struct tb_request *request;
	bool bound;
};

#endif
