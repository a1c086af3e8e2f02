/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The more jobs have ended, the more fits, so halving finds the first end of a
 * job after which the new one fits.  The units are searched first, which is
 * cheap; select/cons_tres is asked more than once only when memory or GRES are
 * free later than the units.  It is given the units that are free at some moment,
 * and says when it can start a job on just these.
 */
#include "future.h"

#include <time.h>

#include "core/plan/ends.h"
#include "core/plan/halving.h"

#include "job_ends.h"
#include "job_try.h"

/* So often select/cons_tres is asked while the first end is looked for. */
#define START_QUESTIONS_MAX 8

struct future {
	const struct tb_test *test;
	const struct tb_request *request;
	struct tb_view *view;
	struct tb_job_ends ends;
	uint32_t ended;	  /* how many of them have, in the view */
	bitstr_t *chosen; /* nodes, by the last answer that was yes */
	/* By the last answer: for how many it is yes, or else when it starts. */
	uint32_t fits_for; /* UINT32_MAX: for none */
	time_t later;	   /* 0: never */
};

/* --- the jobs that end ------------------------------------------------------- */

static time_t find_end_time(job_record_t *job, void *view)
{
	return tb_view_has_ended(view, job) ? 0 : job->end_time;
}

static void end_first(struct future *future, uint32_t count)
{
	for (; future->ended < count; future->ended++)
		tb_view_end_job(future->view,
				future->ends.list[future->ended].job);
	for (; future->ended > count; future->ended--)
		tb_view_restore_job(future->view,
				    future->ends.list[future->ended - 1].job);
}

/* --- what fits when so many of them have ended ------------------------------- */

static bool units_fit(void *arg, uint32_t ended)
{
	struct future *future = arg;

	end_first(future, ended);
	return tb_units_suffice(future->test, future->request, future->view);
}

/*
 * When does it start on the units that are free then?  dealt_only: and on nodes that
 * have the devices, too.
 */
static int try_start(struct future *future, uint32_t ended, bool dealt_only)
{
	struct tb_test call = *future->test;
	int rc;

	end_first(future, ended);
	if (ended)
		call.units_free = future->ends.list[ended - 1].time;
	call.nodes = bit_copy(future->test->nodes);
	call.dealt_only = dealt_only;
	rc = tb_try_job(&call, future->request, future->view);
	if (rc == SLURM_SUCCESS)
		bit_copybits(future->chosen, call.nodes);
	FREE_NULL_BITMAP(call.nodes);
	return rc;
}

/*
 * Does the job start as soon as they have ended, not later?  Never: no.  When
 * only a part of the units has been free before, cons_tres can take that for
 * enough: it is not.
 */
static bool starts_by(struct future *future, uint32_t ended, bool dealt_only)
{
	job_record_t *job = future->test->job;
	time_t now, end;

	future->fits_for = UINT32_MAX;
	future->later = 0;
	if (try_start(future, ended, dealt_only) != SLURM_SUCCESS)
		return false;
	future->fits_for = ended;
	now = time(NULL);
	end = ended ? future->ends.list[ended - 1].time : 0;
	/* "Now" has been refused already; elsewhere it can be sooner than later. */
	if (!ended && job->start_time <= now &&
	    tb_test_asked_start(future->test) > now)
		return true;
	/* When a job that is over its time ends is cons_tres' guess. */
	if (ended && end <= now)
		return true;
	if (ended && job->start_time <= end) {
		job->start_time = end;
		return true;
	}
	future->fits_for = UINT32_MAX;
	future->later = job->start_time > now ? job->start_time : 0;
	return false;
}

/*
 * select/cons_tres can choose nodes on which the devices are free later than on others.
 */
static bool start_fits(void *arg, uint32_t ended)
{
	struct future *future = arg;
	job_record_t *job = future->test->job;
	bool fits = starts_by(future, ended, false);
	time_t later = future->later;
	bitstr_t *chosen;

	if (fits || !later || !job->gres_list_req)
		return fits;
	chosen = bit_copy(future->chosen);
	fits = starts_by(future, ended, true);
	if (!fits) {
		/* The answer is the one before. */
		bit_copybits(future->chosen, chosen);
		job->start_time = future->later = later;
	}
	FREE_NULL_BITMAP(chosen);
	return fits;
}

/* So many of them have ended at that time. */
static uint32_t count_ended_at(const struct future *future, time_t time)
{
	uint32_t count = 0;

	while (count < future->ends.count &&
	       future->ends.list[count].time <= time)
		count++;
	return count;
}

/* The job's numbers are those of the last answer: let it be this one. */
static int answer_for(struct future *future, uint32_t ended)
{
	return future->fits_for == ended || start_fits(future, ended)
		       ? SLURM_SUCCESS
		       : SLURM_ERROR;
}

/* It does not fit for first, perhaps for last. */
static int search_between(struct future *future, uint32_t first, uint32_t last)
{
	return first < last
		       ? answer_for(future, tb_halve_least(start_fits, future,
							   first + 1, last,
							   START_QUESTIONS_MAX))
		       : SLURM_ERROR;
}

/*
 * A window can begin or end at what is in use: when that is not any more, the units in
 * it are others.
 */
static bool units_come_and_go(const struct tb_request *request)
{
	return request->start || request->stop;
}

/*
 * With the units of first, select/cons_tres has just told a later start: memory or
 * GRES are free then.  Mostly they are the reason, and nothing is gained by more
 * units before that.
 */
static int search_before(struct future *future, uint32_t first)
{
	time_t later = future->later;
	uint32_t last = count_ended_at(future, later);

	if (last <= first)
		return search_between(future, first, future->ends.count);
	if (last == first + 1 && future->ends.list[first].time == later &&
	    !units_come_and_go(future->request))
		return SLURM_SUCCESS;
	if (last > first + 1 && start_fits(future, last - 1))
		return search_between(future, first, last - 1);
	if (answer_for(future, last) == SLURM_SUCCESS)
		return SLURM_SUCCESS;
	return search_between(future, last, future->ends.count);
}

static int search_ends(struct future *future)
{
	uint32_t first = 0, count = future->ends.count;

	if (!tb_ends_find(future->request, units_fit, future, count, &first))
		return SLURM_ERROR;
	if (start_fits(future, first))
		return SLURM_SUCCESS;
	return future->later ? search_before(future, first)
			     : search_between(future, first, count);
}

int tb_future_find(const struct tb_test *test, const struct tb_request *request,
		   struct tb_view *view)
{
	struct future future = { .test = test,
				 .request = request,
				 .view = view,
				 .chosen = bit_copy(test->nodes) };
	int rc;

	tb_job_ends_find(&future.ends, test->nodes, find_end_time, view);
	rc = search_ends(&future);
	if (rc == SLURM_SUCCESS)
		bit_copybits(test->nodes, future.chosen);
	FREE_NULL_BITMAP(future.chosen);
	tb_job_ends_clear(&future.ends);
	return rc;
}
