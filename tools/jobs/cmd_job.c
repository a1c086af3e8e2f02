/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_job.c - topobind job */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "job_blocked.h"
#include "cluster/job_id.h"
#include "job_table.h"
#include "job_usage_show.h"
#include "cluster/slurm_library.h"
#include "cluster/slurm_names.h"
#include "table/table_options.h"
#include "terminal/utf8.h"
#include "terminal/wrap.h"

struct options {
	struct tb_command common;
	struct tb_job_argument job;
	struct tb_table_options table; /* no columns: a page for each job */
	unsigned seconds; /* to look how busy its units are; 0: don't */
	const char *node; /* the name of this machine; NULL: as it is */
};

#define USAGE_SECONDS 1

/* What is shown. */
struct shown {
	const struct tb_job_views *views;
	struct tb_job_usage *usage; /* of each; NULL: not asked for */
};

/* ---- options ---- */

static int take_job_option(void *data, int option, struct tb_error *err)
{
	struct options *options = data;

	switch (option) {
	case 'u':
		return tb_command_take_seconds(&options->seconds, "usage",
					       USAGE_SECONDS, err);
	case 'n':
		options->node = optarg;
		return 0;
	default:
		return tb_table_option(&options->table, tb_job_table(), option,
				       err);
	}
}

static int take_job_arguments(void *data, int count, char **words,
			      struct tb_error *err)
{
	struct options *options = data;

	if (options->seconds && options->table.columns)
		return tb_fail(
			err,
			"--usage has a table of its own, leave out --format and --Format");
	if (options->node && !options->seconds)
		return tb_fail(err, "--node goes with --usage, give that too");
	return tb_job_argument_take_any(&options->job, count, words, err);
}

static const struct tb_command_option own_options[] = {
	{ NULL, "usage", "[N]", 'u',
	  "look N seconds [1] how busy its units on this machine are" },
	{ NULL, "node", "NODE", 'n',
	  "with --usage: the node that this machine is" },
	{ 0 },
};
static const struct tb_command_line usage = {
	/* clang-format off */
	.arguments = "[JOB]",
	.purpose = "Show what a job asked for and what it has, by node and by task. JOB is 123 (of an array all tasks, of a heterogeneous job all parts), 123_4 or 123+1; without it the job in which the command is called, or outside of one all your jobs that wait. -o and -O print one table, with a row for each task.",
	.notes = "Columns: %i jobid, %u user, %j name, %T state, %P partition, %b request, %w waiting, %N node, %n tasks (there), and of the row's task or node: %t task, %s slot, %U units, %c threads (positions in the topology string), %B blocked (those of the node that its tasks cannot use, nor others), %g grant.",
	.exit_codes = "Exit codes: 0 shown, 2 bad option, a job that Slurm does not show or that is not on this machine, or Slurm does not answer.",
	.own = own_options,
	.shared = tb_table_options_list,
	.has_json = true,
	.take = take_job_option,
	.finish = take_job_arguments,
	/* clang-format on */
};

/* ---- for people ---- */

static int print_table(const struct options *options,
		       const struct tb_columns *columns,
		       const struct tb_job_view *jobs, unsigned njobs,
		       bool by_node)
{
	unsigned nrows;
	struct tb_job_row *rows = tb_job_rows_make(jobs, njobs, by_node,
						   &nrows);
	int rc = -1;

	if (rows)
		rc = tb_table_show(&options->table, tb_job_table(), columns,
				   rows, sizeof(*rows), nrows);
	free(rows);
	return rc;
}

static int print_named(const struct options *options,
		       const struct tb_job_view *job, const char *names,
		       bool by_node)
{
	struct tb_columns *columns = tb_columns_of_names(tb_job_table(), names,
							 NULL);
	int rc = -1;

	putchar('\n');
	if (columns)
		rc = print_table(options, columns, job, 1, by_node);
	tb_columns_destroy(columns);
	return rc;
}

static void print_line(const char *what, const char *text)
{
	tb_print_cell(stdout, text, (unsigned)printf("%-9s ", what));
}

static unsigned count_tasks(const struct tb_job_view *job)
{
	unsigned tasks = 0;

	for (unsigned i = 0; i < job->nnodes; i++)
		tasks += job->nodes[i].tasks;
	return tasks;
}

static int print_page(const struct options *options,
		      const struct tb_job_view *job)
{
	bool bound = job->comment.request != NULL;
	int rc = 0;

	tb_print_sentence(stdout, "job %s of %s in %s: %s", job->id, job->user,
			  job->info->partition ? job->info->partition : "-",
			  slurm_job_state_string(job->info->job_state));
	print_line("request", bound ? job->comment.request : "no binding");
	if (job->comment.waiting)
		print_line("waiting", job->comment.waiting);
	if (job->nnodes)
		rc = print_named(options, job,
				 !bound ? "node,threads,grant"
				 : tb_job_has_blocked(job)
					 ? "node,tasks,units,threads,blocked,grant"
					 : "node,tasks,units,threads,grant",
				 true);
	if (!rc && count_tasks(job))
		rc = print_named(options, job, "task,node,slot,units,threads",
				 false);
	return rc;
}

static int print_pages(const struct options *options, const struct shown *shown)
{
	const struct tb_job_views *views = shown->views;
	int rc = 0;

	if (!views->njobs)
		puts("none of your jobs waits");
	for (unsigned i = 0; !rc && i < views->njobs; i++) {
		if (i)
			putchar('\n');
		rc = print_page(options, &views->jobs[i]);
		if (!rc && shown->usage && shown->usage[i].node)
			rc = tb_job_usage_print(&shown->usage[i],
						options->seconds);
	}
	return rc;
}

