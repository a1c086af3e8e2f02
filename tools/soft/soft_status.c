/* SPDX-License-Identifier: GPL-2.0-or-later */
/* soft_status.c - see soft_status.h */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "soft_afar.h"
#include "soft_status.h"
#include "soft_threads.h"
#include "table/table.h"
#include "terminal/wrap.h"

struct visit {
	const struct tb_soft_status *status;
	struct tb_registry *registry;
	json_t *steps;
	struct tb_soft_processes *processes; /* NULL: threads are not asked for */
};

/* ---- JSON ---- */

static const char *name_mode(const struct visit *visit,
			     const struct tb_soft_state *state)
{
	enum tb_soft_mode mode = tb_registry_mode(visit->registry, state->job);

	if (state->site_off)
		return tb_soft_mode_name(TB_SOFT_CONFINED);
	if (mode != TB_SOFT_ON)
		return tb_soft_mode_name(mode);
	if (state->paused)
		return "suspended";
	return state->native ? "kernel" : "on";
}

static void add_cpus(const struct visit *visit,
		     const struct tb_soft_state *state, unsigned task,
		     json_t *row)
{
	char *now = tb_soft_cpus_now(state->task[task].pid);
	struct tb_soft_cpus cpus;

	if (tb_soft_find_cpus(visit->registry, state, task, &cpus)) {
		json_object_set_new(row, "preferred_cpus",
				    tb_command_json_set(cpus.preferred));
		json_object_set_new(row, "allowed_cpus",
				    tb_command_json_set(cpus.allowed));
	}
	tb_soft_cpus_clear(&cpus);
	json_object_set_new(row, "cpus", json_string(now ? now : ""));
	free(now);
}

static void add_what_threads_prefer(const struct tb_soft_state *state,
				    const struct tb_soft_settings *settings,
				    const struct tb_soft_cpus *cpus,
				    json_t *threads)
{
	struct tb_bitset *preferred = tb_bitset_create(TB_REGISTRY_CPUS);
	json_t *row;
	size_t i;

	json_array_foreach(threads, i, row)
	{
		const struct tb_thread_id thread = {
			(pid_t)json_integer_value(
				json_object_get(row, "thread")),
			(uint64_t)json_integer_value(
				json_object_get(row, "started")),
		};

		if (!preferred)
			break;
		tb_soft_find_thread_cpus(settings, state, cpus, &thread,
					 preferred);
		json_object_set_new(row, "preferred_cpus",
				    tb_command_json_set(preferred));
	}
	tb_bitset_destroy(preferred);
}

static void add_threads(const struct visit *visit,
			const struct tb_soft_state *state, unsigned task,
			json_t *row)
{
	struct tb_soft_settings settings;
	struct tb_soft_cgroup cgroup;
	struct tb_soft_cpus cpus;
	json_t *threads = NULL;

	if (tb_soft_task_cgroup(state, task, &cgroup))
		threads = tb_soft_threads(visit->processes, cgroup.path);
	tb_soft_cgroup_clear(&cgroup);
	if (!threads)
		return;
	if (tb_soft_find_cpus(visit->registry, state, task, &cpus) &&
	    !tb_soft_settings_read(visit->registry, state->job, &settings,
				   NULL)) {
		add_what_threads_prefer(state, &settings, &cpus, threads);
		tb_soft_settings_clear(&settings);
	}
	tb_soft_cpus_clear(&cpus);
	json_object_set_new(row, "each_thread", threads);
}

static json_t *describe_task(const struct visit *visit,
			     const struct tb_soft_state *state, unsigned i)
{
	const struct tb_soft_task *task = &state->task[i];
	json_t *row = json_pack("{s:i, s:i, s:b, s:I, s:I, s:I}", "task",
				(int)task->id, "pid", (int)task->pid, "spread",
				(int)task->spread, "preferred",
				(json_int_t)task->preferred, "allowed",
				(json_int_t)task->allowed, "smoothed",
				(json_int_t)task->smoothed);

	add_cpus(visit, state, i, row);
	if (visit->processes)
		add_threads(visit, state, i, row);
	return row;
}

static json_t *describe_tasks(const struct visit *visit,
			      const struct tb_soft_state *state)
{
	json_t *tasks = json_array();

	for (unsigned i = 0; i < state->tasks; i++)
		if (tb_soft_job_has_task(&visit->status->target, state,
					 &state->task[i]))
			json_array_append_new(tasks,
					      describe_task(visit, state, i));
	return tasks;
}

