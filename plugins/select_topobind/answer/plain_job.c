/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where cores are never shared, select/cons_tres keeps plain jobs and bound ones
 * apart by itself and is asked as if topobind were not there.  So it does in a partition
 * whose jobs do not share, whatever GANG does to jobs of others (books/one_row.h).
 */
#include "plain_job.h"

#include "plain_future.h"
#include "plain_room.h"
#include "plain_try.h"
#include "preempt.h"
#include "select_topobind/books/ledger.h"
#include "select_topobind/books/one_row.h"
#include "select_topobind/order/plain_order.h"
#include "select_topobind/request/hetjob.h"
#include "select_topobind/try/spare_devices.h"

/* Could select/cons_tres let this job share cores with others? */
static bool may_share(const job_record_t *job)
{
	return (slurm_conf.preempt_mode & PREEMPT_MODE_GANG) ||
	       (job->part_ptr &&
		(job->part_ptr->max_share & ~SHARED_FORCE) > 1);
}

static int find_bound(void *job, void *found)
{
	*(bool *)found = *(bool *)found || tb_ledger_is_bound(job);
	return 0;
}

static int is_bound(void *job, void *unused)
{
	bool found = false;

	(void)unused;
	tb_for_each_component(job, find_bound, &found);
	return found;
}

static bool could_preempt_bound(const struct tb_test *test)
{
	return test->preemptees &&
	       list_find_first(test->preemptees, is_bound, NULL);
}

static int try_without_preemptees(const struct tb_test *test)
{
	return tb_plain_try_now(test, test->preemptees);
}

/*
 * Only the cores of bound jobs that Slurm preempts are given away.  Those that
 * have to end do so first, and Slurm asks again; those that the gang scheduler
 * suspends can share at once.
 */
static bool preempt_bound(const struct tb_test *test)
{
	list_t *preemptees =
		tb_preempt_choose_for_plain(test, try_without_preemptees);
	struct tb_test call = *test;
	int rc = SLURM_SUCCESS;

	if (!preemptees)
		return false;
	call.preemptees = preemptees;
	if (tb_test_mode(test) == TB_RUN_NOW &&
	    !tb_preempt_must_end(preemptees))
		rc = tb_plain_try(&call, preemptees);
	if (rc == SLURM_SUCCESS)
		tb_preempt_tell(test, preemptees);
	FREE_NULL_LIST(preemptees);
	return rc == SLURM_SUCCESS;
}

/* Whom to preempt is select/cons_tres' choice where no bound job comes into it. */
static int test_now(const struct tb_test *test)
{
	struct tb_test call = *test;
	bitstr_t *candidates;
	int rc;

	if (!could_preempt_bound(test))
		return tb_plain_try_now(test, NULL);
	candidates = bit_copy(test->nodes);
	call.preemptees = NULL;
	rc = tb_plain_try_now(&call, NULL);
	if (rc != SLURM_SUCCESS) {
		bit_copybits(test->nodes, candidates);
		/* Of a no the reason is cons_tres' own. */
		if (preempt_bound(test))
			rc = SLURM_SUCCESS;
	}
	FREE_NULL_BITMAP(candidates);
	return rc;
}

static int will_run(const struct tb_test *test)
{
	bitstr_t *candidates = bit_copy(test->nodes);
	bool now_only = test->job->bit_flags & TEST_NOW_ONLY;
	int rc = SLURM_ERROR;

	/* Of a question about now only the no itself counts. */
	if (now_only || tb_plain_has_room(test))
		rc = test_now(test);
	if (rc != SLURM_SUCCESS && !now_only) {
		bit_copybits(test->nodes, candidates);
		rc = tb_plain_future_find(test);
	}
	FREE_NULL_BITMAP(candidates);
	return rc;
}

/* In mode TEST_ONLY select/cons_tres looks at no cores that are hidden. */
static int test_plain(const struct tb_test *test)
{
	if (test->spared)
		return tb_plain_try_now(test, NULL);
	if (!may_share(test->job) ||
	    !tb_ledger_has_bound(tb_one_row_of(test->job)))
		return tb_cons_tres_job_test(test, NULL);
	switch (tb_test_mode(test)) {
	case TB_TEST_ONLY:
		return tb_cons_tres_job_test(test, NULL);
	case TB_WILL_RUN:
		return will_run(test);
	default:
		return test_now(test);
	}
}

static int try_plain(const struct tb_order *order, const struct tb_test *test,
		     bitstr_t *nodes)
{
	struct tb_test call = *test;

	(void)order;
	call.nodes = nodes;
	if (call.preempted)
		FREE_NULL_LIST(*call.preempted);
	return test_plain(&call);
}

static int test_in_order(const struct tb_test *test)
{
	struct tb_order order;

	if (!test->choice)
		return test_plain(test);
	tb_plain_order_init(&order, test);
	order.try = try_plain;
	return tb_order_try(&order, test, test->nodes);
}

/* Without the cores that the job leaves to others; not later than now. */
static int test_spared(const struct tb_test *test,
		       const struct tb_spared *spared)
{
	struct tb_test call = *test;
	bitstr_t *candidates = bit_copy(test->nodes);
	int rc;

	call.spared = spared->mask;
	call.preemptees = NULL;
	bit_and(call.nodes, spared->nodes);
	rc = test_in_order(&call);
	if (rc != SLURM_SUCCESS)
		bit_copybits(test->nodes, candidates);
	FREE_NULL_BITMAP(candidates);
	return rc;
}

int tb_test_plain_job(const struct tb_test *test)
{
	struct tb_spared spared;
	int rc;

	tb_spare_devices(&spared, test, NULL);
	rc = spared.mask ? test_spared(test, &spared) : SLURM_ERROR;
	tb_spared_clear(&spared);
	return rc == SLURM_SUCCESS ? rc : test_in_order(test);
}
