/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "changed_request.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "common/job/comment_lines.h"

#include "effective_request.h"
#include "granted_request.h"
#include "job_combinations.h"
#include "kept_request.h"

/* ---- may it be changed? ---- */

/*
 * srun and salloc have sent their request to the tasks when they start, and a script
 * starts steps for all parts of its job by the request of the first.
 */
static int check_job(const job_record_t *job, struct tb_error *err)
{
	if (!IS_JOB_PENDING(job))
		return tb_fail(
			err,
			"the job has started, and its tasks stay where they are: only a job that waits can get another binding");
	if (!job->details || !job->batch_flag)
		return tb_fail(
			err,
			"srun and salloc know the binding already: end the job and submit it again, or use sbatch, whose jobs can be changed");
	if (job->het_job_id)
		return tb_fail(
			err,
			"it is a heterogeneous job, whose parts cannot be changed one by one: end it and submit it again");
	return 0;
}

/* ---- the request ---- */

/* What the job asked for before; nothing where that was wrong. */
static int inherit_own(struct tb_request *request, const job_record_t *job,
		       struct tb_error *err)
{
	struct tb_held_request own;
	struct tb_env_texts texts;
	int rc = 0;

	tb_env_texts_find(&texts, job->spank_job_env, job->spank_job_env_size);
	if (!tb_held_request_find(&own, &texts, NULL))
		rc = tb_request_inherit(request, &own.request, err);
	tb_held_request_release(&own);
	return rc;
}

static int check_request(struct tb_request *request, const job_record_t *job,
			 const struct tb_conf *site, struct tb_error *err)
{
	if (!tb_site_binding(site, job) && tb_request_complete(request, err))
		return -1;
	if (!tb_request_binds(request))
		return 0;
	if (!tb_partition_can_bind(job))
		return tb_fail(
			err,
			"its partition has whole sockets, which need no binding");
	if (tb_request_check_window(request, err) ||
	    tb_job_gpus_check(job, request, err) ||
	    tb_job_isolation_check(site, job, request, err))
		return -1;
	return tb_job_combinations_check(job, request, err);
}

/* As sbatch would send it; malloc()ed.  NULL with a sentence. */
static char *make_line(const job_record_t *job, const struct tb_conf *site,
		       const char *text, struct tb_error *err)
{
	struct tb_request request;
	char *line = NULL;

	tb_request_init(&request);
	if (!tb_request_parse(&request, text, err) &&
	    !inherit_own(&request, job, err) &&
	    !tb_request_complete_open(&request, err) &&
	    !check_request(&request, job, site, err)) {
		line = tb_request_print_sent(&request);
		if (!line)
			tb_fail(err, "out of memory");
	}
	tb_request_clear(&request);
	return line;
}

static int change(job_record_t *job, const struct tb_conf *site,
		  const char *text, struct tb_error *err)
{
	char *line = check_job(job, err) ? NULL
					 : make_line(job, site, text, err);
	int rc = line ? 0 : -1;

	if (line)
		tb_granted_replace(job, line);
	free(line);
	return rc;
}

/* ---- the comment ---- */

static void set_comment(job_record_t *job, const char *word, const char *text)
{
	char *comment = tb_comment_put_word(job->comment, word, text);

	xfree(job->comment);
	job->comment = comment && *comment ? xstrdup(comment) : NULL;
	last_job_update = time(NULL);
	free(comment);
}

bool tb_changed_request_waits(const job_record_t *job)
{
	char *text = tb_comment_find_word(job->comment, TB_UPDATE_WORD);
	bool waits = text != NULL;

	free(text);
	return waits;
}

bool tb_changed_request_take(job_record_t *job, const struct tb_conf *site)
{
	char *text = tb_comment_find_word(job->comment, TB_UPDATE_WORD);
	struct tb_error err;
	bool changed;

	if (!text)
		return false;
	changed = !change(job, site, text, &err);
	set_comment(job, changed ? NULL : TB_REFUSED_WORD, err.text);
	free(text);
	return changed;
}
