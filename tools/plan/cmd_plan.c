/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_plan.c - topobind plan */
#define _GNU_SOURCE /* open_memstream */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "core/base/text.h"
#include "explain.h"
#include "cluster/hosts.h"
#include "plan.h"
#include "sbatch_options.h"
#include "cluster/slurm_library.h"
#include "table/table.h"
#include "terminal/wrap.h"

static const int exit_codes[] = {
	[TB_JOB_PLAN_NOW] = TB_EXIT_OK,
	[TB_JOB_PLAN_LATER] = TB_EXIT_NO_FIT,
	[TB_JOB_PLAN_WAITS] = TB_EXIT_NO_FIT,
	[TB_JOB_PLAN_NEVER] = TB_EXIT_BAD,
};

/* ---- for people ---- */

static int print_preempted(const struct tb_job_plan *plan)
{
	char *text = NULL;
	size_t size;
	FILE *words = open_memstream(&text, &size);

	if (!words)
		return -1;
	for (unsigned i = 0; i < plan->npreempted; i++)
		fprintf(words, "%s %u", i ? "," : "by preempting jobs",
			plan->preempted[i]);
	return tb_print_stream(stdout, words, &text);
}

enum { NODE, TASKS, GRANT, COLUMNS };

static const struct tb_column columns[COLUMNS] = {
	[NODE] = { '\0', "node", "", false },
	[TASKS] = { '\0', "tasks", "", false },
	[GRANT] = { '\0', "grant", "", false },
};

static void print_cell(const void *row, unsigned column, FILE *out)
{
	const struct tb_job_plan_node *placed = row;

	if (column == NODE)
		fputs(placed->node->info->name, out);
	else if (column == TASKS)
		fprintf(out, "%u %s", placed->slots,
			tb_count_word(placed->slots, "task", "tasks"));
	else
		fputs(placed->grant, out);
}

static const struct tb_table_kind kind = {
	.columns = columns,
	.ncolumns = COLUMNS,
	.gap = "  ",
	.print = print_cell,
};

static int print_units(const struct tb_job_plan *plan)
{
	return tb_table_print_names(&kind, "node,tasks,grant", plan->placed,
				    sizeof(*plan->placed), plan->nplaced, false,
				    stdout);
}

static void print_start(const struct tb_job_plan *plan)
{
	char text[TB_TIME_SIZE];

	tb_explain_time(plan->start, text);
	if (plan->answer == TB_JOB_PLAN_NEVER)
		tb_print_sentence(stdout, "never: %s", plan->why_never);
	else if (plan->answer == TB_JOB_PLAN_WAITS)
		tb_print_sentence(stdout, "not now: %s", plan->why_never);
	else if (plan->answer == TB_JOB_PLAN_NOW)
		tb_print_sentence(stdout, "now, in partition %s, on %s%s%s",
				  plan->partition, plan->nodes,
				  plan->alternative ? ", with " : "",
				  plan->alternative ? plan->alternative : "");
	else
		tb_print_sentence(stdout,
				  "not now: at %s, in partition %s, on %s",
				  text, plan->partition, plan->nodes);
}

static int print_answer(const struct tb_job_plan *plan)
{
	print_start(plan);
	if (plan->npreempted && print_preempted(plan))
		return -1;
	if (plan->waiting)
		tb_print_sentence(
			stdout,
			"Slurm adds this time for %u %s waiting there; if none of them starts first, the job gets now:",
			plan->waiting,
			tb_count_word(plan->waiting, "job", "jobs"));
	if (plan->why_unplaced)
		tb_print_sentence(stdout,
				  "topobind does not know which units: %s",
				  plan->why_unplaced);
	return print_units(plan);
}

/* Are there no units now? */
static bool lacks_units(const struct tb_job_plan *plan)
{
	return plan->answer != TB_JOB_PLAN_NOW && !plan->waiting;
}

/* Options that sbatch would heed. */
static int print_unplanned(uint32_t options)
{
	const char *sign = "the plan does not heed";
	char *text = NULL;
	size_t size;
	FILE *words = open_memstream(&text, &size);

	if (!words)
		return -1;
	for (unsigned i = 0; i < TB_SBATCH_UNPLANNED_MAX; i++) {
		if (!(options >> i & 1))
			continue;
		fprintf(words, "%s --%s", sign, tb_sbatch_unplanned(i));
		sign = ",";
	}
	return tb_print_stream(stdout, words, &text);
}

