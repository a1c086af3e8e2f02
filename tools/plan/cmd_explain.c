/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_explain.c - topobind explain */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command.h"
#include "common/job/job_comment.h"
#include "compat/job_reason.h"
#include "job_choice.h"
#include "cluster/job_id.h"
#include "cluster/hosts.h"
#include "cluster/slurm_library.h"
#include "table/table.h"
#include "terminal/wrap.h"

/* The controller shows the binding of a job that is as old as this. */
#define NEW_SECONDS 3

struct options {
	struct tb_command common;
	struct tb_job_argument job;
	/* Of several jobs: what they are compared with, and their JSON. */
	struct tb_cluster *cluster;
	json_t *list;
};

/* The job that is explained. */
struct subject {
	struct options *options;
	const job_info_t *job;
	struct tb_comment comment;
	char *id, *user;
};

static int take_explain_arguments(void *data, int count, char **words,
				  struct tb_error *err)
{
	struct options *options = data;

	return tb_job_argument_take_any(&options->job, count, words, err);
}

static const struct tb_command_line usage = {
	/* clang-format off */
	.arguments = "[JOB]",
	.purpose = "Say why a job with a binding waits: node by node which units are free, how many it needs, which jobs hold the others until when, or why the job cannot use the node; and which jobs would have to end for it to start. Of a running job: its grant. JOB is 123, 123_4 for a task of an array, 123+1 for a part of a heterogeneous job; without it the job in which the command is called, or outside of one all your jobs that wait.",
	.notes = "Jobs that Slurm does not show to you are hidden: you see their units, but not whose they are and when they come free.",
	.exit_codes = "Exit codes: 0 it waits or runs, with a binding; 1 it has no binding or is over, or none of several waits with one; 2 bad option, a job that Slurm does not show, or no answer.",
	.has_json = true,
	.finish = take_explain_arguments,
	/* clang-format on */
};

static int fail_for_subject(const struct subject *subject,
			    const struct tb_error *err)
{
	return tb_command_fail(subject->options->common.name, "job %s: %s",
			       subject->id ? subject->id : "?", err->text);
}

/* Takes over the object. */
static int add_object(const struct subject *subject, json_t *json)
{
	if (json_array_append_new(subject->options->list, json))
		return tb_command_fail(subject->options->common.name,
				       "out of memory");
	return TB_EXIT_OK;
}

/* What there is nothing to explain of: a sentence, and not on stderr. */
static int print_no_wait(const struct subject *subject, const char *state,
			 const char *sentence)
{
	json_t *json;
	int rc;

	if (!subject->options->common.json) {
		tb_print_sentence(stdout, "job %s of %s %s", subject->id,
				  subject->user, sentence);
		return TB_EXIT_NO_FIT;
	}
	json = json_pack("{s:s, s:s, s:s, s:s}", "job", subject->id, "user",
			 subject->user, "state", state, "summary", sentence);
	rc = add_object(subject, json);
	return rc ? rc : TB_EXIT_NO_FIT;
}

/* ---- a job that runs ---- */

static json_t *json_of_grants(const struct tb_comment *comment)
{
	json_t *grants = json_array();

	for (unsigned i = 0; i < comment->ngrants; i++)
		json_array_append_new(grants,
				      json_pack("{s:o, s:s}", "nodes",
						tb_hosts_to_json(
							comment->grants[i]
								.nodes),
						"topology",
						comment->grants[i].units));
	return grants;
}

enum { NODES, GRANT, COLUMNS };

static const struct tb_column columns[COLUMNS] = {
	[NODES] = { '\0', "nodes", "", false },
	[GRANT] = { '\0', "grant", "", false },
};

static void print_cell(const void *row, unsigned column, FILE *out)
{
	const struct tb_comment_grant *grant = row;

	tb_text_print(column == NODES ? grant->nodes : grant->units, out);
}

static const struct tb_table_kind kind = {
	.columns = columns,
	.ncolumns = COLUMNS,
	.gap = "  ",
	.print = print_cell,
};

static int print_running(const struct subject *subject)
{
	const struct tb_comment *comment = &subject->comment;

	tb_print_sentence(stdout, "job %s of %s is running", subject->id,
			  subject->user);
	tb_print_sentence(stdout, "%s", comment->request);
	if (tb_table_print_names(&kind, "nodes,grant", comment->grants,
				 sizeof(*comment->grants), comment->ngrants,
				 false, stdout))
		return -1;
	if (comment->has_more)
		tb_print_sentence(
			stdout,
			"and more nodes, for which its SystemComment has no room");
	return 0;
}

