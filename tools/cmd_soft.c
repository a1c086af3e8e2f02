/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_soft.c - topobind soft */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/slurm_types.h"

#include "common/soft_state.h"

#include "command.h"
#include "soft_node.h"

struct options {
	struct tb_command common;
	const char *action; /* status, on, off, reset */
	const char *node;   /* NULL: this host */
	uint32_t job;	    /* 0: the node */
};

static void print_help(void)
{
	puts("Usage: topobind soft [OPTION...] [status|on|off|reset] [JOB]\n"
	     "\n"
	     "Soft binding on this node, as root: look at the steps that spread, switch\n"
	     "spreading off and on, for the node or for one job, set counters to zero.\n"
	     "\n"
	     "  status       the soft-bound steps and their counters [default]\n"
	     "  off, on      tasks go back to their preferred CPUs and stay; may spread again\n"
	     "  reset        set the counters to zero\n"
	     "  --node NAME  the node's name in slurm.conf [this host's]\n"
	     "  --json, --help, --version\n"
	     "\n"
	     "Exit codes: 0 done, 2 bad option, no such job here, or not root.");
}

/* ---- options ---- */

static int take_option(void *data, int option, struct tb_error *err)
{
	struct options *options = data;

	(void)option, (void)err;
	options->node = optarg;
	return 0;
}

static int take_job(struct options *options, const char *text,
		    struct tb_error *err)
{
	char *end;
	unsigned long job = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || !job || job >= NO_VAL)
		return tb_fail(err, "\"%.60s\" is not a job id; write its number, such as 123",
			       text);
	options->job = (uint32_t)job;
	return 0;
}

static int finish(void *data, int count, char **words, struct tb_error *err)
{
	static const char *const actions[] = {
		"status", "on", "off", "reset", NULL
	};
	struct options *options = data;
	int i = 0;

	options->action = count > 0 ? words[0] : actions[0];
	while (actions[i] && strcmp(actions[i], options->action))
		i++;
	if (!actions[i])
		return tb_fail(err, "\"%.60s\" is not known; allowed: status, on, off, reset",
			       options->action);
	if (count > 2)
		return tb_fail(err, "one job at a time, leave out \"%.60s\"",
			       words[2]);
	return count > 1 ? take_job(options, words[1], err) : 0;
}

static const struct option own_options[] = {
	{ "node", required_argument, NULL, 'n' },
	{ NULL, 0, NULL, 0 },
};
static const struct tb_command_line usage = {
	.own = own_options,
	.has_json = true,
	.print_help = print_help,
	.take = take_option,
	.finish = finish,
};

/* ---- actions ---- */

struct looker {
	const struct options *options;
	struct tb_registry *registry;
	bool reset;
	unsigned seen;
	json_t *steps; /* NULL: a table is printed */
};

static const char *name_mode(const struct looker *looker,
			     const struct tb_soft_state *state)
{
	if (tb_registry_is_off(looker->registry, state->job))
		return "off";
	if (state->paused)
		return "suspended";
	return state->native ? "kernel" : "on";
}

static void print_state(const struct looker *looker,
			const struct tb_soft_state *state)
{
	char name[TB_STEP_NAME_SIZE];

	tb_soft_step_name(state, name);
	if (looker->seen == 1)
		printf("%-18s %-9s %6s %6s %10s %10s %10s\n", "STEP", "SOFT",
		       "TASKS", "SPREAD", "PREFERRED", "ALLOWED", "SMOOTHED");
	printf("%-18s %-9s %6u %6u %10llu %10llu %10llu\n", name,
	       name_mode(looker, state), state->tasks, state->spread,
	       (unsigned long long)state->preferred,
	       (unsigned long long)state->allowed,
	       (unsigned long long)state->smoothed);
}

static void add_state(const struct looker *looker,
		      const struct tb_soft_state *state)
{
	char name[TB_STEP_NAME_SIZE];

	tb_soft_step_name(state, name);
	json_array_append_new(
		looker->steps,
		json_pack("{s:s, s:s, s:i, s:i, s:I, s:I, s:I, s:I}", "step",
			  name, "soft", name_mode(looker, state), "tasks",
			  (int)state->tasks, "spread", (int)state->spread,
			  "preferred", (json_int_t)state->preferred, "allowed",
			  (json_int_t)state->allowed, "smoothed",
			  (json_int_t)state->smoothed, "cost_us",
			  (json_int_t)state->cost_us));
}

static int look_at(struct tb_soft_state *state, bool alive, void *data)
{
	struct looker *looker = data;

	if (!alive || (looker->options->job &&
		       looker->options->job != state->job))
		return 0;
	looker->seen++;
	if (looker->reset) {
		state->preferred = 0;
		state->allowed = 0;
		state->smoothed = 0;
	} else if (looker->steps) {
		add_state(looker, state);
	} else {
		print_state(looker, state);
	}
	return 0;
}

/* -1: an error was printed. */
static int look(struct looker *looker)
{
	const struct options *options = looker->options;

	if (tb_soft_node_each(looker->registry, look_at, looker) < 0) {
		tb_command_fail(options->common.name, "the soft-bound steps cannot be read");
		return -1;
	}
	return 0;
}

static int print_status(const struct options *options,
			struct tb_registry *registry)
{
	struct looker looker = { .options = options, .registry = registry };
	bool off = tb_registry_is_off(registry, 0);
	int rc;

	if (options->common.json)
		looker.steps = json_array();
	else
		printf("soft binding is %s on this node\n", off ? "off" : "on");
	rc = look(&looker);
	if (rc >= 0 && options->common.json) {
		json_t *all = json_pack("{s:b, s:O}", "on", !off, "steps",
					looker.steps);

		rc = tb_command_print_json(options->common.name, all);
		json_decref(all);
	}
	json_decref(looker.steps);
	return rc < 0 ? TB_EXIT_BAD : TB_EXIT_OK;
}

static int reset(const struct options *options, struct tb_registry *registry)
{
	struct looker looker = { .options = options, .registry = registry,
				 .reset = true };

	return look(&looker) < 0 ? TB_EXIT_BAD : TB_EXIT_OK;
}

static int is_there(struct tb_soft_state *state, bool alive, void *data)
{
	const uint32_t *job = data;

	return alive && state->job == *job ? 2 : 0;
}

static int turn(const struct options *options, struct tb_registry *registry,
		bool on)
{
	struct tb_error err;
	int rc = tb_registry_switch(registry, options->job, on, &err);

	return rc ? tb_command_fail(options->common.name, "%s", err.text) :
		    TB_EXIT_OK;
}

/* "on" also takes back what was said of steps that have ended. */
static int act(const struct options *options, struct tb_registry *registry)
{
	uint32_t job = options->job;

	if (job && strcmp(options->action, "on") &&
	    tb_soft_node_each(registry, is_there, &job) != 2)
		return tb_command_fail(options->common.name, "job %u has no soft-bound step on this node",
				       job);
	if (!strcmp(options->action, "status"))
		return print_status(options, registry);
	if (!strcmp(options->action, "reset"))
		return reset(options, registry);
	return turn(options, registry, !strcmp(options->action, "on"));
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
	rc = act(&options, registry);
	tb_registry_close(registry);
	return rc;
}
