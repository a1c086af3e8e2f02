/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidate_reservations.h - what reservations keep of a node from a job
 */
#ifndef TB_TOOLS_PLAN_CANDIDATE_RESERVATIONS_H
#define TB_TOOLS_PLAN_CANDIDATE_RESERVATIONS_H

#include "candidate_nodes.h"
#include "candidate_rules.h"

/*
 * The threads of reservations of others, and those outside of the job's own one, are
 * added to node->reserved; or the node is closed, where nobody knows which these are.
 */
void tb_candidate_check_reservations(const struct tb_candidate_rules *rules,
				     struct tb_candidate_node *node);

#endif
