/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node_score.h - what a plugin of the site says of the candidates of a job
 */
#ifndef TB_SELECT_TOPOBIND_ORDER_NODE_SCORE_H
#define TB_SELECT_TOPOBIND_ORDER_NODE_SCORE_H

#include "core/policy/allocation.h"

#include "node_facts.h"

/*
 * Set the priorities of candidates that are described, where the policy is a plugin.
 * False: it is switched off now, and they have none.
 */
bool tb_candidates_score(struct tb_candidate *list, uint32_t count,
			 const struct tb_node_facts *facts,
			 const struct tb_node_need *need);

#endif