static int add_step(struct tb_soft_state *state, bool alive, void *data)
{
	struct visit *visit = data;
	struct tb_soft_counts counts = tb_soft_state_counts(state);
	char name[TB_STEP_NAME_SIZE];
	json_t *step;

	if (!alive || !tb_soft_job_has_step(&visit->status->target, state))
		return 0;
	tb_soft_step_name(state, name);
	step = json_pack("{s:s, s:s, s:i, s:i, s:I, s:I, s:I, s:I}", "step",
			 name, "soft", name_mode(visit, state), "tasks",
			 (int)state->tasks, "spread",
			 (int)tb_soft_state_spread(state), "preferred",
			 (json_int_t)counts.preferred, "allowed",
			 (json_int_t)counts.allowed, "smoothed",
			 (json_int_t)counts.smoothed, "cost_us",
			 (json_int_t)state->cost_us);
	if (visit->status->tasks || visit->status->threads)
		json_object_set_new(step, "each_task",
				    describe_tasks(visit, state));
	json_array_append_new(visit->steps, step);
	return 0;
}

/* ---- tables ---- */

static void print_value(const json_t *value, FILE *out)
{
	if (json_is_string(value))
		fputs(json_string_value(value), out);
	else if (json_is_boolean(value))
		fputs(json_is_true(value) ? "yes" : "no", out);
	else
		fprintf(out, "%lld", (long long)json_integer_value(value));
}

enum { NODE, STEP, SOFT, TASKS, SPREAD, PREFERRED, ALLOWED, SMOOTHED, COLUMNS };

/* The names are those of the JSON, too. */
static const struct tb_column columns[COLUMNS] = {
	[NODE] = { '\0', "node", "NODE", false },
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

	print_value(json_object_get(*step, columns[column].name), out);
}

static const struct tb_table_kind kind = {
	.columns = columns,
	.ncolumns = COLUMNS,
	.print = print_cell,
};

/* A task's name begins with that of its step. */
struct task_row {
	const json_t *step, *task;
};

enum {
	TASK_NODE,
	TASK,
	TASK_SPREAD,
	PREFERRED_CPUS,
	ALLOWED_CPUS,
	CPUS,
	TASK_PREFERRED,
	TASK_ALLOWED,
	TASK_SMOOTHED,
	TASK_COLUMNS
};

static const struct tb_column task_columns[TASK_COLUMNS] = {
	[TASK_NODE] = { '\0', "node", "NODE", false },
	[TASK] = { '\0', "task", "TASK", false },
	[TASK_SPREAD] = { '\0', "spread", "SPREAD", false },
	[PREFERRED_CPUS] = { '\0', "preferred_cpus", "PREFERS", false },
	[ALLOWED_CPUS] = { '\0', "allowed_cpus", "MAY HAVE", false },
	[CPUS] = { '\0', "cpus", "HAS", false },
	[TASK_PREFERRED] = { '\0', "preferred", "PREFERRED", true },
	[TASK_ALLOWED] = { '\0', "allowed", "ALLOWED", true },
	[TASK_SMOOTHED] = { '\0', "smoothed", "SMOOTHED", true },
};

static void print_task_cell(const void *data, unsigned column, FILE *out)
{
	const struct task_row *row = data;

	if (column == TASK)
		fprintf(out, "%s.",
			json_string_value(json_object_get(row->step, "step")));
	print_value(json_object_get(column == TASK_NODE ? row->step : row->task,
				    task_columns[column].name),
		    out);
}

static const struct tb_table_kind task_kind = {
	.columns = task_columns,
	.ncolumns = TASK_COLUMNS,
	.print = print_task_cell,
};

/* Rows from several nodes say which. */
static const char *choose_names(const json_t *steps, const char *names)
{
	const json_t *first = json_array_get(steps, 0);
	const char *node = "node,";

	return json_object_get(first, "node") ? names : names + strlen(node);
}

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
			choose_names(
				steps,
				"node,step,soft,tasks,spread,preferred,allowed,smoothed"),
			rows, sizeof(*rows), (unsigned)count, true, stdout);
	free(rows);
	return rc;
}

static size_t count_tasks(const json_t *steps)
{
	size_t count = 0, i;
	const json_t *step;

	json_array_foreach(steps, i, step)
		count += json_array_size(json_object_get(step, "each_task"));
	return count;
}

