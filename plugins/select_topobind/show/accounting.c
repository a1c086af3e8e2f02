/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "accounting.h"

#include <string.h>
#include <time.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/slurmctld/locks.h"

#include "compat/slurm_accounting.h"

#include "select_topobind/later/periodic_thread.h"

/* Far below the 64 KiB of the database's column. */
#define COMMENT_MAX 32768

/* Numbers of jobs.  slurmctld's lock is taken before that of the list. */
static list_t *waiting;

/* slurmctld would send a text that the database refuses again and again. */
static bool can_be_sent(const job_record_t *job)
{
	return job->system_comment &&
	       strlen(job->system_comment) <= COMMENT_MAX;
}

/*
 * Will the database have a record of the job when the comment arrives?  After the
 * end of a job, yes: the record of its end has been sent before.
 */
static bool has_record(const job_record_t *job)
{
	return tb_slurm_accounting_knows(job) || IS_JOB_FINISHED(job);
}

/*
 * The record of the last task of an array is that of the whole array, and has no
 * task's number, until slurmctld has told the database of the task's start: after
 * the call at that start.
 */
static bool was_just_an_array(const job_record_t *job)
{
	enum { START_IS_TOLD_SECONDS = 60 };

	return job->array_job_id &&
	       job->start_time + START_IS_TOLD_SECONDS > time(NULL);
}

/* Does the database find the job's record at once by the job's number? */
static bool is_found(const job_record_t *job)
{
	return tb_slurm_accounting_knows(job) && !was_just_an_array(job);
}

/* True: it was sent, or nothing is left to send as the job is gone or waits again. */
static int send_if_known(void *item, void *arg)
{
	job_record_t *job = find_job_record(*(uint32_t *)item);

	(void)arg;
	if (!job || IS_JOB_PENDING(job) || !can_be_sent(job))
		return true;
	if (!has_record(job))
		return false;
	tb_slurm_accounting_send_comment(job);
	return true;
}

static void send_waiting(void)
{
	const slurmctld_lock_t read_jobs = { .job = READ_LOCK };

	if (!list_count(waiting))
		return;
	lock_slurmctld(read_jobs);
	list_delete_all(waiting, send_if_known, NULL);
	unlock_slurmctld(read_jobs);
}

static struct tb_periodic_thread sender = TB_PERIODIC_THREAD(send_waiting, 1500,
							     NULL);

static void begin_to_send(void)
{
	if (!waiting)
		waiting = list_create(xfree_ptr);
	tb_periodic_thread_begin(&sender);
}

static void remember_job(const job_record_t *job)
{
	uint32_t *id = xmalloc(sizeof(*id));

	begin_to_send();
	*id = job->job_id;
	list_append(waiting, id);
}

void tb_accounting_job_started(job_record_t *job)
{
	if (!tb_slurm_accounting_is_there() || !can_be_sent(job))
		return;
	if (is_found(job))
		tb_slurm_accounting_send_comment(job);
	else
		remember_job(job);
}

void tb_accounting_job_resized(const job_record_t *job)
{
	if (tb_slurm_accounting_is_there())
		remember_job(job);
}

void tb_accounting_job_recovered(const job_record_t *job)
{
	if (tb_slurm_accounting_is_there() && !is_found(job))
		remember_job(job);
}

void tb_accounting_go_on(void)
{
	if (waiting && list_count(waiting))
		tb_periodic_thread_begin(&sender);
}

void tb_accounting_reset(void)
{
	if (waiting)
		list_flush(waiting);
}

void tb_accounting_stop(void)
{
	tb_periodic_thread_end(&sender);
	tb_accounting_reset();
}

void tb_accounting_fini(void)
{
	tb_accounting_stop();
	FREE_NULL_LIST(waiting);
}
