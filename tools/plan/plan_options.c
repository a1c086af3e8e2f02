/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_options.c - see plan_options.h */
#define _GNU_SOURCE /* asprintf */
#include "plan_options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/job/request_env.h"
#include "core/base/text.h"
#include "spank/options.h"

#include "terminal/text_stream.h"

#define VARIABLE "TOPOBIND"
/* Of tasks, of nodes: sbatch reads them as int. */
#define COUNT_MAX INT32_MAX

enum {
	OPT_PER_NODE = TB_OPTION_OWN,
	OPT_MEM,
	OPT_MEM_PER_CPU,
	OPT_GRES,
	OPT_GPUS_PER_NODE,
	OPT_GPUS_PER_TASK,
	OPT_EXCLUSIVE,
	OPT_RESERVATION,
};

/* ---- values ---- */

static int fail_for_value(const char *option, const char *value,
			  const char *allowed, struct tb_error *err)
{
	return tb_fail(err, "--%s=%.60s is not right, give %s", option, value,
		       allowed);
}

/* A number from 1 to most, up to one of the characters in ends. */
static int read_count(const char **text, const char *ends, uint64_t most,
		      uint64_t *count)
{
	unsigned long long value;
	char *end;

	if (!isdigit((unsigned char)**text))
		return -1;
	errno = 0;
	value = strtoull(*text, &end, 10);
	if (errno || value > most || (*end && !strchr(ends, *end)))
		return -1;
	*count = value;
	*text = end;
	return 0;
}

static int read_number(const char *option, const char *text, uint64_t most,
		       uint64_t *number, struct tb_error *err)
{
	const char *at = text;

	if (!read_count(&at, "", most, number) && *number)
		return 0;
	return tb_fail(err,
		       "--%s=%.60s is not right, give a number from 1 to %llu",
		       option, text, (unsigned long long)most);
}

/* "2" is "2-2". */
static int read_nodes(job_desc_msg_t *job, const char *text,
		      struct tb_error *err)
{
	const char *at = text;
	uint64_t least = 0, most;
	bool wrong = read_count(&at, "-", COUNT_MAX, &least) || !least;

	most = least;
	if (!wrong && *at++ == '-')
		wrong = read_count(&at, "", COUNT_MAX, &most) || most < least;
	if (wrong)
		return fail_for_value("nodes", text,
				      "a number, or least and most as in 2-4",
				      err);
	job->min_nodes = (uint32_t)least;
	job->max_nodes = (uint32_t)most;
	return 0;
}

/* MB; K, M, G and T may follow. */
static int read_memory(const char *option, const char *text, uint64_t *memory,
		       struct tb_error *err)
{
	static const char units[] = "KMGT";
	const char *at = text, *unit = NULL;
	uint64_t count;

	if (!read_count(&at, "KMGTkmgt", UINT32_MAX, &count)) {
		unit = *at ? strchr(units, tb_upper(*at)) : NULL;
		at += *at != '\0';
		*memory = !unit || *unit == 'M' ? count
			  : *unit == 'K'	? (count + 1023) / 1024
			  : *unit == 'G'	? count * 1024
						: count * 1024 * 1024;
		if (!*at)
			return 0;
	}
	return fail_for_value(option, text,
			      "a number of megabytes, or with K, M, G or T after it",
			      err);
}

/*
 * Minutes, rounded up, of "M", "M:S", "H:M:S", "D-H", "D-H:M" and "D-H:M:S".
 */
static int read_minutes(const char *text, uint64_t *minutes)
{
	uint64_t days = 0, part[3] = { 0 };
	unsigned parts = 0;
	const char *at = text;
	bool has_days = strchr(text, '-') != NULL;

	if (has_days && (read_count(&at, "-", 100000, &days) || *at++ != '-'))
		return -1;
	do {
		if (parts == 3 || read_count(&at, ":", 100000000, &part[parts]))
			return -1;
		parts++;
	} while (*at && *at++ == ':');
	if (has_days || parts == 3)
		*minutes = days * 1440 + part[0] * 60 + part[1] + (part[2] > 0);
	else
		*minutes = part[0] + (part[1] > 0);
	return 0;
}

static int read_time(job_desc_msg_t *job, const char *text,
		     struct tb_error *err)
{
	uint64_t minutes;

