/* SPDX-License-Identifier: GPL-2.0-or-later */
/* soft_afar.c - see soft_afar.h */
#define _GNU_SOURCE /* environ */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compat/slurm_types.h"

#include "cluster/slurm_library.h"
#include "command.h"
#include "common/soft/soft_view.h"
#include "soft_afar.h"

#define INSIDE "TOPOBIND_SOFT_INSIDE"

/* As long as a word of a line gets: a list of CPUs. */
#define WORD_MAX 4096
#define WORD "%4095s"

/* ---- on the node ---- */

bool tb_soft_is_inside(void)
{
	return getenv(INSIDE) != NULL && getenv("SLURMD_NODENAME") != NULL &&
	       getenv("SLURM_STEP_ID") != NULL;
}

/* Each line; that of a task with the CPUs that it has now. */
static void print_lines(char *lines)
{
	char *rest = lines, *line;
	int pid;

	while ((line = strsep(&rest, "\n")) && *line) {
		char *now = NULL;

		fputs(line, stdout);
		if (sscanf(line, "task %*u %d", &pid) == 1)
			now = tb_soft_cpus_now(pid);
		if (now)
			printf(" %s", now);
		putchar('\n');
		free(now);
	}
}

static void print_step(const char *spool, uint32_t job, uint32_t step,
		       const struct tb_soft_job *target)
{
	const struct tb_soft_state state = { .job = job, .step = step };
	const struct tb_registry_id id = { job, step };
	char name[TB_STEP_NAME_SIZE], *lines;

	if (target->part.step != TB_SOFT_EACH && target->part.step != step)
		return;
	lines = tb_soft_view_read(spool, &id);
	if (!lines)
		return;
	tb_soft_step_name(&state, name);
	printf("of %s\n", name);
	print_lines(lines);
	free(lines);
}

/* Steps are counted; this one is the last so far, and is not meant. */
int tb_soft_inside_print(const char *command, const struct tb_soft_job *target)
{
	const char *node = getenv("SLURMD_NODENAME");
	char *spool = tb_soft_node_spool(command, node);
	unsigned long own = strtoul(getenv("SLURM_STEP_ID"), NULL, 10);

	if (!spool)
		return TB_EXIT_BAD;
	printf("node %s\n", node);
	print_step(spool, target->job, SLURM_BATCH_SCRIPT, target);
	print_step(spool, target->job, SLURM_INTERACTIVE_STEP, target);
	for (uint32_t step = 0; step < own && step < SLURM_MAX_NORMAL_STEP_ID;
	     step++)
		print_step(spool, target->job, step, target);
	free(spool);
	return TB_EXIT_OK;
}

/* ---- from afar ---- */

/* What a node has told so far. */
struct told {
	char node[WORD_MAX];
	char step[WORD_MAX];
	json_t *row; /* of the step; borrowed */
};

struct listener {
	const struct tb_soft_job *target;
	json_t *steps;
	struct told *told; /* by the number of its task */
	unsigned nodes;
};

static void add_to(json_t *row, const char *key, json_int_t more)
{
	json_int_t sum = json_integer_value(json_object_get(row, key)) + more;

	json_object_set_new(row, key, json_integer(sum));
}

static void take_step(struct listener *listener, struct told *told,
		      const char *soft, unsigned long long cost)
{
	json_t *row =
		json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:I, s:[]}",
			  "node", told->node, "step", told->step, "soft", soft,
			  "tasks", 0, "spread", 0, "preferred", 0, "allowed", 0,
			  "smoothed", 0, "cost_us", (json_int_t)cost,
			  "each_task");

	told->row = row;
	if (row)
		json_array_append_new(listener->steps, row);
}

struct task_line {
	unsigned task, spread;
	int pid;
	unsigned long long preferred, allowed, smoothed;
	char preferred_cpus[WORD_MAX], allowed_cpus[WORD_MAX], cpus[WORD_MAX];
};

static void take_task(const struct told *told, const struct task_line *line)
{
	json_t *row = json_pack("{s:i, s:i, s:b, s:I, s:I, s:I, s:s, s:s, s:s}",
				"task", (int)line->task, "pid", line->pid,
				"spread", line->spread != 0, "preferred",
				(json_int_t)line->preferred, "allowed",
				(json_int_t)line->allowed, "smoothed",
				(json_int_t)line->smoothed, "preferred_cpus",
				line->preferred_cpus, "allowed_cpus",
				line->allowed_cpus, "cpus", line->cpus);

	if (!row)
		return;
	json_array_append_new(json_object_get(told->row, "each_task"), row);
	add_to(told->row, "tasks", 1);
	add_to(told->row, "spread", line->spread != 0);
	add_to(told->row, "preferred", (json_int_t)line->preferred);
	add_to(told->row, "allowed", (json_int_t)line->allowed);
	add_to(told->row, "smoothed", (json_int_t)line->smoothed);
}

static bool is_meant(const struct listener *listener, unsigned task)
{
	const struct tb_soft_target *part = &listener->target->part;

	return part->task == TB_SOFT_EACH || part->task == task;
}

/* Of a task that is asked about, on the other nodes. */
static void drop_empty(json_t *steps)
{
	for (size_t i = json_array_size(steps); i-- > 0;)
		if (!json_array_size(json_object_get(json_array_get(steps, i),
						     "each_task")))
			json_array_remove(steps, i);
}

