/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_soft.c - topobind soft */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "soft_afar.h"
#include "soft_set.h"
#include "soft_status.h"
#include "terminal/wrap.h"

struct options {
	struct tb_command common;
	const char *action;	   /* status, on, off, reset, set */
	const char *node;	   /* NULL: this host */
	struct tb_soft_job target; /* job 0: the node */
	bool confine, tasks, threads;
	const char *counter; /* of reset; NULL: each */
	struct tb_soft_set set;
};

/* ---- options ---- */

static int take_soft_option(void *data, int option, struct tb_error *err)
{
	struct options *options = data;

	(void)err;
	switch (option) {
	case 'c':
		options->confine = true;
		break;
	case 't':
		options->tasks = true;
		break;
	case 'r':
		options->threads = true;
		break;
	case 'o':
		options->counter = optarg;
		break;
	case 'T':
		options->set.threshold = optarg;
		break;
	case 'C':
		options->set.count = optarg;
		break;
	case 'p':
		options->set.cpus = optarg;
		break;
	case 'e':
		options->set.thread = optarg;
		break;
	default:
		options->node = optarg;
	}
	return 0;
}

/* An option that is for one action only. */
static int check_action(const struct options *options, const char *option,
			bool given, const char *action, struct tb_error *err)
{
	if (!given || !strcmp(options->action, action))
		return 0;
	return tb_fail(err, "--%s does not go with \"%.60s\"; it is for \"%s\"",
		       option, options->action, action);
}

static int check_options(const struct options *options, struct tb_error *err)
{
	const struct tb_soft_set *set = &options->set;

	if (check_action(options, "confine", options->confine, "off", err) ||
	    check_action(options, "tasks", options->tasks, "status", err) ||
	    check_action(options, "threads", options->threads, "status", err) ||
	    check_action(options, "counter", options->counter, "reset", err) ||
	    check_action(options, "threshold", set->threshold, "set", err) ||
	    check_action(options, "count", set->count, "set", err) ||
	    check_action(options, "cpus", set->cpus, "set", err) ||
	    check_action(options, "thread", set->thread, "set", err))
		return -1;
	if (options->counter && strcmp(options->counter, "preferred") &&
	    strcmp(options->counter, "allowed") &&
	    strcmp(options->counter, "smoothed"))
		return tb_fail(
			err,
			"--counter=%.60s is not known; allowed: preferred, allowed, smoothed",
			options->counter);
	if (options->target.part.step != TB_SOFT_EACH &&
	    (!strcmp(options->action, "on") || !strcmp(options->action, "off")))
		return tb_fail(
			err,
			"\"%.60s\" is for the node or a whole job; leave out its step",
			options->action);
	return strcmp(options->action, "set")
		       ? 0
		       : tb_soft_set_check(set, &options->target, err);
}

static int take_soft_arguments(void *data, int count, char **words,
			       struct tb_error *err)
{
	static const char *const actions[] = { "status", "on",	"off",
					       "reset",	 "set", NULL };
	struct options *options = data;
	int i = 0;

	options->action = count > 0 ? words[0] : actions[0];
	while (actions[i] && strcmp(actions[i], options->action))
		i++;
	if (!actions[i])
		return tb_fail(
			err,
			"\"%.60s\" is not known; allowed: status, on, off, reset, set",
			options->action);
	if (count > 2)
		return tb_fail(err, "one job at a time, leave out \"%.60s\"",
			       words[2]);
	options->target.part = (struct tb_soft_target){
		.step = TB_SOFT_EACH,
		.task = TB_SOFT_EACH,
	};
	if (count > 1 && tb_soft_job_read(words[1], &options->target, err))
		return -1;
	return check_options(options, err);
}

static const struct tb_command_option own_options[] = {
	{ NULL, "node", "NAME", 'n',
	  "the node's name in slurm.conf [this host's]" },
	{ NULL, "confine", NULL, 'c',
	  "with off: keep tasks on their preferred CPUs" },
	{ NULL, "tasks", NULL, 't',
	  "with status: a row for each task, with its CPUs" },
	{ NULL, "threads", NULL, 'r',
	  "with status, for root: a row for each of their threads" },
	{ NULL, "counter", "NAME", 'o',
	  "with reset: only preferred, allowed or smoothed" },
	{ NULL, "threshold", "PERCENT", 'T',
	  "with set: in place of SoftUtilLowPct, or \"default\"" },
	{ NULL, "count", "job|all", 'C',
	  "with set: in place of SoftCount, or \"default\"" },
	{ NULL, "cpus", "LIST", 'p',
	  "with set: the CPUs that tasks prefer, or \"default\"" },
	{ NULL, "thread", "TID", 'e',
	  "with set --cpus: only this thread of a task" },
	{ 0 },
};
static const struct tb_command_line usage = {
	/* clang-format off */
	.arguments = "[status|on|off|reset|set] [JOB[.STEP[.TASK]]]",
	.purpose = "Soft binding on this node, for root: see and change it.  A user sees an own job.",
	.notes = "status  print the soft-bound steps and their counters [default]\n"
		 "off     tasks may use all allowed CPUs, whatever they prefer; with\n"
		 "        --confine they go back to the preferred CPUs and stay there\n"
		 "on      tasks spread again when their preferred CPUs are busy\n"
		 "reset   set the counters to zero\n"
		 "set     change what running steps, and later ones, heed",
	.exit_codes = "Exit codes: 0 done, 2 bad option, no such job here, or not root.",
	.own = own_options,
	.has_json = true,
	.take = take_soft_option,
	.finish = take_soft_arguments,
	/* clang-format on */
};

