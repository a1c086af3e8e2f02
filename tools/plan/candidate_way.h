/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidate_way.h - which units nodes that are chosen give to the job now
 */
#ifndef TB_TOOLS_PLAN_CANDIDATE_WAY_H
#define TB_TOOLS_PLAN_CANDIDATE_WAY_H

#include "candidates.h"

/* Of units that can be shared those that few others have; then those near no device. */
struct tb_candidate_way {
	unsigned share; /* fewer than so many others have them */
	bool spares;	/* nothing is near a device */
};

/*
 * How these nodes, all of them, would have the job now: an offer for each, in their
 * order, of units that as few others have as can be: fewer than way->share.  False: they
 * cannot.
 */
bool tb_candidates_offer(const struct tb_candidates *candidates,
			 const struct tb_candidate_node *const *nodes,
			 unsigned count, struct tb_offer *offers,
			 struct tb_candidate_way *way);

/* Leave slots of the offer with the node's placer; how many. */
unsigned tb_candidates_place(const struct tb_candidates *candidates,
			     const struct tb_candidate_node *node,
			     const struct tb_offer *offer,
			     struct tb_candidate_way way, unsigned slots);

#endif