/* A line of a node; others, of whatever runs before a task, say nothing. */
static void take_line(struct listener *listener, struct told *told,
		      const char *text)
{
	struct task_line line = { .cpus = "" };
	char word[WORD_MAX];
	unsigned long long cost;

	if (sscanf(text, "node " WORD, told->node) == 1 ||
	    sscanf(text, "of " WORD, told->step) == 1)
		return;
	if (sscanf(text, "step " WORD " %llu", word, &cost) == 2)
		take_step(listener, told, word, cost);
	else if (told->row &&
		 sscanf(text,
			"task %u %d %u %llu %llu %llu " WORD " " WORD " " WORD,
			&line.task, &line.pid, &line.spread, &line.preferred,
			&line.allowed, &line.smoothed, line.preferred_cpus,
			line.allowed_cpus, line.cpus) >= 8 &&
		 is_meant(listener, line.task))
		take_task(told, &line);
}

/* srun --label: "NUMBER: LINE" */
static void listen_to(struct listener *listener, FILE *in)
{
	char *line = NULL, *rest;
	size_t size = 0;

	while (getline(&line, &size, in) > 0) {
		unsigned long number = strtoul(line, &rest, 10);

		if (rest != line && rest[0] == ':' && rest[1] == ' ' &&
		    number < listener->nodes)
			take_line(listener, &listener->told[number], rest + 2);
	}
	free(line);
}

/*
 * Nothing of a job or a step in which the user may be, but where slurm.conf is; the
 * caller frees the list.
 */
static char **make_environment(void)
{
	size_t count = 0, kept = 0;
	char **list;

	while (environ[count])
		count++;
	list = calloc(count + 2, sizeof(*list));
	for (size_t i = 0; list && i < count; i++)
		if ((strncmp(environ[i], "SLURM_", 6) ||
		     !strncmp(environ[i], "SLURM_CONF", 10)) &&
		    strncmp(environ[i], "TOPOBIND=", 9))
			list[kept++] = environ[i];
	if (list)
		list[kept] = INSIDE "=1";
	return list;
}

/* Its stdout in *in, and nothing for it to read. */
static int start_srun(char *const words[], FILE **in, pid_t *pid)
{
	char **environment = make_environment();
	posix_spawn_file_actions_t actions;
	int ends[2], rc = -1;

	if (!environment || pipe2(ends, O_CLOEXEC) < 0) {
		free(environment);
		return -1;
	}
	if (!posix_spawn_file_actions_init(&actions)) {
		rc = posix_spawn_file_actions_adddup2(&actions, ends[1],
						      STDOUT_FILENO) ||
		     posix_spawnp(pid, words[0], &actions, NULL, words,
				  environment);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(ends[1]);
	free(environment);
	*in = rc ? NULL : fdopen(ends[0], "r");
	if (!*in)
		close(ends[0]);
	return rc ? -1 : 0;
}

static bool ends_well(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* The job, or the step: nodes know nothing of a task alone. */
static void name_target(const struct tb_soft_job *target,
			char name[TB_STEP_NAME_SIZE])
{
	const struct tb_soft_state state = { .job = target->job,
					     .step = target->part.step };

	if (target->part.step == TB_SOFT_EACH)
		snprintf(name, TB_STEP_NAME_SIZE, "%u", target->job);
	else
		tb_soft_step_name(&state, name);
}

static int run_steps(struct listener *listener)
{
	uint32_t job = listener->target->job;
	char jobid[40], nodes[40], tasks[40], name[TB_STEP_NAME_SIZE];
	char *const words[] = { "srun",
				"--quiet",
				jobid,
				"--overlap",
				nodes,
				tasks,
				"--ntasks-per-node=1",
				"--cpus-per-task=1",
				"--mem=0",
				"--input=none",
				"--label",
				"topobind",
				"soft",
				"status",
				name,
				NULL };
	FILE *in = NULL;
	pid_t pid;

	snprintf(jobid, sizeof(jobid), "--jobid=%u", job);
	snprintf(nodes, sizeof(nodes), "--nodes=%u", listener->nodes);
	snprintf(tasks, sizeof(tasks), "--ntasks=%u", listener->nodes);
	name_target(listener->target, name);
	if (start_srun(words, &in, &pid))
		return -1;
	if (in) {
		listen_to(listener, in);
		fclose(in);
	}
	return ends_well(pid) && in ? 0 : -1;
}

/* How many nodes the job has; 0: an error was printed. */
static unsigned count_nodes(const char *command, uint32_t job)
{
	job_info_msg_t *jobs = NULL;
	unsigned nodes = 0;

	tb_slurm_begin(command);
	if (tb_load_job(&jobs, job, SHOW_ALL | SHOW_LOCAL) ||
	    !jobs->record_count)
		tb_command_fail(command, "there is no job %u", job);
	else if ((jobs->job_array[0].job_state & JOB_STATE_BASE) != JOB_RUNNING)
		tb_command_fail(
			command,
			"job %u does not run now; what its steps have counted so far is in its AdminComment (scontrol show job)",
			job);
	else
		nodes = jobs->job_array[0].num_nodes;
	slurm_free_job_info_msg(jobs);
	tb_slurm_end();
	return nodes;
}

json_t *tb_soft_afar_steps(const char *command,
			   const struct tb_soft_job *target)
{
	struct listener listener = { .target = target };

	listener.nodes = count_nodes(command, target->job);
	if (!listener.nodes)
		return NULL;
	listener.told = calloc(listener.nodes, sizeof(*listener.told));
	listener.steps = json_array();
	if (listener.told && listener.steps && !run_steps(&listener)) {
		drop_empty(listener.steps);
		free(listener.told);
		return listener.steps;
	}
	tb_command_fail(
		command,
		"srun could not start a step in job %u to look; only its user can",
		target->job);
	free(listener.told);
	json_decref(listener.steps);
	return NULL;
}