static int explain_running(const struct subject *subject)
{
	const struct tb_comment *comment = &subject->comment;
	json_t *json;

	if (subject->options->common.json) {
		json = json_pack("{s:s, s:s, s:s, s:s, s:o, s:b}", "job",
				 subject->id, "user", subject->user, "state",
				 "RUNNING", "request", comment->request,
				 "grants", json_of_grants(comment), "more",
				 comment->has_more);
		return add_object(subject, json);
	}
	if (print_running(subject))
		return tb_command_fail(subject->options->common.name,
				       "out of memory");
	return TB_EXIT_OK;
}

/* ---- a job that waits ---- */

/* As squeue prints it. */
static char *copy_reason(const job_info_t *job)
{
	return strdup(job->state_desc ? job->state_desc : tb_job_reason(job));
}

/* Is it for several partitions, of which one is told? */
static bool is_of_list(const struct subject *subject,
		       const struct tb_explanation *explanation)
{
	return explanation->candidates->partition && subject->job->partition &&
	       strchr(subject->job->partition, ',');
}

static int print_waiting(const struct subject *subject,
			 const struct tb_job_choice *choice, const char *reason)
{
	char text[TB_TIME_SIZE];

	tb_print_sentence(stdout, "job %s of %s waits: %s", subject->id,
			  subject->user, reason);
	if (subject->comment.waiting &&
	    strcmp(subject->comment.waiting, reason))
		tb_print_sentence(stdout, "%s", subject->comment.waiting);
	if (tb_job_choice_print(choice, subject->comment.request))
		return tb_command_fail(subject->options->common.name,
				       "out of memory");
	if (subject->job->start_time > time(NULL)) {
		tb_explain_time(subject->job->start_time, text);
		tb_print_sentence(stdout, "Slurm expects that it starts at %s",
				  text);
	}
	return TB_EXIT_OK;
}

static int print_waiting_json(const struct subject *subject,
			      const struct tb_job_choice *choice,
			      const char *reason)
{
	const struct tb_explanation *explanation = tb_job_choice_soonest(
		choice);
	const struct tb_job_spec *spec = explanation->candidates->spec;
	int64_t start = subject->job->start_time > time(NULL)
				? subject->job->start_time
				: -1;
	char *end = tb_explain_end(explanation);
	json_t *json = json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:s*, s:s*, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o*}",
		"job", subject->id, "user", subject->user, "state", "PENDING",
		"request", subject->comment.request, "reason", reason,
		"waiting", subject->comment.waiting, "partition",
		is_of_list(subject, explanation)
			? explanation->candidates->partition->name
			: NULL,
		"slots", (int)spec->tasks, "table",
		tb_explain_rows_json(explanation), "fits_now",
		tb_explain_fits_json(explanation), "would_fit",
		tb_explain_found_json(explanation), "must_end",
		tb_explain_ended_json(explanation), "when",
		tb_explain_when_json(explanation->when), "expected_start",
		tb_explain_when_json(start), "summary", end ? end : "",
		"alternatives", tb_job_choice_json(choice));

	free(end);
	return add_object(subject, json);
}

static int explain_choice(const struct subject *subject,
			  struct tb_job_choice *choice)
{
	char *reason = copy_reason(subject->job);
	int rc;

	if (!reason || tb_job_choice_explain(choice))
		rc = tb_command_fail(subject->options->common.name,
				     "out of memory");
	else
		rc = subject->options->common.json
			     ? print_waiting_json(subject, choice, reason)
			     : print_waiting(subject, choice, reason);
	free(reason);
	return rc;
}

static void warn_of_conf(const struct subject *subject,
			 const struct tb_cluster *cluster)
{
	if (!cluster->conf)
		tb_command_fail(subject->options->common.name, "%s",
				cluster->conf_why.text);
}

/* Asked for once, also for many jobs; NULL with a sentence. */
static const struct tb_cluster *get_cluster(const struct subject *subject,
					    struct tb_error *err)
{
	struct options *options = subject->options;

	if (!options->cluster) {
		options->cluster = tb_candidates_load_cluster(err);
		if (options->cluster)
			warn_of_conf(subject, options->cluster);
	}
	return options->cluster;
}

static int explain_waiting(const struct subject *subject)
{
	const struct tb_cluster *cluster = NULL;
	struct tb_job_choice choice = { 0 };
	struct tb_job_spec spec;
	struct tb_error err;
	int rc;

	if (!tb_job_spec_of_job(&spec, subject->job, &subject->comment, &err))
		cluster = get_cluster(subject, &err);
	if (cluster && !tb_job_choice_make(&choice, cluster, &spec, &err))
		rc = explain_choice(subject, &choice);
	else
		rc = fail_for_subject(subject, &err);
	tb_job_choice_clear(&choice);
	tb_job_spec_clear(&spec);
	return rc;
}