	if (!strcasecmp(text, "UNLIMITED") || !strcasecmp(text, "INFINITE")) {
		job->time_limit = INFINITE;
		return 0;
	}
	if (read_minutes(text, &minutes) || minutes >= NO_VAL)
		return fail_for_value(
			"time", text,
			"minutes, hours:minutes:seconds, days-hours:minutes:seconds or UNLIMITED",
			err);
	job->time_limit = minutes ? (uint32_t)minutes : INFINITE;
	return 0;
}

/* "gpu:2,foo:1" as Slurm sends it, a prefix before each; malloc()ed. */
static char *add_prefix(const char *list, const char *prefix)
{
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	while (out && *list) {
		size_t length = strcspn(list, ",");

		fprintf(out, "%s:%.*s%s", prefix, (int)length, list,
			list[length] ? "," : "");
		list += length + (list[length] != '\0');
	}
	return out ? tb_text_stream_close(out, &text) : NULL;
}

/* More of it behind what there is. */
static int add_gres(char **to, const char *list, const char *prefix,
		    struct tb_error *err)
{
	char *more = add_prefix(list, prefix), *all = NULL;

	if (more &&
	    asprintf(&all, "%s%s%s", *to ? *to : "", *to ? "," : "", more) < 0)
		all = NULL;
	free(more);
	if (!all)
		return tb_fail(err, "out of memory");
	free(*to);
	*to = all;
	return 0;
}

/* ---- options ---- */

struct reading {
	struct tb_plan_options *options;
	struct tb_options binding;
	bool ntasks, per_node, cpus; /* were given */
};

static int take_number(struct reading *reading, int option, const char *value,
		       struct tb_error *err)
{
	job_desc_msg_t *job = &reading->options->job;
	uint64_t number = 0;
	int rc;

	switch (option) {
	case 'n':
		rc = read_number("ntasks", value, COUNT_MAX, &number, err);
		job->num_tasks = (uint32_t)number;
		reading->ntasks = true;
		return rc;
	case 'c':
		rc = read_number("cpus-per-task", value, NO_VAL16 - 1, &number,
				 err);
		job->cpus_per_task = (uint16_t)number;
		reading->cpus = true;
		return rc;
	case OPT_PER_NODE:
		rc = read_number("ntasks-per-node", value, NO_VAL16 - 1,
				 &number, err);
		job->ntasks_per_node = (uint16_t)number;
		reading->per_node = true;
		return rc;
	case OPT_MEM:
		rc = read_memory("mem", value, &number, err);
		job->pn_min_memory = number;
		return rc;
	default:
		rc = read_memory("mem-per-cpu", value, &number, err);
		job->pn_min_memory = number | MEM_PER_CPU;
		return rc;
	}
}

static int take_gres(struct tb_plan_options *options, int option,
		     const char *value, struct tb_error *err)
{
	switch (option) {
	case OPT_GRES:
		return add_gres(&options->gres_per_node, value, "gres", err);
	case OPT_GPUS_PER_NODE:
		return add_gres(&options->gres_per_node, value, "gres:gpu",
				err);
	case OPT_GPUS_PER_TASK:
		return add_gres(&options->gres_per_task, value, "gres:gpu",
				err);
	default:
		return add_gres(&options->gres_per_job, value, "gres:gpu", err);
	}
}

/* Strings go as they are: the controller judges them. */
static char **find_string(job_desc_msg_t *job, int option)
{
	switch (option) {
	case 'p':
		return &job->partition;
	case 'C':
		return &job->features;
	case 'w':
		return &job->req_nodes;
	case 'x':
		return &job->exc_nodes;
	case 'q':
		return &job->qos;
	case 'A':
		return &job->account;
	case OPT_RESERVATION:
		return &job->reservation;
	default:
		return NULL;
	}
}

static int take_plan_option(void *data, int option, struct tb_error *err)
{
	struct reading *reading = data;
	job_desc_msg_t *job = &reading->options->job;
	char **string = find_string(job, option);

	if (option >= TB_OPTION_BINDING)
		return tb_command_take_binding(&reading->binding, option, err);
	if (string) {
		*string = optarg;
		return 0;
	}
	switch (option) {
	case 'N':
		return read_nodes(job, optarg, err);
	case 't':
		return read_time(job, optarg, err);
	case 'G':
	case OPT_GRES:
	case OPT_GPUS_PER_NODE:
	case OPT_GPUS_PER_TASK:
		return take_gres(reading->options, option, optarg, err);
	case OPT_EXCLUSIVE:
		job->shared = JOB_SHARED_NONE;
		return 0;
	default:
		return take_number(reading, option, optarg, err);
	}
}

