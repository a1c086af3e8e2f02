/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select/cons_tres knows when running jobs end, but where jobs may share cores it
 * would start a plain job beside a bound one that still runs.  So it is asked with
 * the cores of the bound jobs hidden that end later than the first so many.  The
 * fewer are hidden, the sooner is the start that it tells, and that start counts
 * when the others have ended by then.  With fewer than have its CPUs it cannot
 * start, and mostly it does when these have ended; else halving finds the soonest
 * that counts.
 */
#include "plain_future.h"

#include <time.h>

#include "src/common/macros.h"

#include "core/plan/halving.h"

#include "job_ends.h"
#include "plain_room.h"
#include "plain_try.h"
#include "select_topobind/books/ledger.h"
#include "select_topobind/request/hetjob.h"

/* So often select/cons_tres is asked while the soonest is looked for. */
#define START_QUESTIONS_MAX 8

struct plain_future {
	const struct tb_test *test;
	struct tb_job_ends ends; /* of bound jobs that nobody preempts */
	bitstr_t *chosen;	 /* nodes, by the last answer that was yes */
	int rc;			 /* the last answer */
};

static int find_latest_end(void *item, void *latest)
{
	const job_record_t *job = item;
	time_t *time = latest;

	*time = MAX(*time, job->end_time);
	return 0;
}

static int is_job(void *item, void *key)
{
	return item == key;
}

/* A heterogeneous job has ended when its last component has. */
static time_t find_end_time(job_record_t *job, void *test)
{
	list_t *preemptees = ((const struct tb_test *)test)->preemptees;
	time_t latest = 0;

	if (!tb_ledger_is_bound(job) ||
	    (preemptees && list_find_first(preemptees, is_job, job)))
		return 0;
	tb_for_each_component(job, find_latest_end, &latest);
	return latest;
}

static int add_to_list(void *job, void *list)
{
	list_append(list, job);
	return 0;
}

/* The first so many, and the jobs that this one preempts. */
static list_t *list_gone(const struct plain_future *future, uint32_t ended)
{
	list_t *gone = list_create(NULL);

	for (uint32_t i = 0; i < ended; i++)
		list_append(gone, future->ends.list[i].job);
	if (future->test->preemptees)
		list_for_each(future->test->preemptees, add_to_list, gone);
	return gone;
}

/* When does it start without the cores of the others?  0: never. */
static time_t find_start(struct plain_future *future, uint32_t ended)
{
	struct tb_test call = *future->test;
	list_t *gone = list_gone(future, ended);
	time_t start = 0;

	call.nodes = bit_copy(future->test->nodes);
	if (call.preempted)
		FREE_NULL_LIST(*call.preempted);
	future->rc = tb_plain_try(&call, gone);
	if (future->rc == SLURM_SUCCESS) {
		start = MAX(call.job->start_time, tb_test_asked_start(&call));
		bit_copybits(future->chosen, call.nodes);
	}
	FREE_NULL_BITMAP(call.nodes);
	FREE_NULL_LIST(gone);
	return start;
}

static time_t find_last_end(const struct plain_future *future, uint32_t ended)
{
	return ended ? future->ends.list[ended - 1].time : 0;
}

/* Is what it needs free as soon as so many have ended? */
static bool start_fits(void *arg, uint32_t ended)
{
	struct plain_future *future = arg;
	time_t start = find_start(future, ended);

	return start && start <= find_last_end(future, ended);
}

/* The first number of ended jobs with which a start could be so soon. */
static uint32_t count_ended_before(const struct plain_future *future,
				   time_t start)
{
	uint32_t count = 0;

	while (count < future->ends.count &&
	       future->ends.list[count].time < start)
		count++;
	return count;
}

static int search_ends(struct plain_future *future)
{
	job_record_t *job = future->test->job;
	uint32_t count = future->ends.count, ended;
	uint32_t least = tb_plain_room_ends(future->test, &future->ends);
	time_t start, end, before;

	if (least && start_fits(future, least)) {
		job->start_time = MAX(job->start_time,
				      find_last_end(future, least));
		return SLURM_SUCCESS;
	}
	start = find_start(future, count);
	if (!start)
		return future->rc;
	/* It waits for others, too: all bound jobs in its way have ended then. */
	if (start >= find_last_end(future, count))
		return SLURM_SUCCESS;
	ended = tb_halve_least(start_fits, future,
			       MAX(count_ended_before(future, start),
				   MAX(least, 1)),
			       count, START_QUESTIONS_MAX);
	end = find_last_end(future, ended);
	/* Beside that bound job, when others end before it. */
	before = find_start(future, ended - 1);
	if (before && before <= end)
		return SLURM_SUCCESS;
	/* The job's numbers are those of the last answer. */
	if (find_start(future, ended))
		job->start_time = MAX(job->start_time, end);
	return future->rc;
}

int tb_plain_future_find(const struct tb_test *test)
{
	struct plain_future future = { .test = test,
				       .chosen = bit_copy(test->nodes) };
	int rc;

	tb_job_ends_find(&future.ends, test->nodes, find_end_time,
			 (void *)test);
	rc = search_ends(&future);
	if (rc == SLURM_SUCCESS)
		bit_copybits(test->nodes, future.chosen);
	FREE_NULL_BITMAP(future.chosen);
	tb_job_ends_clear(&future.ends);
	return rc;
}
