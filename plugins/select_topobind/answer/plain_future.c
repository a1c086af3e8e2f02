/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select/cons_tres knows when running jobs end, but where jobs may share cores it
 * would start a plain job beside a bound one that still runs.  So it is asked with
 * the cores of the bound jobs hidden that end later than the first so many.  The
 * fewer are hidden, the sooner is the start that it tells, and that start counts
 * when the others have ended by then (lib/core/plan/soonest.h).  With fewer than have
 * its CPUs it cannot start.  Mostly it does when all jobs, the plain ones too, leave
 * it as many: that is asked first.
 */
#include "plain_future.h"

#include <time.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "core/plan/soonest.h"

#include "job_ends.h"
#include "plain_room.h"
#include "plain_try.h"
#include "select_topobind/books/ledger.h"
#include "select_topobind/books/one_row.h"
#include "select_topobind/books/sharing.h"
#include "select_topobind/request/hetjob.h"

/* So often select/cons_tres is asked while the soonest is looked for. */
#define START_QUESTIONS_MAX 8

/* Seconds. */
#define FIRST_GROUP 30

struct plain_future {
	const struct tb_test *test;
	struct tb_job_ends ends; /* of bound jobs that nobody preempts */
	bitstr_t *chosen;	 /* nodes, by the last answer that was yes */
	int rc;			 /* the last answer */
	uint32_t asked;		 /* which it was */
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
static time_t find_end_of_any(job_record_t *job, void *test)
{
	list_t *preemptees = ((const struct tb_test *)test)->preemptees;
	time_t latest = 0;

	if (preemptees && list_find_first(preemptees, is_job, job))
		return 0;
	tb_for_each_component(job, find_latest_end, &latest);
	return latest;
}

static time_t find_end_of_bound(job_record_t *job, void *test)
{
	const struct tb_test *asked = test;

	return tb_ledger_is_apart(job, tb_sharing_turns(asked->job),
				  tb_one_row_of(asked->job))
		       ? find_end_of_any(job, test)
		       : 0;
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
static int64_t find_start(void *arg, uint32_t ended)
{
	struct plain_future *future = arg;
	struct tb_test call = *future->test;
	list_t *gone = list_gone(future, ended);
	time_t start = 0;

	future->asked = ended;
	call.nodes = bit_copy(future->test->nodes);
	if (call.preempted)
		FREE_NULL_LIST(*call.preempted);
	future->rc = tb_plain_try_some_nodes(&call, gone);
	if (future->rc == SLURM_SUCCESS) {
		start = MAX(call.job->start_time, tb_test_asked_start(&call));
		bit_copybits(future->chosen, call.nodes);
	}
	FREE_NULL_BITMAP(call.nodes);
	FREE_NULL_LIST(gone);
	return start;
}

static uint32_t count_ended_at(const struct tb_job_ends *ends, time_t time)
{
	uint32_t count = 0;

	while (count < ends->count && ends->list[count].time <= time)
		count++;
	return count;
}

/*
 * select/cons_tres lets jobs end in groups, each twice as long as those before it, and
 * tells the last end of the group.
 */
static time_t find_end_of_group(const struct tb_job_ends *all, time_t time)
{
	time_t first = all->list[0].time;
	time_t begin = first - first % FIRST_GROUP + FIRST_GROUP;
	time_t length = FIRST_GROUP;

	while (begin + length < time)
		length *= 2;
	return begin + length;
}

/* How many bound jobs have ended when all jobs leave it the CPUs that it needs. */
static uint32_t guess_ends(const struct plain_future *future)
{
	struct tb_job_ends all;
	uint32_t count, guess = 0;

	tb_job_ends_find(&all, future->test->nodes, find_end_of_any,
			 (void *)future->test);
	count = tb_plain_room_ends(future->test, &all);
	if (count)
		guess = count_ended_at(&future->ends,
				       find_end_of_group(&all,
							 all.list[count - 1]
								 .time));
	tb_job_ends_clear(&all);
	return guess;
}

static struct tb_soonest find_soonest(struct plain_future *future)
{
	uint32_t count = future->ends.count;
	int64_t *times = xcalloc(count + 1, sizeof(*times));
	struct tb_soonest soonest;

	for (uint32_t i = 0; i < count; i++)
		times[i] = future->ends.list[i].time;
	soonest = tb_soonest_find(times, count,
				  tb_plain_room_ends(future->test,
						     &future->ends),
				  guess_ends(future), START_QUESTIONS_MAX,
				  find_start, future);
	xfree(times);
	return soonest;
}

static int search_ends(struct plain_future *future)
{
	job_record_t *job = future->test->job;
	struct tb_soonest soonest = find_soonest(future);

	if (!soonest.start)
		return future->rc;
	/* The job's numbers are those of the last answer. */
	if (future->asked != soonest.ended)
		find_start(future, soonest.ended);
	if (soonest.ended)
		job->start_time = MAX(job->start_time,
				      future->ends.list[soonest.ended - 1].time);
	return future->rc;
}

int tb_plain_future_find(const struct tb_test *test)
{
	struct plain_future future = { .test = test,
				       .chosen = bit_copy(test->nodes) };
	int rc;

	tb_job_ends_find(&future.ends, test->nodes, find_end_of_bound,
			 (void *)test);
	rc = search_ends(&future);
	if (rc == SLURM_SUCCESS)
		bit_copybits(test->nodes, future.chosen);
	FREE_NULL_BITMAP(future.chosen);
	tb_job_ends_clear(&future.ends);
	return rc;
}
