/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_plan.c - topobind plan */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "explain.h"
#include "plan.h"
#include "slurm_library.h"

static const int exit_codes[] = {
	[TB_PLAN_NOW] = TB_EXIT_OK,
	[TB_PLAN_LATER] = TB_EXIT_NO_FIT,
	[TB_PLAN_NEVER] = TB_EXIT_BAD,
};

/* ---- for people ---- */

static void print_preempted(const struct tb_plan *plan)
{
	if (!plan->npreempted)
		return;
	fputs("by preempting jobs", stdout);
	for (unsigned i = 0; i < plan->npreempted; i++)
		printf("%s %u", i ? "," : "", plan->preempted[i]);
	putchar('\n');
}

static void print_units(const struct tb_plan *plan)
{
	for (unsigned i = 0; i < plan->nplaced; i++)
		printf("%s  %u task%s  %s\n",
		       plan->placed[i].node->info->name,
		       plan->placed[i].slots,
		       plan->placed[i].slots == 1 ? "" : "s",
		       plan->placed[i].grant);
}

static void print_answer(const struct tb_plan *plan)
{
	char text[TB_TIME_SIZE];

	tb_explain_time(plan->start, text);
	if (plan->answer == TB_PLAN_NEVER)
		printf("never: %s\n", plan->why_never);
	else if (plan->answer == TB_PLAN_NOW)
		printf("now, in partition %s, on %s\n", plan->partition,
		       plan->nodes);
	else
		printf("not now: at %s, in partition %s, on %s\n", text,
		       plan->partition, plan->nodes);
	print_preempted(plan);
	if (plan->waiting)
		printf("that is Slurm's guess for %u job%s waiting there; if none of them comes first, now:\n",
		       plan->waiting, plan->waiting == 1 ? "" : "s");
	if (plan->why_unplaced)
		printf("which units cannot be told: %s\n", plan->why_unplaced);
	print_units(plan);
}

static void print_explanation(const struct tb_explanation *explanation,
			      const char *wish, const char *end)
{
	printf("it asks for %s\n\n", wish);
	tb_explain_table(explanation, stdout);
	printf("\n%s\n", end);
}

/* Are there no units now? */
static bool lacks_units(const struct tb_plan *plan)
{
	return plan->answer != TB_PLAN_NOW && !plan->waiting;
}

static int print_plan(const struct tb_plan *plan,
		      const struct tb_explanation *explanation,
		      const char *wish, const char *end)
{
	print_answer(plan);
	if (explanation && lacks_units(plan))
		print_explanation(explanation, wish, end);
	return exit_codes[plan->answer];
}

/* ---- for programs ---- */

static json_t *json_of_placed(const struct tb_plan *plan)
{
	json_t *nodes = json_array();

	for (unsigned i = 0; i < plan->nplaced; i++)
		json_array_append_new(nodes, json_pack("{s:s, s:i, s:s}",
			"node", plan->placed[i].node->info->name,
			"tasks", (int)plan->placed[i].slots,
			"topology", plan->placed[i].grant));
	return nodes;
}

static json_t *json_of_preempted(const struct tb_plan *plan)
{
	json_t *jobs = json_array();

	for (unsigned i = 0; i < plan->npreempted; i++)
		json_array_append_new(jobs, json_integer(plan->preempted[i]));
	return jobs;
}

static void add_explanation(json_t *json,
			    const struct tb_explanation *explanation,
			    const char *end)
{
	json_object_set_new(json, "table", tb_explain_rows_json(explanation));
	json_object_set_new(json, "must_end",
			    tb_explain_ended_json(explanation));
	json_object_set_new(json, "summary", json_string(end));
}

static int print_json(const struct tb_plan_options *options,
		      const struct tb_plan *plan,
		      const struct tb_explanation *explanation,
		      const char *end)
{
	static const char *const answers[] = { "now", "later", "never" };
	json_t *json = json_pack(
		"{s:s, s:o, s:s*, s:s*, s:s*, s:s*, s:i, s:o, s:o}", "answer",
		answers[plan->answer], "start",
		plan->start ? json_integer(plan->start) : json_null(),
		"request", options->line, "partition", plan->partition,
		"nodes", plan->nodes, "reason",
		plan->why_never ? plan->why_never : plan->why_unplaced, "waiting",
		(int)plan->waiting, "preempts",
		json_of_preempted(plan), "units", json_of_placed(plan));
	int rc;

	if (json && explanation && lacks_units(plan))
		add_explanation(json, explanation, end);
	rc = tb_command_print_json(options->common.name, json);
	json_decref(json);
	return rc ? rc : exit_codes[plan->answer];
}

/* ---- both ---- */

static int show(const struct tb_plan_options *options,
		const struct tb_plan *plan,
		const struct tb_explanation *explanation)
{
	char *wish = NULL, *end = NULL;
	int rc;

	if (explanation) {
		wish = tb_explain_wish(&options->wish);
		end = tb_explain_end(explanation);
	}
	if (explanation && (!wish || !end))
		rc = tb_command_fail(options->common.name, "out of memory");
	else if (options->common.json)
		rc = print_json(options, plan, explanation, end);
	else
		rc = print_plan(plan, explanation, wish, end);
	free(wish);
	free(end);
	return rc;
}

static int explain_and_show(const struct tb_plan_options *options,
			    const struct tb_plan *plan)
{
	struct tb_explanation explanation;
	int rc;

	if (!plan->scene)
		return show(options, plan, NULL);
	if (tb_explanation_make(&explanation, plan->scene))
		rc = tb_command_fail(options->common.name, "out of memory");
	else
		rc = show(options, plan, &explanation);
	tb_explanation_clear(&explanation);
	return rc;
}

static int run(struct tb_plan_options *options)
{
	struct tb_error err;
	struct tb_plan plan;
	int rc;

	tb_slurm_begin(options->common.name);
	if (tb_plan_make(&plan, options, &err))
		rc = tb_command_fail(options->common.name, "%s", err.text);
	else
		rc = explain_and_show(options, &plan);
	tb_plan_clear(&plan);
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
		rc = run(&options);
	tb_plan_options_clear(&options);
	return rc;
}