/* ---- what sbatch makes of them ---- */

/* 0: nothing was. */
static unsigned get_given(uint32_t number)
{
	return number == NO_VAL ? 0 : number;
}

/* There are as many nodes as are required, at least. */
static void complete_nodes(job_desc_msg_t *job)
{
	tb_hostlist_t required = job->req_nodes
					 ? slurm_hostlist_create(job->req_nodes)
					 : NULL;
	uint32_t count;

	if (!required)
		return;
	slurm_hostlist_uniq(required);
	count = (uint32_t)slurm_hostlist_count(required);
	slurm_hostlist_destroy(required);
	if (count > get_given(job->min_nodes))
		job->min_nodes = count;
	if (job->max_nodes != NO_VAL && job->max_nodes < job->min_nodes)
		job->max_nodes = job->min_nodes;
}

/* What no cluster has is as good as any larger number. */
static uint32_t multiply_counts(uint32_t a, uint32_t b)
{
	uint64_t all = (uint64_t)a * b;

	return all < COUNT_MAX ? (uint32_t)all : COUNT_MAX;
}

/* Tasks that are not given: those for each node, or one for each. */
static uint32_t count_tasks(struct reading *reading)
{
	job_desc_msg_t *job = &reading->options->job;
	uint32_t nodes = get_given(job->min_nodes) ? job->min_nodes : 1;

	if (reading->per_node && !reading->ntasks &&
	    (job->max_nodes == NO_VAL || job->max_nodes == job->min_nodes)) {
		job->num_tasks = multiply_counts(nodes, job->ntasks_per_node);
		reading->ntasks = true;
	}
	return reading->ntasks ? job->num_tasks : nodes;
}

static void complete_counts(struct reading *reading)
{
	job_desc_msg_t *job = &reading->options->job;
	uint32_t cpus = reading->cpus ? job->cpus_per_task : 1, tasks;

	complete_nodes(job);
	tasks = count_tasks(reading);
	job->min_cpus = multiply_counts(tasks, cpus);
	if (reading->cpus) {
		job->bitflags |= JOB_CPUS_SET;
		job->pn_min_cpus = job->cpus_per_task;
	}
	if (!reading->ntasks)
		return;
	job->bitflags |= JOB_NTASKS_SET;
	/* No more nodes than tasks. */
	if (!get_given(job->min_nodes))
		return;
	if (job->max_nodes != NO_VAL && tasks < job->max_nodes)
		job->max_nodes = tasks;
	if (tasks < job->min_nodes)
		job->min_nodes = job->max_nodes = tasks;
}

static unsigned get_given_16(uint16_t number)
{
	return number < NO_VAL16 - 1 ? number : 0;
}

static struct tb_asked find_asked(const job_desc_msg_t *job)
{
	return (struct tb_asked){
		.tasks = get_given(job->num_tasks),
		.tasks_per_node = get_given_16(job->ntasks_per_node),
		.min_nodes = get_given(job->min_nodes),
		.max_nodes = get_given(job->max_nodes),
		.task_cpus = get_given_16(job->cpus_per_task),
		.node_cpus = get_given_16(job->pn_min_cpus),
		.tasks_are_given = job->bitflags & JOB_NTASKS_SET,
		.may_be_fewer = tb_nodes_have_all_tasks(),
		.overcommit = job->overcommit == 1,
	};
}

static void make_spec(struct tb_plan_options *options)
{
	const job_desc_msg_t *job = &options->job;
	struct tb_job_spec *spec = &options->spec;

	spec->partitions = job->partition;
	spec->required = job->req_nodes;
	spec->excluded = job->exc_nodes;
	spec->features = job->features;
	spec->reservation = job->reservation;
	spec->asked = find_asked(job);
	if (job->pn_min_memory != NO_VAL64)
		spec->memory = job->pn_min_memory;
	spec->gres = options->gres_per_job || options->gres_per_node ||
		     options->gres_per_task;
	spec->whole_nodes = job->shared == JOB_SHARED_NONE;
	spec->oversubscribe = job->shared == JOB_SHARED_OK;
	spec->minutes = job->time_limit == NO_VAL || job->time_limit == INFINITE
				? -1
				: (int64_t)job->time_limit;
	tb_job_spec_complete(spec);
}