static int print_plan(const struct tb_plan_options *options,
		      const struct tb_job_plan *plan)
{
	if (print_answer(plan) ||
	    (options->unplanned && print_unplanned(options->unplanned)) ||
	    (lacks_units(plan) && tb_job_choice_print(&plan->choice, NULL)))
		return tb_command_fail(options->common.name, "out of memory");
	return exit_codes[plan->answer];
}

/* ---- for programs ---- */

static json_t *json_of_placed(const struct tb_job_plan *plan)
{
	json_t *nodes = json_array();

	for (unsigned i = 0; i < plan->nplaced; i++)
		json_array_append_new(nodes,
				      json_pack("{s:s, s:i, s:s}", "node",
						plan->placed[i].node->info->name,
						"tasks",
						(int)plan->placed[i].slots,
						"topology",
						plan->placed[i].grant));
	return nodes;
}

static json_t *json_of_preempted(const struct tb_job_plan *plan)
{
	json_t *jobs = json_array();

	for (unsigned i = 0; i < plan->npreempted; i++) {
		char id[16];

		snprintf(id, sizeof(id), "%u", plan->preempted[i]);
		json_array_append_new(jobs, json_string(id));
	}
	return jobs;
}

static json_t *json_of_unplanned(uint32_t options)
{
	json_t *names = json_array();

	for (unsigned i = 0; i < TB_SBATCH_UNPLANNED_MAX; i++)
		if (options >> i & 1)
			json_array_append_new(names,
					      json_string(
						      tb_sbatch_unplanned(i)));
	return names;
}

static void add_explanation(json_t *json, const struct tb_job_choice *choice)
{
	const struct tb_explanation *explanation = tb_job_choice_soonest(
		choice);
	json_t *alternatives = tb_job_choice_json(choice);
	char *end = tb_explain_end(explanation);

	json_object_set_new(json, "table", tb_explain_rows_json(explanation));
	json_object_set_new(json, "must_end",
			    tb_explain_ended_json(explanation));
	json_object_set_new(json, "summary", json_string(end ? end : ""));
	if (alternatives)
		json_object_set_new(json, "alternatives", alternatives);
	free(end);
}

static int print_plan_json(const struct tb_plan_options *options,
			   const struct tb_job_plan *plan)
{
	static const char *const answers[] = { "now", "later", "later",
					       "never" };
	json_t *json = json_pack(
		"{s:s, s:o, s:s*, s:s*, s:s*, s:o*, s:s*, s:i, s:o, s:o, s:o}",
		"answer", answers[plan->answer], "start",
		plan->start ? json_integer(plan->start) : json_null(),
		"request", plan->site_line ? plan->site_line : options->line,
		"alternative", plan->alternative, "partition", plan->partition,
		"nodes", tb_hosts_to_json(plan->nodes), "reason",
		plan->why_never ? plan->why_never : plan->why_unplaced,
		"waiting_jobs", (int)plan->waiting, "preempts",
		json_of_preempted(plan), "units", json_of_placed(plan),
		"not_heeded", json_of_unplanned(options->unplanned));
	int rc;

	if (json && plan->choice.count && lacks_units(plan))
		add_explanation(json, &plan->choice);
	rc = tb_command_print_json(options->common.name, json);
	json_decref(json);
	return rc ? rc : exit_codes[plan->answer];
}

/* ---- both ---- */

static int explain_and_show(const struct tb_plan_options *options,
			    struct tb_job_plan *plan)
{
	if (tb_job_choice_explain(&plan->choice))
		return tb_command_fail(options->common.name, "out of memory");
	return options->common.json ? print_plan_json(options, plan)
				    : print_plan(options, plan);
}

static int run_plan(struct tb_plan_options *options)
{
	struct tb_error err;
	struct tb_job_plan plan;
	int rc;

	tb_slurm_begin(options->common.name);
	if (tb_job_plan_make(&plan, options, &err))
		rc = tb_command_fail(options->common.name, "%s", err.text);
	else
		rc = explain_and_show(options, &plan);
	if (plan.cluster && !plan.cluster->conf)
		tb_command_fail(options->common.name, "%s",
				plan.cluster->conf_why.text);
	tb_job_plan_clear(&plan);
	tb_slurm_end();
	return rc;
}

int tb_command_plan(int argc, char **argv)
{
	struct tb_plan_options options = { .common.name = argv[0] };
	int rc = TB_EXIT_OK;

	if (tb_plan_options_read(&options, argc, argv))
		rc = TB_EXIT_BAD;
	else if (!options.common.done)
		rc = run_plan(&options);
	tb_plan_options_clear(&options);
	return rc;
}
