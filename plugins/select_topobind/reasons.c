/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reasons.h"

#include <time.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/slurmctld/locks.h"

#include "show.h"
#include "worker.h"

/* Numbers of jobs with a sentence.  Lock order: slurmctld's, the list's own. */
static list_t *watched;

/*
 * slurmctld says "not available" also of nodes that a job before this one waits
 * for: are they there?
 */
static bool nodes_are_there(const job_record_t *job)
{
	bitstr_t *required = job->details->req_node_bitmap;

	return required && bit_super_set(required, avail_node_bitmap);
}

/* Does Slurm itself say that it waits for what units are part of? */
static bool waits_for_units(const job_record_t *job, const char *why)
{
	switch (job->state_reason) {
	case WAIT_NO_REASON:
	case WAIT_PRIORITY:
	/* No node could have it, or not any more: the sentence says why. */
	case FAIL_BAD_CONSTRAINTS:
		return true;
	case WAIT_RESOURCES:
		/* Such as nodes that are down: that is more to the point. */
		return !job->state_desc || !xstrcmp(job->state_desc, why);
	case WAIT_NODE_NOT_AVAIL:
		return nodes_are_there(job);
	default:
		return false;
	}
}

static void put_right(job_record_t *job, const char *why)
{
	if (!waits_for_units(job, why)) {
		tb_show_waiting(job, NULL);
		last_job_update = time(NULL);
	} else if (job->state_reason == WAIT_RESOURCES && !job->state_desc) {
		job->state_desc = xstrdup(why);
		last_job_update = time(NULL);
	}
}

/* Is there nothing to look after any more? */
static int is_done(void *item, void *arg)
{
	job_record_t *job = find_job_record(*(uint32_t *)item);
	char *why = job && IS_JOB_PENDING(job) ? tb_show_find_waiting(job)
					       : NULL;
	bool done = !why;

	(void)arg;
	if (why)
		put_right(job, why);
	xfree(why);
	return done;
}

static void look_after_watched(void)
{
	const slurmctld_lock_t write_jobs = { .job = WRITE_LOCK };

	if (!list_count(watched))
		return;
	lock_slurmctld(write_jobs);
	list_delete_all(watched, is_done, NULL);
	unlock_slurmctld(write_jobs);
}

static struct tb_worker worker = TB_WORKER(look_after_watched, 500, NULL);

static void watch(const job_record_t *job)
{
	uint32_t *id = xmalloc(sizeof(*id));

	if (!watched)
		watched = list_create(xfree_ptr);
	*id = job->job_id;
	list_append(watched, id);
	tb_worker_begin(&worker);
}

void tb_reasons_tell(job_record_t *job, const char *why)
{
	bool is_watched = tb_show_is_waiting(job);

	if (!why && !is_watched)
		return;
	tb_show_waiting(job, why);
	if (!is_watched)
		watch(job);
}

void tb_reasons_recovered(const job_record_t *job)
{
	if (tb_show_is_waiting(job))
		watch(job);
}

void tb_reasons_reset(void)
{
	if (watched)
		list_flush(watched);
}

void tb_reasons_fini(void)
{
	tb_worker_end(&worker);
	FREE_NULL_LIST(watched);
}
