/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "new_jobs.h"

#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/slurmctld/locks.h"

#include "select_topobind/later/periodic_thread.h"
#include "select_topobind/request/changed_request.h"

#include "job_record.h"

/* So many jobs are shown while the write lock is held. */
#define AT_ONCE 500

/* Numbers of jobs. */
struct numbers {
	uint32_t *list, count, room;
};

/* A job of a federation has its submission's time from another cluster's clock. */
#define CLOCKS_DIFFER_S 5

/* Guarded by slurmctld's lock on jobs: read by one thread, reset with writing. */
static time_t looked_at;
static void (*show_job)(job_record_t *job);

/* By its time, not its number: numbers begin anew, and differ in a federation. */
static bool is_new(const job_record_t *job)
{
	time_t differ = job->fed_details ? CLOCKS_DIFFER_S : 0;

	return IS_JOB_PENDING(job) && job->details &&
	       job->details->submit_time + differ >= looked_at;
}

/* Of most Slurm has asked at their submission.  After a reset all are looked at. */
static bool is_shown(const job_record_t *job)
{
	return looked_at && tb_job_record_has_request(job);
}

static int add_if_new(void *item, void *arg)
{
	const job_record_t *job = item;
	struct numbers *numbers = arg;

	if (IS_JOB_FINISHED(job) ||
	    ((!is_new(job) || is_shown(job)) && !tb_changed_request_waits(job)))
		return 0;
	if (numbers->count == numbers->room) {
		numbers->room = MAX(2 * numbers->room, 64);
		xrecalloc(numbers->list, numbers->room, sizeof(*numbers->list));
	}
	numbers->list[numbers->count++] = job->job_id;
	return 0;
}

static void list_new_jobs(struct numbers *numbers)
{
	const slurmctld_lock_t read_jobs = { .job = READ_LOCK };

	lock_slurmctld(read_jobs);
	/* The clock was set back: times do not tell which ones are new. */
	if (looked_at > time(NULL))
		looked_at = 0;
	/* It is set in seconds. */
	if (job_list && looked_at <= last_job_update) {
		list_for_each(job_list, add_if_new, numbers);
		looked_at = time(NULL);
	}
	unlock_slurmctld(read_jobs);
}

static void show_some(const uint32_t *list, uint32_t count)
{
	const slurmctld_lock_t write_jobs = { .conf = READ_LOCK,
					      .job = WRITE_LOCK,
					      .part = READ_LOCK };

	lock_slurmctld(write_jobs);
	for (uint32_t i = 0; i < count; i++) {
		job_record_t *job = find_job_record(list[i]);

		if (job && !IS_JOB_FINISHED(job))
			show_job(job);
	}
	unlock_slurmctld(write_jobs);
}

static void show_new_jobs(void)
{
	struct numbers numbers = { .list = NULL };

	list_new_jobs(&numbers);
	for (uint32_t i = 0; i < numbers.count; i += AT_ONCE)
		show_some(numbers.list + i, MIN(numbers.count - i, AT_ONCE));
	xfree(numbers.list);
}

static struct tb_periodic_thread watcher = TB_PERIODIC_THREAD(show_new_jobs,
							      1000, NULL);

void tb_new_jobs_watch(void (*show)(job_record_t *job))
{
	show_job = show;
	looked_at = 0;
	tb_periodic_thread_begin(&watcher);
}

void tb_new_jobs_fini(void)
{
	tb_periodic_thread_end(&watcher);
}
