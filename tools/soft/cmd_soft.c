/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_soft.c - topobind soft */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/slurm_types.h"

#include "common/soft/soft_state.h"

#include "command.h"
#include "soft_node.h"
#include "table/table.h"
#include "terminal/wrap.h"

struct options {
	struct tb_command common;
	const char *action; /* status, on, off, reset */
	const char *node;   /* NULL: this host */
	uint32_t job;	    /* 0: the node */
	bool confine;
};

/* ---- options ---- */

static int take_soft_option(void *data, int option, struct tb_error *err)
{
	struct options *options = data;

	(void)err;
	if (option == 'c')
		options->confine = true;
	else
		options->node = optarg;
	return 0;
}

static int take_job(struct options *options, const char *text,
		    struct tb_error *err)
{
	char *end;
	unsigned long job = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || !job || job >= NO_VAL)
		return tb_fail(
			err,
			"\"%.60s\" is not a job id; write its number, such as 123",
			text);
	options->job = (uint32_t)job;
	return 0;
}

static int take_soft_arguments(void *data, int count, char **words,
			       struct tb_error *err)
{
	static const char *const actions[] = { "status", "on", "off", "reset",
					       NULL };
	struct options *options = data;
	int i = 0;

	options->action = count > 0 ? words[0] : actions[0];
	while (actions[i] && strcmp(actions[i], options->action))
		i++;
	if (!actions[i])
		return tb_fail(
			err,
			"\"%.60s\" is not known; allowed: status, on, off, reset",
			options->action);
	if (options->confine && strcmp(options->action, "off"))
		return tb_fail(
			err,
			"--confine does not go with \"%.60s\"; it is for \"off\"",
			options->action);
	if (count > 2)
		return tb_fail(err, "one job at a time, leave out \"%.60s\"",
			       words[2]);
	return count > 1 ? take_job(options, words[1], err) : 0;
}

static const struct tb_command_option own_options[] = {
	{ NULL, "node", "NAME", 'n',
	  "the node's name in slurm.conf [this host's]" },
	{ NULL, "confine", NULL, 'c',
	  "with off: keep tasks on their preferred CPUs" },
	{ 0 },
};
static const struct tb_command_line usage = {
	/* clang-format off */
	.arguments = "[status|on|off|reset] [JOB]",
	.purpose = "Soft binding on this node, for root: see the steps that spread, switch spreading off and on, for the node or for one job, set counters to zero.",
	.notes = "status  print the soft-bound steps and their counters [default]\n"
		 "off     tasks may use all allowed CPUs, whatever they prefer; with\n"
		 "        --confine they go back to the preferred CPUs and stay there\n"
		 "on      tasks spread again when their preferred CPUs are busy\n"
		 "reset   set the counters to zero",
	.exit_codes = "Exit codes: 0 done, 2 bad option, no such job here, or not root.",
	.own = own_options,
	.has_json = true,
	.take = take_soft_option,
	.finish = take_soft_arguments,
	/* clang-format on */
};

/* ---- actions ---- */

struct visit {
	const struct options *options;
	struct tb_registry *registry;
	bool reset;
	json_t *steps;
};

static const char *name_mode(const struct visit *visit,
			     const struct tb_soft_state *state)
{
	enum tb_soft_mode mode = tb_registry_mode(visit->registry, state->job);

	if (mode != TB_SOFT_ON)
		return tb_soft_mode_name(mode);
	if (state->paused)
		return "suspended";
	return state->native ? "kernel" : "on";
}

static void add_state(const struct visit *visit,
		      const struct tb_soft_state *state)
{
	char name[TB_STEP_NAME_SIZE];

	tb_soft_step_name(state, name);
	json_array_append_new(visit->steps,
			      json_pack("{s:s, s:s, s:i, s:i, s:I, s:I, s:I, s:I}",
					"step", name, "soft",
					name_mode(visit, state), "tasks",
					(int)state->tasks, "spread",
					(int)state->spread, "preferred",
					(json_int_t)state->preferred, "allowed",
					(json_int_t)state->allowed, "smoothed",
					(json_int_t)state->smoothed, "cost_us",
					(json_int_t)state->cost_us));
}

static int visit_step(struct tb_soft_state *state, bool alive, void *data)
{
	struct visit *visit = data;

	if (!alive ||
	    (visit->options->job && visit->options->job != state->job))
		return 0;
	if (visit->reset) {
		state->preferred = 0;
		state->allowed = 0;
		state->smoothed = 0;
	} else {
		add_state(visit, state);
	}
	return 0;
}

/* -1: an error was printed. */
static int visit_steps(struct visit *visit)
{
	const struct options *options = visit->options;

	if (tb_soft_node_each(visit->registry,
			      visit->reset ? TB_SOFT_CHANGE : TB_SOFT_LOOK,
			      visit_step, visit) < 0) {
		tb_command_fail(options->common.name,
				"the soft-bound steps cannot be read");
		return -1;
	}
	return 0;
}

enum { STEP, SOFT, TASKS, SPREAD, PREFERRED, ALLOWED, SMOOTHED, COLUMNS };