static int print_views(const struct options *options, const struct shown *shown)
{
	const struct tb_columns *columns = options->table.columns;
	int rc = columns ? print_table(options, columns, shown->views->jobs,
				       shown->views->njobs,
				       options->table.by_node)
			 : print_pages(options, shown);

	return rc ? tb_command_fail(options->common.name, "out of memory")
		  : TB_EXIT_OK;
}

/* ---- for programs ---- */

static json_t *json_of_row(const struct tb_job_row *row)
{
	const struct tb_bitset *threads = tb_job_row_threads(row);
	json_t *json = json_pack("{s:s}", "node", row->node->name);

	if (threads)
		json_object_set_new(json, "threads",
				    tb_command_json_set(threads));
	if (threads && row->job->comment.request)
		json_object_set_new(json, "units",
				    json_integer(tb_job_view_units(row->job,
								   row->node,
								   threads)));
	return json;
}

/* measured: of its job, or NULL. */
static json_t *json_of_node(const struct tb_job_view *job,
			    const struct tb_job_node *node,
			    const struct tb_job_usage *measured,
			    unsigned seconds)
{
	const struct tb_job_row row = { job, node, TB_ALL_TASKS, 0 };
	char *grant = node->topology
			      ? tb_topology_print(node->topology, node->threads)
			      : NULL;
	json_t *json = json_of_row(&row);

	if (node->blocked)
		json_object_set_new(json, "blocked",
				    tb_command_json_set(node->blocked));
	json_object_set_new(json, "tasks", json_integer(node->tasks));
	json_object_set_new(json, "topology",
			    grant ? json_string(grant) : json_null());
	if (measured && measured->node == node)
		json_object_set_new(json, "usage",
				    tb_job_usage_json(measured, seconds));
	free(grant);
	return json;
}

static void add_tasks(json_t *tasks, const struct tb_job_view *job,
		      const struct tb_job_node *node)
{
	for (unsigned task = 0; task < node->tasks; task++) {
		const struct tb_job_row row = { job, node, task, 0 };
		json_t *json = json_of_row(&row);

		json_object_set_new(json, "task",
				    json_integer(node->first_task + task));
		json_object_set_new(json, "slot",
				    json_integer(task % node->nslots));
		json_array_append_new(tasks, json);
	}
}

static json_t *json_of_job(const struct tb_job_view *job,
			   const struct tb_job_usage *measured,
			   unsigned seconds)
{
	json_t *nodes = json_array(), *tasks = json_array(), *json;
	char *name = tb_utf8_copy(job->info->name ? job->info->name : "");

	for (unsigned i = 0; i < job->nnodes; i++) {
		json_array_append_new(nodes, json_of_node(job, &job->nodes[i],
							  measured, seconds));
		add_tasks(tasks, job, &job->nodes[i]);
	}
	json = json_pack("{s:s, s:s, s:s*, s:s*, s:s, s:s?, s:s?, s:o, s:o}",
			 "job", job->id, "user", job->user, "name", name,
			 "partition", job->info->partition, "state",
			 slurm_job_state_string(job->info->job_state),
			 "request", job->comment.request, "waiting",
			 job->comment.waiting, "nodes", nodes, "tasks", tasks);
	free(name);
	return json;
}

static int print_jobs_json(const struct options *options,
			   const struct shown *shown)
{
	json_t *jobs = json_array(), *json;
	int rc = 0;

	for (unsigned i = 0; i < shown->views->njobs; i++) {
		json = json_of_job(&shown->views->jobs[i],
				   shown->usage ? &shown->usage[i] : NULL,
				   options->seconds);
		rc |= json_array_append_new(jobs, json);
	}
	json = json_pack("{s:o}", "jobs", jobs);
	rc = rc ? tb_command_fail(options->common.name, "out of memory")
		: tb_command_print_json(options->common.name, json);
	json_decref(json);
	return rc;
}

/* ---- both ---- */

/* As long as asked for, if at all. */
static int measure(const struct options *options, struct shown *shown,
		   struct tb_error *err)
{
	char *node;

	if (!options->seconds || !shown->views->njobs)
		return 0;
	node = tb_job_usage_node(options->node);
	if (node)
		shown->usage = tb_job_usage_measure(shown->views, node,
						    options->seconds, err);
	else
		tb_fail(err, "out of memory");
	free(node);
	return shown->usage ? 0 : -1;
}

static int run_job(const struct options *options)
{
	struct tb_job_views *views;
	struct shown shown = { 0 };
	struct tb_error err;
	int rc;

	tb_slurm_begin(options->common.name);
	views = tb_job_views_load(options->job.text ? &options->job.id : NULL,
				  &err);
	shown.views = views;
	if (!views || measure(options, &shown, &err))
		rc = tb_job_argument_fail(&options->job, options->common.name,
					  &err);
	else if (options->common.json)
		rc = print_jobs_json(options, &shown);
	else
		rc = print_views(options, &shown);
	tb_job_usage_destroy(shown.usage, views ? views->njobs : 0);
	tb_job_views_destroy(views);
	tb_slurm_end();
	return rc;
}

int tb_command_job(int argc, char **argv)
{
	struct options options = { .common.name = argv[0] };
	int rc = TB_EXIT_OK;

	if (tb_command_read(&options.common, &usage, argc, argv, &options))
		rc = TB_EXIT_BAD;
	else if (!options.common.done)
		rc = run_job(&options);
	tb_table_options_clear(&options.table);
	return rc;
}
