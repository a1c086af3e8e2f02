/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "late_resume.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "src/common/log.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "common/job/record_word.h"
#include "compat/slurmctld_resume.h"
#include "compat/slurmctld_symbols.h"

#include "select_topobind/later/late_work.h"

#include "ledger.h"

static const char key[] = "resume=";
static const char word[] = "resume=waiting";
static const char reason[] =
	"to be resumed when no other job has its cores any more";

struct job_ids {
	uint32_t *list;
	uint32_t count;
};

static struct job_ids waiting; /* in the order in which they are resumed */
static struct job_ids resumed; /* and take turns */
static bool (*may_resume)(const job_record_t *job);

/* ---- the job's record ---- */

static bool has_word(const job_record_t *job)
{
	return tb_record_word_find(job->admin_comment, key);
}

static void set_comment(job_record_t *job, char *comment)
{
	if (!comment)
		return;
	xfree(job->admin_comment);
	job->admin_comment = *comment ? xstrdup(comment) : NULL;
	free(comment);
	last_job_update = time(NULL);
}

static void set_word(job_record_t *job)
{
	set_comment(job, tb_record_word_set(job->admin_comment, key, word));
	xfree(job->state_desc);
	job->state_desc = xstrdup(reason);
}

static void drop_word(job_record_t *job)
{
	set_comment(job, tb_record_word_drop(job->admin_comment, key));
	if (!xstrcmp(job->state_desc, reason))
		xfree(job->state_desc);
}

/* A gang scheduler's suspension has cores. */
static bool is_suspended(const job_record_t *job)
{
	return IS_JOB_SUSPENDED(job) && !job->priority;
}

/* ---- the list ---- */

static void add_id(struct job_ids *ids, uint32_t job_id)
{
	xrecalloc(ids->list, ids->count + 1, sizeof(*ids->list));
	ids->list[ids->count++] = job_id;
}

static struct job_ids take_ids(struct job_ids *ids)
{
	struct job_ids taken = *ids;

	*ids = (struct job_ids){ .count = 0 };
	return taken;
}

/* Whose word was taken away may still be in the list. */
static void add_waiting(uint32_t job_id)
{
	for (uint32_t i = 0; i < waiting.count; i++)
		if (waiting.list[i] == job_id)
			return;
	add_id(&waiting, job_id);
}

static void drop_lists(void)
{
	xfree(waiting.list);
	xfree(resumed.list);
	waiting.count = resumed.count = 0;
}

static bool nodes_are_up(const job_record_t *job)
{
	for (int node = 0; node < node_record_count; node++)
		if (node_record_table_ptr[node] &&
		    bit_test(job->node_bitmap, node) &&
		    IS_NODE_DOWN(node_record_table_ptr[node]))
			return false;
	return true;
}

/* True: it waits on. */
static bool try_job(uint32_t job_id)
{
	job_record_t *job = find_job_record(job_id);

	if (!job)
		return false;
	if (!is_suspended(job) || !has_word(job)) {
		drop_word(job);
		return false;
	}
	if (!may_resume(job) || !nodes_are_up(job))
		return true;
	if (tb_slurmctld_resume(job) == SLURM_SUCCESS)
		info("topobind: %pJ is resumed: no other job has its cores any more",
		     job);
	return is_suspended(job) && has_word(job);
}

/* A heterogeneous job is resumed with its components: these may be in the list, too. */
static void resume_jobs(void)
{
	struct job_ids taken = take_ids(&waiting);

	for (uint32_t i = 0; i < taken.count; i++)
		if (try_job(taken.list[i]))
			add_waiting(taken.list[i]);
	xfree(taken.list);
}

/* Meanwhile the others may have been paused for it. */
static void pause_jobs(void)
{
	struct job_ids taken = take_ids(&resumed);

	for (uint32_t i = 0; i < taken.count; i++) {
		job_record_t *job = find_job_record(taken.list[i]);

		if (job && IS_JOB_RUNNING(job) && tb_ledger_runs_beside(job))
			tb_slurmctld_pause(job);
	}
	xfree(taken.list);
}

static void change_jobs(void)
{
	resume_jobs();
	pause_jobs();
}

void tb_late_resume_reset(bool (*may)(const job_record_t *job))
{
	drop_lists();
	may_resume = may;
	tb_late_work_set(TB_LATE_JOBS, change_jobs);
}

void tb_late_resume_fini(void)
{
	drop_lists();
}

void tb_late_resume_recovered(const job_record_t *job)
{
	if (!is_suspended(job) || !has_word(job))
		return;
	add_waiting(job->job_id);
	tb_late_resume_look();
}

int tb_late_resume_wait(job_record_t *job)
{
	bool was_known = has_word(job);

	set_word(job);
	add_waiting(job->job_id);
	return was_known ? EALREADY : EINPROGRESS;
}

void tb_late_resume_forget(job_record_t *job)
{
	if (has_word(job))
		drop_word(job);
}

void tb_late_resume_in_turn(const job_record_t *job)
{
	add_id(&resumed, job->job_id);
	tb_late_work_add(TB_LATE_JOBS);
}

void tb_late_resume_look(void)
{
	if (waiting.count)
		tb_late_work_add(TB_LATE_JOBS);
}