/* The names are those of the JSON, too. */
static const struct tb_column columns[COLUMNS] = {
	[STEP] = { '\0', "step", "STEP", false },
	[SOFT] = { '\0', "soft", "SOFT", false },
	[TASKS] = { '\0', "tasks", "TASKS", true },
	[SPREAD] = { '\0', "spread", "SPREAD", true },
	[PREFERRED] = { '\0', "preferred", "PREFERRED", true },
	[ALLOWED] = { '\0', "allowed", "ALLOWED", true },
	[SMOOTHED] = { '\0', "smoothed", "SMOOTHED", true },
};

static void print_cell(const void *row, unsigned column, FILE *out)
{
	const json_t *const *step = row;
	const json_t *value = json_object_get(*step, columns[column].name);

	if (json_is_string(value))
		fputs(json_string_value(value), out);
	else
		fprintf(out, "%lld", (long long)json_integer_value(value));
}

static const struct tb_table_kind kind = {
	.columns = columns,
	.ncolumns = COLUMNS,
	.print = print_cell,
};

static int print_steps(const json_t *steps)
{
	size_t count = json_array_size(steps);
	const json_t **rows = calloc(count + 1, sizeof(*rows));
	int rc = rows ? 0 : -1;

	for (size_t i = 0; rows && i < count; i++)
		rows[i] = json_array_get(steps, i);
	if (rows && count)
		rc = tb_table_print_names(
			&kind,
			"step,soft,tasks,spread,preferred,allowed,smoothed",
			rows, sizeof(*rows), (unsigned)count, true, stdout);
	free(rows);
	return rc;
}

static int print_status_text(const struct options *options,
			     enum tb_soft_mode mode, const json_t *steps)
{
	tb_print_sentence(stdout, "soft binding is %s on this node",
			  tb_soft_mode_name(mode));
	return print_steps(steps)
		       ? tb_command_fail(options->common.name, "out of memory")
		       : TB_EXIT_OK;
}

static int print_status_json(const struct options *options,
			     enum tb_soft_mode mode, json_t *steps)
{
	json_t *all = json_pack("{s:b, s:s, s:O}", "on", mode == TB_SOFT_ON,
				"mode", tb_soft_mode_name(mode), "steps",
				steps);
	int rc = tb_command_print_json(options->common.name, all);

	json_decref(all);
	return rc;
}

static int print_status(const struct options *options,
			struct tb_registry *registry)
{
	struct visit visit = { .options = options,
			       .registry = registry,
			       .steps = json_array() };
	enum tb_soft_mode mode = tb_registry_mode(registry, 0);
	int rc = TB_EXIT_BAD;

	if (!visit_steps(&visit))
		rc = options->common.json
			     ? print_status_json(options, mode, visit.steps)
			     : print_status_text(options, mode, visit.steps);
	json_decref(visit.steps);
	return rc;
}

static int reset_counters(const struct options *options,
			  struct tb_registry *registry)
{
	struct visit visit = { .options = options,
			       .registry = registry,
			       .reset = true };

	return visit_steps(&visit) < 0 ? TB_EXIT_BAD : TB_EXIT_OK;
}

static int is_of_job(struct tb_soft_state *state, bool alive, void *data)
{
	const uint32_t *job = data;

	return alive && state->job == *job ? 2 : 0;
}

static int switch_mode(const struct options *options,
		       struct tb_registry *registry, enum tb_soft_mode mode)
{
	struct tb_error err;
	int rc = tb_registry_switch(registry, options->job, mode, &err);

	return rc ? tb_command_fail(options->common.name, "%s", err.text)
		  : TB_EXIT_OK;
}

/* "on" also takes back what was said of steps that have ended. */
static int run_action(const struct options *options,
		      struct tb_registry *registry)
{
	uint32_t job = options->job;

	if (job && strcmp(options->action, "on") &&
	    tb_soft_node_each(registry, TB_SOFT_LOOK, is_of_job, &job) != 2)
		return tb_command_fail(options->common.name,
				       "job %u has no soft-bound step on this node",
				       job);
	if (!strcmp(options->action, "status"))
		return print_status(options, registry);
	if (!strcmp(options->action, "reset"))
		return reset_counters(options, registry);
	if (!strcmp(options->action, "on"))
		return switch_mode(options, registry, TB_SOFT_ON);
	return switch_mode(options, registry,
			   options->confine ? TB_SOFT_CONFINED : TB_SOFT_OFF);
}

int tb_command_soft(int argc, char **argv)
{
	struct options options = { .common.name = argv[0] };
	struct tb_registry *registry;
	int rc;

	if (tb_command_read(&options.common, &usage, argc, argv, &options))
		return TB_EXIT_BAD;
	if (options.common.done)
		return TB_EXIT_OK;
	registry = tb_soft_node_open(options.common.name, options.node);
	if (!registry)
		return TB_EXIT_BAD;
	rc = run_action(&options, registry);
	tb_registry_close(registry);
	return rc;
}
