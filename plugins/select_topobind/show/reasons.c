/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reasons.h"

#include <time.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/slurmctld/locks.h"

#include "job_record.h"
#include "select_topobind/later/periodic_thread.h"

/*
 * Numbers of jobs with a sentence.  slurmctld's lock is taken before that of the
 * list.
 */
static list_t *watched;

/*
 * slurmctld says "not available" also when another job before this one waits for
 * the nodes.  Are they really there?
 */
static bool nodes_are_there(const job_record_t *job)
{
	bitstr_t *required = job->details->req_node_bitmap;

	return required && bit_super_set(required, avail_node_bitmap);
}

/* By Slurm's reason, can it be units that the job waits for? */
static bool waits_for_units(const job_record_t *job, const char *why)
{
	switch (job->state_reason) {
	case WAIT_NO_REASON:
	case WAIT_PRIORITY:
	/* No node can have it, or not any more: the sentence says why. */
	case FAIL_BAD_CONSTRAINTS:
		return true;
	case WAIT_RESOURCES:
		/* Slurm's own text, such as nodes that are down, says more. */
		return !job->state_desc || !xstrcmp(job->state_desc, why);
	case WAIT_NODE_NOT_AVAIL:
		return nodes_are_there(job);
	default:
		return false;
	}
}

static void correct_reason(job_record_t *job, const char *why)
{
	if (!waits_for_units(job, why)) {
		tb_job_record_set_waiting(job, NULL);
		last_job_update = time(NULL);
	} else if (job->state_reason == WAIT_RESOURCES && !job->state_desc) {
		job->state_desc = xstrdup(why);
		last_job_update = time(NULL);
	}
}

/* Nothing is left to correct: the job does not wait, or not for units. */
static int is_settled(void *item, void *arg)
{
	job_record_t *job = find_job_record(*(uint32_t *)item);
	char *why = job && IS_JOB_PENDING(job) ? tb_job_record_find_waiting(job)
					       : NULL;
	bool done = !why;

	(void)arg;
	if (why)
		correct_reason(job, why);
	xfree(why);
	return done;
}

static void correct_reasons(void)
{
	const slurmctld_lock_t write_jobs = { .job = WRITE_LOCK };

	if (!list_count(watched))
		return;
	lock_slurmctld(write_jobs);
	list_delete_all(watched, is_settled, NULL);
	unlock_slurmctld(write_jobs);
}

static struct tb_periodic_thread corrector = TB_PERIODIC_THREAD(correct_reasons,
								500, NULL);

static void watch_job(const job_record_t *job)
{
	uint32_t *id = xmalloc(sizeof(*id));

	if (!watched)
		watched = list_create(xfree_ptr);
	*id = job->job_id;
	list_append(watched, id);
	tb_periodic_thread_begin(&corrector);
}

void tb_reasons_tell(job_record_t *job, const char *why)
{
	bool is_watched = tb_job_record_is_waiting(job);

	if (!why && !is_watched)
		return;
	tb_job_record_set_waiting(job, why);
	if (!is_watched)
		watch_job(job);
}

void tb_reasons_recovered(const job_record_t *job)
{
	if (tb_job_record_is_waiting(job))
		watch_job(job);
}

void tb_reasons_go_on(void)
{
	if (watched && list_count(watched))
		tb_periodic_thread_begin(&corrector);
}

void tb_reasons_reset(void)
{
	if (watched)
		list_flush(watched);
}

void tb_reasons_fini(void)
{
	tb_periodic_thread_end(&corrector);
	FREE_NULL_LIST(watched);
}
