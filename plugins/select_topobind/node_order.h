/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node_order.h - offering select/cons_tres nodes in the order of a policy
 *
 * It is offered the shortest row of first nodes that can hold the job by what is
 * known of them, and more and more of them until it accepts (DESIGN.md, section
 * 6): twice as many each time, and then the fewest that it accepts.  So a policy
 * says which nodes a job gets, never whether or when it starts.
 */
#ifndef TB_SELECT_NODE_ORDER_H
#define TB_SELECT_NODE_ORDER_H

#include "compat/select_compat.h"
#include "core/allocation.h"
#include "core/request.h"

#include "node_facts.h"

/*
 * How the job's nodes are to be chosen, by its request and the site.  False:
 * as select/cons_tres does, as everywhere where topobind is not enabled.  What choice points to belongs to them.
 */
bool tb_choice_find(struct tb_choice *choice, const struct tb_conf *site,
		    const job_record_t *job, const struct tb_request *request);

struct tb_order {
	struct tb_node_need need;
	/*
	 * Complete a candidate: what it holds, now or later when running jobs
	 * have ended, and, for BESTFIT and BESTTOPOLOGY, how the job fits.
	 */
	void (*describe)(const struct tb_order *order,
			 const struct tb_test *test,
			 struct tb_candidate *candidate, bool later);
	/*
	 * Try these nodes, in the test's mode.  What Slurm expects of a job
	 * test; on success nodes are the chosen ones.  Called repeatedly; the
	 * last call counts.
	 */
	int (*try)(const struct tb_order *order, const struct tb_test *test,
		   bitstr_t *nodes);
	void *arg; /* for both */
};

/*
 * Try the candidate nodes in the order of test->choice; where the test has none,
 * or is for preemption, or asks only whether, all at once.  Without preempting
 * anybody, unless all have been tried so.
 */
int tb_order_try(const struct tb_order *order, const struct tb_test *test,
		 bitstr_t *nodes);

/* Nodes wanted, at least and at most; the amount is the caller's to say. */
struct tb_node_need tb_node_need_of(const struct tb_test *test, uint64_t amount);

/* All but what describe() says.  Candidates in any order. */
void tb_candidate_fill(struct tb_candidate *candidate,
		       const struct tb_node_facts *facts, uint32_t node);

#endif
