/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job_answer.h"

#include <time.h>

#include "src/common/job_resources.h"
#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "future.h"
#include "job_try.h"
#include "preempt.h"
#include "wait_reason.h"
#include "select_topobind/books/ledger.h"
#include "select_topobind/books/sharing.h"
#include "select_topobind/show/metrics.h"
#include "select_topobind/show/reasons.h"
#include "select_topobind/try/offers.h"
#include "select_topobind/try/scale.h"

static void say_why(const struct tb_test *test,
		    const struct tb_request *request,
		    const struct tb_view *view)
{
	uint16_t limit = tb_sharing_limit(test->job);
	struct tb_test call = *test;
	enum tb_refusal refusal = TB_REFUSED_OTHER;
	char *why;

	call.share = limit > 1 ? limit : 0;
	why = tb_explain_wait(&call, request, view, &refusal);
	tb_metrics_refused(refusal);
	tb_reasons_tell(test->job, why);
	xfree(why);
}

/*
 * When select/cons_tres tells a start now it has not said yet how many slots it
 * gives on which node, nor whether these can be placed: only the start shows.
 */
static int try_start(const struct tb_test *test,
		     const struct tb_request *request,
		     const struct tb_view *view)
{
	job_record_t *job = test->job;
	uint64_t before = job->bit_flags & BACKFILL_TEST;
	struct tb_test call = *test;
	int rc;

	tb_test_set_run_now(&call);
	/* Or no node would do on which an epilog runs. */
	job->bit_flags |= BACKFILL_TEST;
	rc = tb_try_job_now(&call, request, view);
	job->bit_flags &= before | ~(uint64_t)BACKFILL_TEST;
	free_job_resources(&job->job_resrcs);
	if (rc == SLURM_SUCCESS)
		job->start_time = time(NULL);
	return rc;
}

/* Now, without preempting anybody. */
static int test_now(const struct tb_test *test,
		    const struct tb_request *request,
		    const struct tb_view *view)
{
	struct tb_test call = *test;

	call.preemptees = NULL;
	if (tb_test_mode(test) == TB_WILL_RUN &&
	    tb_test_asked_start(test) <= time(NULL))
		return try_start(&call, request, view);
	return tb_try_job_now(&call, request, view);
}

/* The same, and if not, why; a job that could start waits for no units. */
static int test_and_say(const struct tb_test *test,
			const struct tb_request *request,
			const struct tb_view *view)
{
	int rc;

	/* Or it would tell why an earlier try failed. */
	test->job->best_switch = true;
	rc = test_now(test, request, view);
	if (rc == SLURM_SUCCESS)
		tb_reasons_tell(test->job, NULL);
	else
		say_why(test, request, view);
	return rc;
}

/*
 * First without preempting anybody.  Jobs that end make way before this one is
 * given anything, and Slurm asks again; what a gang scheduler suspends can be
 * given away at once.
 */
static int run_now(const struct tb_test *test, const struct tb_request *request)
{
	struct tb_test call = *test;
	struct tb_view *view = tb_view_now();
	list_t *preemptees = NULL;
	int rc;

	rc = test_and_say(test, request, view);
	if (rc != SLURM_SUCCESS)
		preemptees = tb_preempt_choose(test, request, view);
	if (preemptees) {
		call.preemptees = preemptees;
		rc = tb_preempt_must_end(preemptees)
			     ? SLURM_SUCCESS
			     : tb_try_job(&call, request, view);
		tb_preempt_tell(test, preemptees);
	}
	FREE_NULL_LIST(preemptees);
	tb_view_destroy(view);
	return rc;
}

static int will_run(const struct tb_test *test,
		    const struct tb_request *request)
{
	struct tb_view *view = tb_view_now();
	list_t *preemptees = NULL;
	int rc;

	/* A question about a later time says nothing of why it waits now. */
	rc = tb_test_asked_start(test) > time(NULL)
		     ? test_now(test, request, view)
		     : test_and_say(test, request, view);
	if (rc != SLURM_SUCCESS)
		preemptees = tb_preempt_choose(test, request, view);
	if (preemptees) {
		tb_preempt_tell(test, preemptees);
		rc = SLURM_SUCCESS;
	}
	if (rc != SLURM_SUCCESS && !(test->job->bit_flags & TEST_NOW_ONLY))
		rc = tb_future_find(test, request, view);
	FREE_NULL_LIST(preemptees);
	tb_view_destroy(view);
	return rc;
}

static int test_in_mode(const struct tb_test *test,
			const struct tb_request *request)
{
	switch (tb_test_mode(test)) {
	case TB_TEST_ONLY:
		tb_metrics_refused(TB_REFUSED_NEVER);
		return tb_try_job_ever(test, request);
	case TB_WILL_RUN:
		return will_run(test, request);
	default:
		return run_now(test, request);
	}
}

/*
 * On a host select/cons_tres is asked for units, whatever tasks they are for: on how
 * many nodes --ntasks-per-node is kept is up to topobind.
 */
static void ask_for_hosts_of_tasks(struct tb_test *call,
				   const struct tb_request *request)
{
	uint32_t nodes = tb_job_least_hosts(call->job);

	if (request->type != TB_HOST || call->implicit_cpus)
		return;
	call->min_nodes = MAX(call->min_nodes, nodes);
	call->req_nodes = MAX(call->req_nodes, nodes);
}

/* At other times other nodes are free, but not in other states. */
int tb_test_bound_job(const struct tb_test *test,
		      const struct tb_request *request)
{
	struct tb_test call = *test;
	int rc;

	ask_for_hosts_of_tasks(&call, request);
	call.memo = tb_memo_create(sizeof(struct tb_placed));
	rc = test_in_mode(&call, request);
	tb_memo_destroy(call.memo);
	return rc;
}
