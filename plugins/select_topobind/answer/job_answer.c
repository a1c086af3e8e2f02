/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job_answer.h"

#include <stdlib.h>
#include <time.h>

#include "src/common/job_resources.h"
#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "compat/job_licenses.h"
#include "core/request/alternatives.h"

#include "future.h"
#include "job_try.h"
#include "preempt.h"
#include "wait_reason.h"
#include "select_topobind/books/ledger.h"
#include "select_topobind/books/sharing.h"
#include "select_topobind/request/granted_request.h"
#include "select_topobind/request/job_asked.h"
#include "select_topobind/show/metrics.h"
#include "select_topobind/show/reasons.h"
#include "select_topobind/try/kept_placements.h"
#include "select_topobind/try/spare_devices.h"

/* What is asked, for each of the plain requests that the job's stands for. */
struct question {
	struct tb_test test; /* its nodes are the candidates, then the answer */
	bitstr_t *candidates;
	struct tb_request plain[TB_ALTERNATIVES_MAX]; /* in order */
	struct tb_memo *memo[TB_ALTERNATIVES_MAX];
	unsigned count;
	unsigned chosen;	 /* by the last yes */
	struct tb_spared spared; /* tried first without these cores */
};

/* The test for one of them, whatever tries for others have left. */
static struct tb_test test_of(const struct question *question, unsigned index)
{
	struct tb_test call = question->test;

	bit_copybits(call.nodes, question->candidates);
	call.memo = question->memo[index];
	return call;
}

/* --- why not ------------------------------------------------------------------ */

static char *explain_one(const struct question *question, unsigned index,
			 const struct tb_view *view, enum tb_refusal *refusal)
{
	struct tb_test call = test_of(question, index);
	uint16_t limit = tb_job_sharing_limit(call.job);

	tb_sharing_set_level(&call, limit > 1 ? limit : 0);
	return tb_explain_wait(&call, &question->plain[index], view, refusal);
}

/* Of several "X:1: no node has ...; N:1: no node has ...". */
static void add_sentence(char **text, const struct tb_request *plain,
			 const char *why)
{
	char *name = tb_request_print_alternative(plain);

	xstrfmtcat(*text, "%s%s: %s", *text ? "; " : "", name ? name : "", why);
	free(name);
}

/* Slurm says that the job waits for licenses. */
static void say_nothing(const struct question *question)
{
	tb_metrics_refused(TB_REFUSED_OTHER);
	tb_reasons_tell(question->test.job, NULL);
}

/* Of the kinds of refusal that of the first counts. */
static void say_why(const struct question *question, const struct tb_view *view)
{
	enum tb_refusal kind = TB_REFUSED_OTHER;
	char *text = NULL;

	if (tb_job_lacks_licenses(question->test.job)) {
		say_nothing(question);
		return;
	}
	for (unsigned i = 0; i < question->count; i++) {
		enum tb_refusal refusal = TB_REFUSED_OTHER;
		char *why = explain_one(question, i, view, &refusal);

		if (i == 0)
			kind = refusal;
		if (why && question->count > 1)
			add_sentence(&text, &question->plain[i], why);
		else if (why)
			text = xstrdup(why);
		xfree(why);
	}
	tb_metrics_refused(kind);
	tb_reasons_tell(question->test.job, text);
	xfree(text);
}

/* --- now ---------------------------------------------------------------------- */

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

/* Where it can, without the cores that the job leaves to others. */
static int test_one_now(const struct question *question, unsigned index,
			const struct tb_view *view)
{
	const struct tb_request *plain = &question->plain[index];
	struct tb_test call = test_of(question, index);

	if (question->spared.mask) {
		call.spared = question->spared.mask;
		bit_and(call.nodes, question->spared.nodes);
		if (test_now(&call, plain, view) == SLURM_SUCCESS)
			return SLURM_SUCCESS;
		call = test_of(question, index);
	}
	return test_now(&call, plain, view);
}

/* The first that can start. */
static int test_each_now(struct question *question, const struct tb_view *view)
{
	int rc = SLURM_ERROR;

	for (unsigned i = 0; i < question->count && rc != SLURM_SUCCESS; i++) {
		question->chosen = i;
		rc = test_one_now(question, i, view);
	}
	return rc;
}

/* The same, and if not, why; a job that could start waits for no units. */
static int test_and_say(struct question *question, const struct tb_view *view)
{
	int rc;

	/* Or it would tell why an earlier try failed. */
	question->test.job->best_switch = true;
	rc = test_each_now(question, view);
	if (rc == SLURM_SUCCESS)
		tb_reasons_tell(question->test.job, NULL);
	else
		say_why(question, view);
	return rc;
}

/*
 * Jobs that end make way before this one is given anything, and Slurm asks again; what a
 * gang scheduler suspends can be given away at once.  *rc is the answer.  False: nobody
 * makes way for this one.
 */
static bool preempt_now(struct question *question, unsigned index, int *rc)
{
	struct tb_test call = test_of(question, index);
	const struct tb_request *plain = &question->plain[index];
	struct tb_view *view = tb_view_now();
	list_t *preemptees = tb_preempt_choose(&call, plain, view);

	if (preemptees) {
		question->chosen = index;
		call.preemptees = preemptees;
		*rc = tb_preempt_must_end(preemptees)
			      ? SLURM_SUCCESS
			      : tb_try_job(&call, plain, view);
		tb_preempt_tell(&call, preemptees);
	}
	tb_view_destroy(view);
	if (!preemptees)
		return false;
	FREE_NULL_LIST(preemptees);
	return true;
}

