/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node_order.h - offering select/cons_tres nodes in the order of a policy
 *
 * It is offered the fewest first nodes that can hold the job as far as is known,
 * and twice as many each time until it accepts; then the fewest that it accepts
 * are looked for (doc/design.md, "Policies").  So a policy says which nodes a job
 * gets, never whether or when it starts.
 */
#ifndef TB_SELECT_TOPOBIND_ORDER_NODE_ORDER_H
#define TB_SELECT_TOPOBIND_ORDER_NODE_ORDER_H

#include "compat/select_compat.h"
#include "core/policy/allocation.h"
#include "core/request/request.h"

#include "node_facts.h"

/*
 * How the job's nodes are chosen, by its request and the site.  False: as
 * select/cons_tres does, also where topobind is not enabled.  What choice points
 * to belongs to request and site.
 */
bool tb_node_choice_find(struct tb_node_choice *choice,
			 const struct tb_conf *site, const job_record_t *job,
			 const struct tb_request *request);

/* LLN holds for the job: as in select/cons_tres, --spread-job comes before it. */
bool tb_job_wants_least_loaded(const job_record_t *job);

struct tb_order {
	struct tb_node_need need;
	/*
	 * Complete a candidate: how much of the job it can hold, now or (later)
	 * when running jobs have ended, and the most that it can be given, where
	 * that is known; for LEASTLOADED how much of the node is free.
	 */
	void (*describe)(const struct tb_order *order,
			 const struct tb_test *test,
			 struct tb_candidate *candidate, bool later);
	/*
	 * And how the job fits, where the policy looks at it: not of candidates for
	 * which that does not matter.
	 */
	void (*describe_fit)(const struct tb_order *order,
			     const struct tb_test *test,
			     struct tb_candidate *candidate);
	/*
	 * Try these nodes, in the test's mode.  Returns what Slurm expects of a
	 * job test; on success nodes has the chosen ones.  It is called
	 * repeatedly, and the last call counts.
	 */
	int (*try)(const struct tb_order *order, const struct tb_test *test,
		   bitstr_t *nodes);
	void *arg; /* for all of these */
};

/*
 * Try the candidate nodes in the order of test->choice.  All at once are tried
 * where the test has no choice, and where it asks only whether the job could ever
 * run.  Jobs are preempted only when that fails without.
 */
int tb_order_try(const struct tb_order *order, const struct tb_test *test,
		 bitstr_t *nodes);

/* How many nodes the job wants; the caller knows the amount. */
struct tb_node_need tb_node_need_of(const struct tb_test *test,
				    uint64_t amount);

/*
 * Set all but what describe() sets, most to UINT64_MAX.  Candidates may come in any
 * order.
 */
void tb_candidate_fill(struct tb_candidate *candidate,
		       const struct tb_node_facts *facts, uint32_t node);

#endif
