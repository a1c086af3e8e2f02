/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_update.c - topobind update
 *
 * A line in the job's Comment asks for the change, and the controller takes it from
 * there (select_topobind/request/changed_request.h).
 */
#define _GNU_SOURCE /* asprintf */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/job/comment_lines.h"
#include "common/job/request_env.h"

#include "command.h"
#include "cluster/job_id.h"
#include "job_view.h"
#include "cluster/slurm_library.h"
#include "plan/changed_job.h"
#include "terminal/wrap.h"

/* The controller looks each second, and has much to do at times. */
#define PATIENCE_S 30
#define LOOK_MS 100

struct options {
	struct tb_command common;
	struct tb_options binding;
	struct tb_request change; /* what was given, and no more */
	char *line;		  /* the same */
	struct tb_job_argument job;
};

/* ---- options ---- */

static int take_update_option(void *data, int option, struct tb_error *err)
{
	struct options *options = data;

	return tb_command_take_binding(&options->binding, TB_COMMAND_LINE,
				       option, err);
}

/* The rest is the job's, which only the controller knows for sure. */
static int make_change(struct options *options, struct tb_error *err)
{
	const struct tb_options *binding = &options->binding;

	if (!tb_options_given(binding))
		return tb_fail(
			err,
			"no option was given; write what shall change, such as --bamount=2");
	if (tb_request_inherit(&options->change,
			       &binding->single[TB_COMMAND_LINE], err) ||
	    tb_request_inherit(&options->change,
			       &binding->line[TB_COMMAND_LINE], err))
		return -1;
	options->line = tb_request_print_given(&options->change);
	return options->line ? 0 : tb_fail(err, "out of memory");
}

static int take_update_arguments(void *data, int count, char **words,
				 struct tb_error *err)
{
	struct options *options = data;

	if (tb_job_argument_take(&options->job, count, words, err))
		return -1;
	return make_change(options, err);
}

static const struct tb_command_line usage = {
	/* clang-format off */
	.arguments = "JOB",
	.purpose = "Change the binding of a job that waits: what the options say, the rest of its request stays; --bamount=0 takes the binding away. JOB is 123, of an array all tasks that wait, or 123_4 for one of them.",
	.notes = "Users change their own jobs, operators and coordinators those that scontrol lets them change. Jobs of srun and salloc and heterogeneous jobs cannot be changed.",
	.exit_codes = "Exit codes: 0 changed, 2 bad option, refused, no such job, or Slurm does not answer.",
	.has_binding = true,
	.take = take_update_option,
	.finish = take_update_arguments,
	/* clang-format on */
};

/* ---- asking ---- */

/* As Slurm takes it: without the limit of "12_[1-9%2]"; malloc()ed. */
static char *print_target(const struct options *options,
			  const struct tb_job_view *job)
{
	char *percent, *target;

	if (options->job.id.array_task != NO_VAL)
		return strdup(options->job.text);
	target = strdup(job->id);
	percent = target ? strchr(target, '%') : NULL;
	if (percent)
		strcpy(percent, "]");
	return target;
}

static int find_update_error(const job_array_resp_msg_t *answers)
{
	for (uint32_t i = 0; answers && i < answers->job_array_count; i++)
		if (answers->error_code[i])
			return (int)answers->error_code[i];
	return 0;
}

static int set_comment(char *target, char *comment, struct tb_error *err)
{
	job_array_resp_msg_t *answers = NULL;
	job_desc_msg_t change;
	int rc;

	slurm_init_job_desc_msg(&change);
	change.job_id_str = target;
	change.comment = comment;
	rc = slurm_update_job2(&change, &answers) ? errno
						  : find_update_error(answers);
	if (answers)
		slurm_free_job_array_resp(answers);
	return rc ? tb_fail(err, "Slurm does not let you change it: %s",
			    slurm_strerror(rc))
		  : 0;
}