static void list_tasks(const json_t *steps, struct task_row *row)
{
	const json_t *step, *task;
	size_t i, j;

	json_array_foreach(steps, i, step)
		json_array_foreach(json_object_get(step, "each_task"), j,
				   task) *row++ = (struct task_row){ step,
								     task };
}

static int print_tasks(const json_t *steps)
{
	size_t count = count_tasks(steps);
	struct task_row *rows = calloc(count + 1, sizeof(*rows));
	int rc = rows ? 0 : -1;

	if (rows)
		list_tasks(steps, rows);
	if (rows && count)
		rc = tb_table_print_names(
			&task_kind,
			choose_names(
				steps,
				"node,task,spread,preferred_cpus,allowed_cpus,cpus,preferred,allowed,smoothed"),
			rows, sizeof(*rows), (unsigned)count, true, stdout);
	free(rows);
	return rc;
}

/* A thread's name begins with that of its task. */
struct thread_row {
	const json_t *step, *task, *thread;
};

enum {
	THREAD_TASK,
	THREAD,
	THREAD_NAME,
	THREAD_PREFERS,
	THREAD_CPUS,
	THREAD_CPU,
	THREAD_COLUMNS
};

static const struct tb_column thread_columns[THREAD_COLUMNS] = {
	[THREAD_TASK] = { '\0', "task", "TASK", false },
	[THREAD] = { '\0', "thread", "THREAD", true },
	[THREAD_NAME] = { '\0', "name", "NAME", false },
	[THREAD_PREFERS] = { '\0', "preferred_cpus", "PREFERS", false },
	[THREAD_CPUS] = { '\0', "cpus", "HAS", false },
	[THREAD_CPU] = { '\0', "cpu", "ON", true },
};

static void print_thread_cell(const void *data, unsigned column, FILE *out)
{
	const struct thread_row *row = data;
	bool of_task = column == THREAD_TASK;

	if (column == THREAD_TASK)
		fprintf(out, "%s.",
			json_string_value(json_object_get(row->step, "step")));
	print_value(json_object_get(of_task ? row->task : row->thread,
				    thread_columns[column].name),
		    out);
}

static const struct tb_table_kind thread_kind = {
	.columns = thread_columns,
	.ncolumns = THREAD_COLUMNS,
	.print = print_thread_cell,
};

/* Those of all tasks, into rows if there are any; how many. */
static size_t list_threads(const json_t *steps, struct thread_row *row)
{
	const json_t *step, *task, *thread;
	size_t i, j, k, count = 0;

	json_array_foreach(steps, i, step)
		json_array_foreach(json_object_get(step, "each_task"), j, task)
			json_array_foreach(json_object_get(task, "each_thread"),
					   k, thread)
	{
		if (row)
			row[count] = (struct thread_row){ step, task, thread };
		count++;
	}
	return count;
}

static int print_threads(const json_t *steps)
{
	size_t count = list_threads(steps, NULL);
	struct thread_row *rows = calloc(count + 1, sizeof(*rows));
	int rc = rows ? 0 : -1;

	if (rows)
		list_threads(steps, rows);
	if (rows && count)
		rc = tb_table_print_names(&thread_kind,
					  "task,thread,name,preferred_cpus,cpus,cpu",
					  rows, sizeof(*rows), (unsigned)count,
					  true, stdout);
	free(rows);
	return rc;
}

static int print_rows(const struct tb_soft_status *status, const json_t *steps)
{
	if (status->threads)
		return print_threads(steps);
	return status->tasks ? print_tasks(steps) : print_steps(steps);
}

/* ---- what was set ---- */

/* "threshold 50%, count all", of the node or of the job. */
static void print_set(const struct tb_soft_settings *settings, uint32_t job)
{
	char *where, *threshold = NULL;
	const char *count = "";

	if (settings->threshold == TB_SOFT_UNSET &&
	    settings->count == TB_SOFT_UNSET)
		return;
	if (asprintf(&where, job ? "job %u" : "this node", job) < 0)
		return;
	if (settings->threshold != TB_SOFT_UNSET &&
	    asprintf(&threshold, " threshold %d%%", settings->threshold) < 0)
		threshold = NULL;
	if (settings->count != TB_SOFT_UNSET)
		count = tb_soft_count_name((enum tb_soft_count)settings->count);
	tb_print_sentence(stdout, "set for %s:%s%s%s%s", where,
			  threshold ? threshold : "",
			  threshold && *count ? "," : "",
			  *count ? " count " : "", count);
	free(threshold);
	free(where);
}