/* First without preempting anybody. */
static int find_now(struct question *question)
{
	struct tb_view *view = tb_view_now();
	int rc = test_and_say(question, view);
	bool made_way = rc == SLURM_SUCCESS;

	tb_view_destroy(view);
	for (unsigned i = 0; i < question->count && !made_way; i++)
		made_way = preempt_now(question, i, &rc);
	if (rc == SLURM_SUCCESS && question->test.job->job_resrcs &&
	    question->count > 1)
		tb_granted_choose(question->test.job,
				  &question->plain[question->chosen]);
	return rc;
}

/* A job that waits for licenses keeps no other one waiting, and lets nobody make way. */
static int run_now(struct question *question)
{
	int rc;

	if (tb_job_lacks_licenses(question->test.job) &&
	    !tb_licenses_are_reclaimed()) {
		say_nothing(question);
		return tb_licenses_error();
	}
	rc = find_now(question);
	return rc != SLURM_SUCCESS && tb_job_lacks_licenses(question->test.job)
		       ? tb_licenses_error()
		       : rc;
}

/* --- when --------------------------------------------------------------------- */

/*
 * When one of them starts, after jobs have made way (*now) or after others have ended.
 */
static int find_start(struct question *question, unsigned index, bool *now)
{
	struct tb_test call = test_of(question, index);
	const struct tb_request *plain = &question->plain[index];
	struct tb_view *view = tb_view_now();
	list_t *preemptees = tb_preempt_choose(&call, plain, view);
	int rc = SLURM_ERROR;

	*now = preemptees != NULL;
	question->chosen = index;
	if (preemptees) {
		tb_preempt_tell(&call, preemptees);
		rc = SLURM_SUCCESS;
	} else if (!(call.job->bit_flags & TEST_NOW_ONLY)) {
		rc = tb_future_find(&call, plain, view);
	}
	FREE_NULL_LIST(preemptees);
	tb_view_destroy(view);
	return rc;
}

/* None starts now: the soonest, and the first of those that start together. */
static int find_soonest(struct question *question)
{
	const job_record_t *job = question->test.job;
	unsigned soonest = question->count;
	time_t start = 0;
	bool now = false;

	for (unsigned i = 0; i < question->count; i++) {
		if (find_start(question, i, &now) != SLURM_SUCCESS)
			continue;
		if (now)
			return SLURM_SUCCESS;
		if (soonest < question->count && job->start_time >= start)
			continue;
		soonest = i;
		start = job->start_time;
	}
	if (soonest == question->count)
		return SLURM_ERROR;
	/* The job's numbers are those of the last try. */
	return soonest + 1 == question->count
		       ? SLURM_SUCCESS
		       : find_start(question, soonest, &now);
}

static int will_run(struct question *question)
{
	struct tb_view *view = tb_view_now();
	int rc;

	/* A question about a later time says nothing of why it waits now. */
	rc = tb_test_asked_start(&question->test) > time(NULL)
		     ? test_each_now(question, view)
		     : test_and_say(question, view);
	tb_view_destroy(view);
	return rc == SLURM_SUCCESS ? rc : find_soonest(question);
}

/* --- any of these ------------------------------------------------------------- */

static int test_ever(struct question *question)
{
	int rc = SLURM_ERROR;

	tb_metrics_refused(TB_REFUSED_NEVER);
	for (unsigned i = 0; i < question->count && rc != SLURM_SUCCESS; i++) {
		struct tb_test call = test_of(question, i);

		rc = tb_try_job_ever(&call, &question->plain[i]);
	}
	return rc;
}

static int test_in_mode(struct question *question)
{
	switch (tb_test_mode(&question->test)) {
	case TB_TEST_ONLY:
		return test_ever(question);
	case TB_WILL_RUN:
		return will_run(question);
	default:
		return run_now(question);
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

static void begin_question(struct question *question,
			   const struct tb_request *request)
{
	question->count = tb_request_plain_count(request);
	question->candidates = bit_copy(question->test.nodes);
	tb_spare_devices(&question->spared, &question->test, request);
	for (unsigned i = 0; i < question->count; i++) {
		question->plain[i] = tb_request_plain(request, i);
		question->memo[i] = tb_kept_placements(&question->test,
						       &question->plain[i]);
	}
}

static void end_question(struct question *question)
{
	tb_kept_placements_end_question();
	tb_spared_clear(&question->spared);
	FREE_NULL_BITMAP(question->candidates);
}

int tb_test_bound_job(const struct tb_test *test,
		      const struct tb_request *request)
{
	struct question question = { .test = *test };
	int rc;

	tb_test_wish_as_started(&question.test);
	ask_for_hosts_of_tasks(&question.test, request);
	/* With topology/block Slurm would give no more of them all the same. */
	if (question.test.min_nodes > question.test.max_nodes)
		return SLURM_ERROR;
	begin_question(&question, request);
	rc = test_in_mode(&question);
	/* What a try had been given that failed later. */
	if (rc != SLURM_SUCCESS)
		free_job_resources(&question.test.job->job_resrcs);
	end_question(&question);
	return rc;
}
