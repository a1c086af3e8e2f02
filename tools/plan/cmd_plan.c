/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_plan.c - topobind plan */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "core/base/text.h"
#include "explain.h"
#include "cluster/hosts.h"
#include "plan.h"
#include "sbatch_options.h"
#include "cluster/slurm_library.h"

static const int exit_codes[] = {
	[TB_JOB_PLAN_NOW] = TB_EXIT_OK,
	[TB_JOB_PLAN_LATER] = TB_EXIT_NO_FIT,
	[TB_JOB_PLAN_WAITS] = TB_EXIT_NO_FIT,
	[TB_JOB_PLAN_NEVER] = TB_EXIT_BAD,
};

/* ---- for people ---- */

static void print_preempted(const struct tb_job_plan *plan)
{
	if (!plan->npreempted)
		return;
	fputs("by preempting jobs", stdout);
	for (unsigned i = 0; i < plan->npreempted; i++)
		printf("%s %u", i ? "," : "", plan->preempted[i]);
	putchar('\n');
}

static void print_units(const struct tb_job_plan *plan)
{
	for (unsigned i = 0; i < plan->nplaced; i++)
		printf("%s  %u %s  %s\n", plan->placed[i].node->info->name,
		       plan->placed[i].slots,
		       tb_count_word(plan->placed[i].slots, "task", "tasks"),
		       plan->placed[i].grant);
}

static void print_answer(const struct tb_job_plan *plan)
{
	char text[TB_TIME_SIZE];

	tb_explain_time(plan->start, text);
	if (plan->answer == TB_JOB_PLAN_NEVER)
		printf("never: %s\n", plan->why_never);
	else if (plan->answer == TB_JOB_PLAN_WAITS)
		printf("not now: %s\n", plan->why_never);
	else if (plan->answer == TB_JOB_PLAN_NOW)
		printf("now, in partition %s, on %s%s%s\n", plan->partition,
		       plan->nodes, plan->alternative ? ", with " : "",
		       plan->alternative ? plan->alternative : "");
	else
		printf("not now: at %s, in partition %s, on %s\n", text,
		       plan->partition, plan->nodes);
	print_preempted(plan);
	if (plan->waiting)
		printf("Slurm adds this time for %u %s waiting there; if none of them starts first, the job gets now:\n",
		       plan->waiting,
		       tb_count_word(plan->waiting, "job", "jobs"));
	if (plan->why_unplaced)
		printf("topobind does not know which units: %s\n",
		       plan->why_unplaced);
	print_units(plan);
}

/* Are there no units now? */
static bool lacks_units(const struct tb_job_plan *plan)
{
	return plan->answer != TB_JOB_PLAN_NOW && !plan->waiting;
}

/* Options that sbatch would heed. */
static void print_unplanned(uint32_t options)
{
	const char *sign = "the plan does not heed";

	for (unsigned i = 0; i < TB_SBATCH_UNPLANNED_MAX; i++) {
		if (!(options >> i & 1))
			continue;
		printf("%s --%s", sign, tb_sbatch_unplanned(i));
		sign = ",";
	}
	if (options)
		putchar('\n');
}

static int print_plan(const struct tb_plan_options *options,
		      const struct tb_job_plan *plan)
{
	print_answer(plan);
	print_unplanned(options->unplanned);
	if (lacks_units(plan) && tb_job_choice_print(&plan->choice, NULL))
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
		"request", options->line, "alternative", plan->alternative,
		"partition", plan->partition, "nodes",
		tb_hosts_to_json(plan->nodes), "reason",
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