/* Put the line of a word in place of the one that is there; NULL: none. */
static int put_word(const struct options *options,
		    const struct tb_job_view *job, const char *word,
		    struct tb_error *err)
{
	char *target = print_target(options, job);
	char *comment = tb_comment_put_word(job->info->comment, word,
					    options->line);
	int rc = -1;

	if (!target || !comment)
		tb_fail(err, "out of memory");
	else if (strlen(comment) > TB_COMMENT_MAX)
		tb_fail(err,
			"its request travels in its Comment, in which Slurm has room for %d characters, and with this it has %zu",
			TB_COMMENT_MAX, strlen(comment));
	else
		rc = set_comment(target, comment, err);
	free(target);
	free(comment);
	return rc;
}

static int ask(const struct options *options, const struct tb_job_views *views,
	       struct tb_error *err)
{
	unsigned asked = 0;

	for (unsigned i = 0; i < views->njobs; i++) {
		const struct tb_job_view *job = &views->jobs[i];

		if (!tb_job_waits(job->info))
			continue;
		if (put_word(options, job, TB_UPDATE_WORD, err))
			return -1;
		asked++;
	}
	return asked ? 0
		     : tb_fail(err,
			       "it does not wait: only before it starts it can get another binding");
}

/* ---- what no node can hold ---- */

/*
 * What the job asks for with the change; -1 where that makes no sense, which the
 * controller says.  tb_request_clear() is right after both.
 */
static int make_wanted(struct tb_request *wanted, const struct options *options,
		       const struct tb_job_view *job)
{
	tb_request_init(wanted);
	return tb_request_inherit(wanted, &options->change, NULL) ||
			       tb_request_inherit(wanted, &job->request,
						  NULL) ||
			       tb_request_complete_open(wanted, NULL)
		       ? -1
		       : 0;
}

/*
 * Can it be compared with the nodes?  What is added to a binding of the site only the
 * controller knows, and it has its own sentence for a window that makes no sense.
 */
static bool can_be_checked(const struct tb_request *wanted,
			   const struct tb_job_view *job)
{
	const char *shown = job->comment.request;

	return tb_request_binds(wanted) && !tb_request_is_open(wanted) &&
	       !tb_request_check_window(wanted, NULL) &&
	       !(shown && tb_request_is_implicit(shown));
}

static int check_job(const struct options *options,
		     const struct tb_cluster *cluster,
		     const struct tb_job_view *job, struct tb_error *err)
{
	struct tb_request wanted;
	char *never = NULL;
	int rc = 0;

	if (!make_wanted(&wanted, options, job) && can_be_checked(&wanted, job))
		never = tb_changed_job_never(cluster, job->info, &job->comment,
					     &wanted);
	if (never)
		rc = tb_fail(err, "%s", never);
	tb_request_clear(&wanted);
	free(never);
	return rc;
}

/* As sbatch is refused: Slurm would hold such a job until somebody releases it. */
static int check_units(const struct options *options,
		       const struct tb_job_views *views, struct tb_error *err)
{
	struct tb_cluster *cluster = tb_candidates_load_cluster(err);
	int rc = cluster ? 0 : -1;

	for (unsigned i = 0; !rc && i < views->njobs; i++)
		if (tb_job_waits(views->jobs[i].info))
			rc = check_job(options, cluster, &views->jobs[i], err);
	tb_cluster_destroy(cluster);
	return rc;
}

/* ---- the answer ---- */

static bool is_answered(const struct tb_job_views *views)
{
	for (unsigned i = 0; i < views->njobs; i++) {
		char *text = tb_comment_find_word(views->jobs[i].info->comment,
						  TB_UPDATE_WORD);

		free(text);
		if (text)
			return false;
	}
	return true;
}