/* ---- actions ---- */

static struct tb_soft_status asked_status(const struct options *options)
{
	return (struct tb_soft_status){
		.command = options->common.name,
		.target = options->target,
		.tasks = options->tasks,
		.threads = options->threads,
		.json = options->common.json,
	};
}

static int print_status(const struct options *options,
			struct tb_registry *registry)
{
	const struct tb_soft_status status = asked_status(options);

	return tb_soft_status_print(&status, registry);
}

/* A user of one of his jobs. */
static bool is_users(const struct options *options)
{
	return geteuid() && options->target.job && !options->node &&
	       !options->threads && !strcmp(options->action, "status");
}

static int print_users_status(const struct options *options)
{
	const struct tb_soft_status status = asked_status(options);

	return tb_soft_is_inside()
		       ? tb_soft_inside_print(status.command, &status.target)
		       : tb_soft_status_print_afar(&status);
}

static bool is_reset(const struct options *options, const char *counter)
{
	return !options->counter || !strcmp(options->counter, counter);
}

/* Where the kernel counts, the step sets that to zero, too. */
static void reset_task(const struct options *options, struct tb_soft_task *task)
{
	unsigned reset = 0;

	if (is_reset(options, "preferred")) {
		task->preferred = 0;
		reset |= TB_SOFT_RESET_PREFERRED;
	}
	if (is_reset(options, "allowed")) {
		task->allowed = 0;
		reset |= TB_SOFT_RESET_ALLOWED;
	}
	if (is_reset(options, "smoothed")) {
		task->smoothed = 0;
		reset |= TB_SOFT_RESET_SMOOTHED;
	}
	task->reset |= (uint16_t)reset;
}

static int reset_step(struct tb_soft_state *state, bool alive, void *data)
{
	const struct options *options = data;

	for (unsigned i = 0; alive && i < state->tasks; i++)
		if (tb_soft_job_has_task(&options->target, state,
					 &state->task[i]))
			reset_task(options, &state->task[i]);
	return 0;
}

static int reset_counters(struct options *options, struct tb_registry *registry)
{
	if (tb_soft_node_each(registry, TB_SOFT_CHANGE, reset_step, options) <
	    0)
		return tb_command_fail(options->common.name,
				       "the soft-bound steps cannot be read");
	return TB_EXIT_OK;
}

/* Has it any of the tasks that are meant? */
static int is_meant(struct tb_soft_state *state, bool alive, void *data)
{
	const struct tb_soft_job *target = data;

	for (unsigned i = 0; alive && i < state->tasks; i++)
		if (tb_soft_job_has_task(target, state, &state->task[i]))
			return 2;
	return 0;
}

static int switch_mode(const struct options *options,
		       struct tb_registry *registry, enum tb_soft_mode mode)
{
	struct tb_error err;
	int rc = tb_registry_switch(registry, options->target.job, mode, &err);

	return rc ? tb_command_fail(options->common.name, "%s", err.text)
		  : TB_EXIT_OK;
}

static int set_values(const struct options *options,
		      struct tb_registry *registry)
{
	struct tb_error err, note;

	if (tb_soft_set_run(registry, &options->set, &options->target, &note,
			    &err))
		return tb_command_fail(options->common.name, "%s", err.text);
	if (note.text[0])
		tb_print_sentence(stderr, "%s", note.text);
	return TB_EXIT_OK;
}

/* "on" also takes back what was said of steps that have ended. */
static int run_action(struct options *options, struct tb_registry *registry)
{
	const char *action = options->action;

	if (options->target.job && strcmp(action, "on") &&
	    tb_soft_node_each(registry, TB_SOFT_LOOK, is_meant,
			      &options->target) != 2)
		return tb_command_fail(
			options->common.name,
			options->target.part.step == TB_SOFT_EACH
				? "job %u has no soft-bound step on this node"
				: "job %u has no such soft-bound step or task on this node",
			options->target.job);
	if (!strcmp(action, "status"))
		return print_status(options, registry);
	if (!strcmp(action, "reset"))
		return reset_counters(options, registry);
	if (!strcmp(action, "set"))
		return set_values(options, registry);
	if (!strcmp(action, "on"))
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
	if (is_users(&options))
		return print_users_status(&options);
	registry = tb_soft_node_open(options.common.name, options.node);
	if (!registry)
		return TB_EXIT_BAD;
	rc = run_action(&options, registry);
	tb_registry_close(registry);
	return rc;
}