/* ---- any job ---- */

static int explain_bound(const struct subject *subject)
{
	uint32_t state = subject->job->job_state & JOB_STATE_BASE;

	if (state != JOB_PENDING && !tb_cluster_job_holds(subject->job))
		return print_no_wait(subject, "OVER", "is over");
	if (!subject->comment.request && state == JOB_PENDING &&
	    subject->job->submit_time + NEW_SECONDS > time(NULL))
		return print_no_wait(
			subject, "PENDING",
			"was just submitted, and shows no binding yet");
	if (!subject->comment.request)
		return print_no_wait(
			subject, "PLAIN",
			"has no binding; scontrol show job tells about it");
	return state == JOB_PENDING ? explain_waiting(subject)
				    : explain_running(subject);
}

static int explain_job(struct options *options, const job_info_t *job)
{
	struct subject subject = { .options = options, .job = job };
	struct tb_error err;
	int rc;

	subject.id = tb_cluster_job_id(job);
	subject.user = tb_cluster_job_user(job);
	if (tb_comment_read(&subject.comment, job->system_comment, &err))
		rc = fail_for_subject(&subject, &err);
	else if (!subject.id || !subject.user)
		rc = tb_command_fail(options->common.name, "out of memory");
	else
		rc = explain_bound(&subject);
	tb_comment_clear(&subject.comment);
	free(subject.id);
	free(subject.user);
	return rc;
}

/* ---- one, or all that wait ---- */

/* The worst failure counts; without one, what is best. */
static int join_codes(int all, int one)
{
	if (all == TB_EXIT_BAD || one == TB_EXIT_BAD)
		return TB_EXIT_BAD;
	return all == TB_EXIT_OK || one == TB_EXIT_OK ? TB_EXIT_OK
						      : TB_EXIT_NO_FIT;
}

static int explain_all(struct options *options, const job_info_msg_t *jobs)
{
	int rc = TB_EXIT_NO_FIT;
	unsigned count = 0;

	for (uint32_t i = 0; i < jobs->record_count; i++) {
		if (!tb_job_waits(&jobs->job_array[i]))
			continue;
		if (count++ && !options->common.json)
			putchar('\n');
		rc = join_codes(rc, explain_job(options, &jobs->job_array[i]));
	}
	if (!count && !options->common.json)
		puts("none of your jobs waits");
	return rc;
}

static int print_list(const struct options *options, int rc)
{
	json_t *json = json_pack("{s:O}", "jobs", options->list);
	int printed = tb_command_print_json(options->common.name, json);

	json_decref(json);
	return printed ? printed : rc;
}

static int explain_named(struct options *options)
{
	struct tb_error err = { "it has no such task or part" };
	const job_info_t *job = NULL;
	job_info_msg_t *jobs = tb_job_id_load(&options->job.id, 0, &err);
	int rc;

	if (jobs)
		job = tb_job_id_find(&options->job.id, jobs);
	rc = job ? explain_job(options, job)
		 : tb_job_argument_fail(&options->job, options->common.name,
					&err);
	if (options->common.json && rc != TB_EXIT_BAD)
		rc = print_list(options, rc);
	if (jobs)
		slurm_free_job_info_msg(jobs);
	return rc;
}

static int explain_own(struct options *options)
{
	struct tb_error err;
	job_info_msg_t *jobs = tb_job_id_load_own(0, &err);
	int rc;

	if (!jobs)
		return tb_job_argument_fail(&options->job, options->common.name,
					    &err);
	rc = explain_all(options, jobs);
	if (options->common.json)
		rc = print_list(options, rc);
	slurm_free_job_info_msg(jobs);
	return rc;
}

static int run_explain(struct options *options)
{
	int rc;

	tb_slurm_begin(options->common.name);
	if (options->common.json)
		options->list = json_array();
	rc = options->job.text ? explain_named(options) : explain_own(options);
	json_decref(options->list);
	tb_cluster_destroy(options->cluster);
	tb_slurm_end();
	return rc;
}

int tb_command_explain(int argc, char **argv)
{
	struct options options = { .common.name = argv[0] };

	if (tb_command_read(&options.common, &usage, argc, argv, &options))
		return TB_EXIT_BAD;
	return options.common.done ? TB_EXIT_OK : run_explain(&options);
}