static json_t *describe_set(const struct tb_soft_settings *settings)
{
	json_t *set = json_object();

	if (settings->threshold != TB_SOFT_UNSET)
		json_object_set_new(set, "threshold",
				    json_integer(settings->threshold));
	if (settings->count != TB_SOFT_UNSET)
		json_object_set_new(set, "count",
				    json_string(tb_soft_count_name(
					    (enum tb_soft_count)
						    settings->count)));
	return set;
}

/* Of the node, then of the job that is shown. */
struct all_settings {
	struct tb_soft_settings node, job;
};

static int read_settings(const struct tb_soft_status *status,
			 struct tb_registry *registry, struct all_settings *all)
{
	uint32_t job = status->target.job;
	struct tb_error err;

	all->job = (struct tb_soft_settings){ .threshold = TB_SOFT_UNSET,
					      .count = TB_SOFT_UNSET };
	if (!tb_soft_settings_read(registry, 0, &all->node, &err) &&
	    (!job || !tb_soft_settings_read(registry, job, &all->job, &err)))
		return 0;
	tb_soft_settings_clear(&all->node);
	tb_command_fail(status->command, "%s", err.text);
	return -1;
}

/* ---- all ---- */

static int print_text(const struct tb_soft_status *status,
		      enum tb_soft_mode mode, const struct all_settings *all,
		      const json_t *steps)
{
	tb_print_sentence(stdout, "soft binding is %s on this node",
			  tb_soft_mode_name(mode));
	print_set(&all->node, 0);
	print_set(&all->job, status->target.job);
	return print_rows(status, steps)
		       ? tb_command_fail(status->command, "out of memory")
		       : TB_EXIT_OK;
}

static int print_json(const struct tb_soft_status *status,
		      enum tb_soft_mode mode, const struct all_settings *all,
		      json_t *steps)
{
	json_t *top = json_pack("{s:b, s:s, s:o, s:O}", "on",
				mode == TB_SOFT_ON, "mode",
				tb_soft_mode_name(mode), "set",
				describe_set(&all->node), "steps", steps);
	int rc;

	if (status->target.job)
		json_object_set_new(top, "set_for_job",
				    describe_set(&all->job));
	rc = tb_command_print_json(status->command, top);
	json_decref(top);
	return rc;
}

int tb_soft_status_print(const struct tb_soft_status *status,
			 struct tb_registry *registry)
{
	struct visit visit = { status, registry, json_array(),
			       status->threads ? tb_soft_processes_load()
					       : NULL };
	enum tb_soft_mode mode = tb_registry_mode(registry, 0);
	struct all_settings all;
	int rc = TB_EXIT_BAD;

	if (tb_soft_node_each(registry, TB_SOFT_LOOK, add_step, &visit) < 0) {
		tb_command_fail(status->command,
				"the soft-bound steps cannot be read");
	} else if (!read_settings(status, registry, &all)) {
		rc = status->json ? print_json(status, mode, &all, visit.steps)
				  : print_text(status, mode, &all, visit.steps);
		tb_soft_settings_clear(&all.node);
		tb_soft_settings_clear(&all.job);
	}
	tb_soft_processes_destroy(visit.processes);
	json_decref(visit.steps);
	return rc;
}

static int print_afar(const struct tb_soft_status *status, json_t *steps)
{
	json_t *top;
	int rc;

	if (!status->json) {
		tb_print_sentence(stdout, "soft-bound steps of job %u",
				  status->target.job);
		return print_rows(status, steps)
			       ? tb_command_fail(status->command,
						 "out of memory")
			       : TB_EXIT_OK;
	}
	top = json_pack("{s:O}", "steps", steps);
	rc = tb_command_print_json(status->command, top);
	json_decref(top);
	return rc;
}

int tb_soft_status_print_afar(const struct tb_soft_status *status)
{
	json_t *steps = tb_soft_afar_steps(status->command, &status->target);
	int rc = TB_EXIT_BAD;

	if (steps && !json_array_size(steps))
		tb_command_fail(status->command,
				"job %u has no such soft-bound step or task now",
				status->target.job);
	else if (steps)
		rc = print_afar(status, steps);
	json_decref(steps);
	return rc;
}
