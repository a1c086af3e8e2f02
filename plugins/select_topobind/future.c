/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * future.c - when will there be units for a bound job
 *
 * The more jobs have ended, the more fits, so the first of their ends at which
 * it does is found by halving.  First by the units alone, which is cheap; only
 * when memory or GRES come later than the units is select/cons_tres asked more
 * than once.  It is given the units that are free at some moment, and says when
 * it can start a job on just these.
 */
#include "future.h"

#include <stdlib.h>
#include <time.h>

#include "src/common/xmalloc.h"

#include "job_test.h"

struct future {
	const struct tb_test *test;
	const struct tb_request *request;
	struct tb_view *view;
	job_record_t **jobs; /* in the order of their ends */
	uint32_t count;
	uint32_t ended; /* how many of them have, in the view */
	bitstr_t *chosen; /* nodes, by the last answer that was yes */
};

/* --- the jobs that end ------------------------------------------------------- */

static int add_job(void *item, void *arg)
{
	job_record_t *job = item;
	struct future *future = arg;

	if ((IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job)) &&
	    job->node_bitmap && !tb_view_has_ended(future->view, job) &&
	    bit_overlap_any(job->node_bitmap, future->test->nodes))
		future->jobs[future->count++] = job;
	return 0;
}

static int by_end_time(const void *left, const void *right)
{
	const job_record_t *a = *(job_record_t **)left;
	const job_record_t *b = *(job_record_t **)right;

	if (a->end_time != b->end_time)
		return a->end_time < b->end_time ? -1 : 1;
	return a->job_id < b->job_id ? -1 : 1;
}

static void end_first(struct future *future, uint32_t count)
{
	for (; future->ended < count; future->ended++)
		tb_view_end_job(future->view, future->jobs[future->ended]);
	for (; future->ended > count; future->ended--)
		tb_view_restore_job(future->view,
				    future->jobs[future->ended - 1]);
}

/* --- what fits when so many of them have ended ------------------------------- */

static bool units_fit(struct future *future, uint32_t ended)
{
	end_first(future, ended);
	return tb_units_suffice(future->test, future->request, future->view);
}

/* When does it start on the units that are free then? */
static int ask(struct future *future, uint32_t ended)
{
	struct tb_test call = *future->test;
	int rc;

	end_first(future, ended);
	call.nodes = bit_copy(future->test->nodes);
	rc = tb_test_view(&call, future->request, future->view);
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
static bool all_fits(struct future *future, uint32_t ended)
{
	job_record_t *job = future->test->job;
	time_t now, end;

	if (ask(future, ended) != SLURM_SUCCESS)
		return false;
	now = time(NULL);
	/* Units are free, what else it needs is not; elsewhere it may be. */
	if (!ended)
		return job->start_time <= now;
	end = future->jobs[ended - 1]->end_time;
	/* When a job that is over its time ends is cons_tres' guess. */
	if (end <= now)
		return true;
	if (job->start_time > end)
		return false;
	job->start_time = end;
	return true;
}

typedef bool (*fits_t)(struct future *future, uint32_t ended);

/* The least number from first to last for which it fits; it does for last. */
static uint32_t least(struct future *future, fits_t fits, uint32_t first,
		      uint32_t last)
{
	while (first < last) {
		uint32_t half = first + (last - first) / 2;

		if (fits(future, half))
			last = half;
		else
			first = half + 1;
	}
	return last;
}

static int search(struct future *future)
{
	uint32_t first = 0;

	/* The state as it is costs nothing, and putting jobs back does. */
	if (!units_fit(future, 0)) {
		if (!future->count || !units_fit(future, future->count))
			return SLURM_ERROR;
		first = least(future, units_fit, 1, future->count);
	}
	if (all_fits(future, first))
		return SLURM_SUCCESS;
	first = least(future, all_fits, first, future->count);
	/* The job's numbers are those of the last answer. */
	return all_fits(future, first) ? SLURM_SUCCESS : SLURM_ERROR;
}

int tb_future_find(const struct tb_test *test, const struct tb_request *request,
		   struct tb_view *view)
{
	struct future future = {
		.test = test, .request = request, .view = view,
		.chosen = bit_copy(test->nodes)
	};
	int rc;

	future.jobs = xcalloc(list_count(job_list) + 1, sizeof(*future.jobs));
	list_for_each(job_list, add_job, &future);
	qsort(future.jobs, future.count, sizeof(*future.jobs), by_end_time);
	rc = search(&future);
	if (rc == SLURM_SUCCESS)
		bit_copybits(test->nodes, future.chosen);
	FREE_NULL_BITMAP(future.chosen);
	xfree(future.jobs);
	return rc;
}