/* The records when all are answered; NULL with a sentence. */
static struct tb_job_views *wait_for_answer(const struct options *options,
					    struct tb_error *err)
{
	const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };
	time_t end = time(NULL) + PATIENCE_S;
	struct tb_job_views *views;

	do {
		views = tb_job_views_load(&options->job.id, err);
		if (!views || is_answered(views))
			return views;
		tb_job_views_destroy(views);
		nanosleep(&pause, NULL);
	} while (time(NULL) <= end);
	tb_fail(err,
		"the controller has not taken it from the job's Comment; is select/topobind in force there?");
	return NULL;
}

/* As the record shows a request: less of it beside a binding of the site. */
static char *print_shown(const struct tb_job_view *job,
			 const struct tb_request *request)
{
	const char *shown = job->comment.request;

	return shown && tb_request_is_implicit(shown)
		       ? tb_request_print_open(request)
		       : tb_request_print(request);
}

/* Does the record show all that was given? */
static bool has_change(const struct options *options,
		       const struct tb_job_view *job)
{
	struct tb_request wanted;
	char *shown = print_shown(job, &job->request), *line = NULL;
	bool has = false;

	if (!make_wanted(&wanted, options, job)) {
		line = print_shown(job, &wanted);
		has = line && shown && !strcmp(line, shown);
		has = has ||
		      (!tb_request_binds(&wanted) && !job->comment.request);
	}
	tb_request_clear(&wanted);
	free(shown);
	free(line);
	return has;
}

/* A refusal is told, and taken out of the Comment again. */
static int report_refusal(const struct options *options,
			  const struct tb_job_view *job, const char *why)
{
	struct tb_error err;

	tb_command_fail(options->common.name, "job %s: %s", job->id, why);
	if (put_word(options, job, NULL, &err))
		tb_command_fail(options->common.name, "job %s: %s", job->id,
				err.text);
	return TB_EXIT_BAD;
}

static int report_job(const struct options *options,
		      const struct tb_job_view *job, unsigned *changed)
{
	char *why = tb_comment_find_word(job->info->comment, TB_REFUSED_WORD);
	int rc = TB_EXIT_OK;

	if (why) {
		rc = report_refusal(options, job, why);
	} else if (has_change(options, job)) {
		(*changed)++;
		tb_print_sentence(stdout, "job %s: %s", job->id,
				  job->comment.request ? job->comment.request
						       : "no binding");
	}
	free(why);
	return rc;
}

static int report(const struct options *options,
		  const struct tb_job_views *views)
{
	unsigned changed = 0;
	int rc = TB_EXIT_OK;

	for (unsigned i = 0; i < views->njobs; i++)
		rc |= report_job(options, &views->jobs[i], &changed);
	if (rc || changed)
		return rc;
	return tb_command_fail(
		options->common.name,
		"job %s: it shows another binding; its partition does not bind, or somebody else has changed it",
		options->job.text);
}

static int run_update(const struct options *options)
{
	struct tb_job_views *views, *changed = NULL;
	struct tb_error err;
	int rc;

	tb_slurm_begin(options->common.name);
	views = tb_job_views_load(&options->job.id, &err);
	if (views && !check_units(options, views, &err) &&
	    !ask(options, views, &err))
		changed = wait_for_answer(options, &err);
	rc = changed ? report(options, changed)
		     : tb_job_argument_fail(&options->job, options->common.name,
					    &err);
	tb_job_views_destroy(changed);
	tb_job_views_destroy(views);
	tb_slurm_end();
	return rc;
}

int tb_command_update(int argc, char **argv)
{
	struct options options = { .common.name = argv[0] };
	int rc = TB_EXIT_OK;

	tb_options_init(&options.binding);
	tb_request_init(&options.change);
	if (tb_command_read(&options.common, &usage, argc, argv, &options))
		rc = TB_EXIT_BAD;
	else if (!options.common.done)
		rc = run_update(&options);
	tb_request_clear(&options.change);
	tb_options_clear(&options.binding);
	free(options.line);
	return rc;
}