/* The line that the SPANK plugin would leave with the job. */
static int make_binding(struct reading *reading, struct tb_error *err)
{
	struct tb_plan_options *options = reading->options;

	if (tb_options_merge(&reading->binding, getenv(VARIABLE), VARIABLE,
			     &options->spec.request, err))
		return -1;
	if (!tb_request_is_given(&options->spec.request))
		return 0;
	options->line = tb_request_print(&options->spec.request);
	if (!options->line ||
	    asprintf(&options->variable, "%s=%s", TB_REQUEST_VARIABLE,
		     options->line) < 0) {
		options->variable = NULL;
		return tb_fail(err, "out of memory");
	}
	options->job.spank_job_env = &options->variable;
	options->job.spank_job_env_size = 1;
	return 0;
}

static void make_job(struct reading *reading)
{
	job_desc_msg_t *job = &reading->options->job;

	job->name = "plan";
	job->work_dir = "/";
	job->user_id = geteuid();
	job->group_id = getegid();
	job->tres_per_job = reading->options->gres_per_job;
	job->tres_per_node = reading->options->gres_per_node;
	job->tres_per_task = reading->options->gres_per_task;
	complete_counts(reading);
}

/* ---- all of it ---- */

static int take_plan_arguments(void *data, int count, char **words,
			       struct tb_error *err)
{
	struct reading *reading = data;

	if (count)
		return tb_fail(
			err,
			"\"%.60s\" is one argument too many: no script is needed",
			words[0]);
	make_job(reading);
	make_spec(reading->options);
	return make_binding(reading, err);
}

static const struct tb_command_option own_options[] = {
	{ "N", "nodes", "MIN[-MAX]", 'N', NULL },
	{ "n", "ntasks", "N", 'n', NULL },
	{ "c", "cpus-per-task", "N", 'c', NULL },
	{ NULL, "ntasks-per-node", "N", OPT_PER_NODE, NULL },
	{ "p", "partition", "PARTITION", 'p', NULL },
	{ "t", "time", "TIME", 't', NULL },
	{ "C", "constraint", "FEATURES", 'C', NULL },
	{ "w", "nodelist", "NODES", 'w', NULL },
	{ "x", "exclude", "NODES", 'x', NULL },
	{ NULL, "mem", "MB", OPT_MEM, NULL },
	{ NULL, "mem-per-cpu", "MB", OPT_MEM_PER_CPU, NULL },
	{ NULL, "gres", "LIST", OPT_GRES, NULL },
	{ "G", "gpus", "N", 'G', NULL },
	{ NULL, "gpus-per-node", "N", OPT_GPUS_PER_NODE, NULL },
	{ NULL, "gpus-per-task", "N", OPT_GPUS_PER_TASK, NULL },
	{ NULL, "exclusive", NULL, OPT_EXCLUSIVE, NULL },
	{ NULL, "reservation", "NAME", OPT_RESERVATION, NULL },
	{ "q", "qos", "NAME", 'q', NULL },
	{ "A", "account", "NAME", 'A', NULL },
	{ 0 },
};
static const struct tb_command_line usage = {
	/* clang-format off */
	.purpose = "Say what a job with these options of sbatch, and the variable TOPOBIND, would get now, or when it would start, without submitting it.",
	.notes = "Now: for each node the tasks, and its topology string with the units of the job in lower case. Later: when and on which nodes, and who holds the units until then. Other jobs that wait may come first.",
	.exit_codes = "Exit codes: 0 now, 1 later, 2 never, a bad option, or Slurm does not answer.",
	.has_binding = true,
	.own = own_options,
	.has_json = true,
	.take = take_plan_option,
	.finish = take_plan_arguments,
	/* clang-format on */
};

int tb_plan_options_read(struct tb_plan_options *options, int argc, char **argv)
{
	struct reading reading = { .options = options };
	int rc;

	slurm_init_job_desc_msg(&options->job);
	tb_request_init(&options->spec.request);
	tb_options_init(&reading.binding);
	rc = tb_command_read(&options->common, &usage, argc, argv, &reading);
	tb_options_clear(&reading.binding);
	return rc;
}

void tb_plan_options_clear(struct tb_plan_options *options)
{
	tb_job_spec_clear(&options->spec);
	free(options->line);
	free(options->variable);
	free(options->gres_per_job);
	free(options->gres_per_node);
	free(options->gres_per_task);
}
