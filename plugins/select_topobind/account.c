/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "account.h"

#include <string.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/slurmctld/locks.h"

#include "compat/slurm_accounting.h"

#include "worker.h"

/* Far under the column's 64 KiB, whatever others write there. */
#define COMMENT_MAX 32768

/* Numbers of jobs.  Lock order: slurmctld's, the list's own. */
static list_t *waiting;

/* A text that the database refused would be sent again and again. */
static bool can_be_sent(const job_record_t *job)
{
	return job->system_comment &&
	       strlen(job->system_comment) <= COMMENT_MAX;
}

/*
 * Will the database have a record when what is sent now gets there?  That of a
 * job's end has been sent before.
 */
static bool has_record(const job_record_t *job)
{
	return tb_accounting_knows(job) || IS_JOB_FINISHED(job);
}

/* Sent, or nothing is left to send: the job is gone, or waits again. */
static int is_done(void *item, void *arg)
{
	job_record_t *job = find_job_record(*(uint32_t *)item);

	(void)arg;
	if (!job || IS_JOB_PENDING(job) || !can_be_sent(job))
		return true;
	if (!has_record(job))
		return false;
	tb_accounting_send_comment(job);
	return true;
}

static void look_after_waiting(void)
{
	const slurmctld_lock_t read_jobs = { .job = READ_LOCK };

	if (!list_count(waiting))
		return;
	lock_slurmctld(read_jobs);
	list_delete_all(waiting, is_done, NULL);
	unlock_slurmctld(read_jobs);
}

static struct tb_worker worker = TB_WORKER(look_after_waiting, 1500, NULL);

static void begin_to_look(void)
{
	if (!waiting)
		waiting = list_create(xfree_ptr);
	tb_worker_begin(&worker);
}

static void remember(const job_record_t *job)
{
	uint32_t *id = xmalloc(sizeof(*id));

	begin_to_look();
	*id = job->job_id;
	list_append(waiting, id);
}

void tb_account_started(job_record_t *job)
{
	if (!tb_accounting_is_there() || !can_be_sent(job))
		return;
	if (tb_accounting_knows(job))
		tb_accounting_send_comment(job);
	else
		remember(job);
}

void tb_account_resized(const job_record_t *job)
{
	if (tb_accounting_is_there())
		remember(job);
}

void tb_account_recovered(const job_record_t *job)
{
	if (tb_accounting_is_there() && !tb_accounting_knows(job))
		remember(job);
}

void tb_account_reset(void)
{
	if (waiting)
		list_flush(waiting);
}

void tb_account_stop(void)
{
	tb_worker_end(&worker);
	tb_account_reset();
}

void tb_account_fini(void)
{
	tb_account_stop();
	FREE_NULL_LIST(waiting);
}
