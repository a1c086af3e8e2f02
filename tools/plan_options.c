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

#include "common/request_env.h"
#include "spank/options.h"

#include "text_stream.h"

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
	OPT_LINE,
};

static void print_help(void)
{
	puts("Usage: topobind plan [OPTION of sbatch...]\n"
	     "\n"
	     "Say what a job with these options would get now, or when it would start, without\n"
	     "submitting it.\n"
	     "\n"
	     "  -N, --nodes MIN[-MAX]         -n, --ntasks N        --ntasks-per-node N\n"
	     "  -c, --cpus-per-task N         -t, --time TIME       -p, --partition PARTITION\n"
	     "  -C, --constraint FEATURES     -w, --nodelist NODES  -x, --exclude NODES\n"
	     "  --mem MB, --mem-per-cpu MB    --exclusive           --reservation NAME\n"
	     "  --gres LIST, -G, --gpus N, --gpus-per-node N, --gpus-per-task N\n"
	     "  -q, --qos NAME                -A, --account NAME\n"
	     "  --bunit, --bamount, ..., --topobind LINE   and the variable TOPOBIND\n"
	     "  --json, --help, --version\n"
	     "\n"
	     "Now: for each node the tasks, and its topology string with the units of the job\n"
	     "in lower case.  Later: when and on which nodes, and who holds the units until\n"
	     "then.  Other jobs that wait may come first.\n"
	     "\n"
	     "Exit codes: 0 now, 1 later, 2 never, a bad option, or Slurm does not answer.");
}

/* ---- values ---- */

static int bad_value(const char *option, const char *value,
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
	return tb_fail(err, "--%s=%.60s is not right, give a number from 1 to %llu",
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
		return bad_value("nodes", text, "a number, or least and most as in 2-4",
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
		unit = *at ? strchr(units, toupper((unsigned char)*at)) : NULL;
		at += *at != '\0';
		*memory = !unit || *unit == 'M' ? count :
			  *unit == 'K' ? (count + 1023) / 1024 :
			  *unit == 'G' ? count * 1024 : count * 1024 * 1024;
		if (!*at)
			return 0;
	}
	return bad_value(option, text, "a number of megabytes, or with K, M, G or T after it",
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
		*minutes = days * 1440 + part[0] * 60 + part[1] +
			   (part[2] > 0);
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
		return bad_value("time", text, "minutes, hours:minutes:seconds, days-hours:minutes:seconds or UNLIMITED",
				 err);
	job->time_limit = minutes ? (uint32_t)minutes : INFINITE;
	return 0;
}

/* "gpu:2,foo:1" as Slurm sends it, a prefix before each; malloc()ed. */
static char *with_prefix(const char *list, const char *prefix)
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
	char *more = with_prefix(list, prefix), *all = NULL;

	if (more && asprintf(&all, "%s%s%s", *to ? *to : "", *to ? "," : "",
			     more) < 0)
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
static char **string_of(job_desc_msg_t *job, int option)
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

static int take_binding(struct reading *reading, int option,
			struct tb_error *err)
{
	const char *name = option == OPT_LINE ? "topobind" :
			   tb_request_keys[option - TB_OPTION_NAMED];

	return tb_options_add(&reading->binding, TB_COMMAND_LINE, name, optarg,
			      err);
}

static int take_option(void *data, int option, struct tb_error *err)
{
	struct reading *reading = data;
	job_desc_msg_t *job = &reading->options->job;
	char **string = string_of(job, option);

	if (option == OPT_LINE || option >= TB_OPTION_NAMED)
		return take_binding(reading, option, err);
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
static unsigned said(uint32_t number)
{
	return number == NO_VAL ? 0 : number;
}

/* There are as many nodes as are required, at least. */
static void complete_nodes(job_desc_msg_t *job)
{
	tb_hostlist_t required = job->req_nodes
		? slurm_hostlist_create(job->req_nodes) : NULL;
	uint32_t count;

	if (!required)
		return;
	slurm_hostlist_uniq(required);
	count = (uint32_t)slurm_hostlist_count(required);
	slurm_hostlist_destroy(required);
	if (count > said(job->min_nodes))
		job->min_nodes = count;
	if (job->max_nodes != NO_VAL && job->max_nodes < job->min_nodes)
		job->max_nodes = job->min_nodes;
}

/* What no cluster has is as good as any larger number. */
static uint32_t product(uint32_t a, uint32_t b)
{
	uint64_t all = (uint64_t)a * b;

	return all < COUNT_MAX ? (uint32_t)all : COUNT_MAX;
}

/* Tasks that are not given: those for each node, or one for each. */
static uint32_t count_tasks(struct reading *reading)
{
	job_desc_msg_t *job = &reading->options->job;
	uint32_t nodes = said(job->min_nodes) ? job->min_nodes : 1;

	if (reading->per_node && !reading->ntasks &&
	    (job->max_nodes == NO_VAL || job->max_nodes == job->min_nodes)) {
		job->num_tasks = product(nodes, job->ntasks_per_node);
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
	job->min_cpus = product(tasks, cpus);
	if (reading->cpus) {
		job->bitflags |= JOB_CPUS_SET;
		job->pn_min_cpus = job->cpus_per_task;
	}
	if (!reading->ntasks)
		return;
	job->bitflags |= JOB_NTASKS_SET;
	/* No more nodes than tasks. */
	if (!said(job->min_nodes))
		return;
	if (job->max_nodes != NO_VAL && tasks < job->max_nodes)
		job->max_nodes = tasks;
	if (tasks < job->min_nodes)
		job->min_nodes = job->max_nodes = tasks;
}

static void make_wish(struct tb_plan_options *options)
{
	const job_desc_msg_t *job = &options->job;
	struct tb_wish *wish = &options->wish;

	wish->partitions = job->partition;
	wish->required = job->req_nodes;
	wish->excluded = job->exc_nodes;
	wish->features = job->features;
	wish->reservation = job->reservation;
	wish->tasks = said(job->num_tasks);
	if (job->ntasks_per_node < NO_VAL16 - 1)
		wish->per_node = job->ntasks_per_node;
	wish->min_nodes = said(job->min_nodes);
	wish->max_nodes = said(job->max_nodes);
	if (job->cpus_per_task < NO_VAL16 - 1)
		wish->task_cpus = job->cpus_per_task;
	if (job->pn_min_memory != NO_VAL64)
		wish->memory = job->pn_min_memory;
	wish->gres = options->gres_per_job || options->gres_per_node ||
		     options->gres_per_task;
	wish->whole_nodes = job->shared == JOB_SHARED_NONE;
	wish->minutes = job->time_limit == NO_VAL ||
			job->time_limit == INFINITE
		? -1 : (int64_t)job->time_limit;
	tb_wish_complete(wish);
}

/* The line that the SPANK plugin would leave with the job. */
static int make_binding(struct reading *reading, struct tb_error *err)
{
	struct tb_plan_options *options = reading->options;

	if (tb_options_merge(&reading->binding, getenv(VARIABLE), VARIABLE,
			     &options->wish.request, err))
		return -1;
	if (!tb_request_is_given(&options->wish.request))
		return 0;
	options->line = tb_request_print(&options->wish.request);
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

static int finish(void *data, int count, char **words, struct tb_error *err)
{
	struct reading *reading = data;

	if (count)
		return tb_fail(err, "\"%.60s\" is one argument too many: no script is needed",
			       words[0]);
	make_job(reading);
	make_wish(reading->options);
	return make_binding(reading, err);
}

static const struct option own_options[] = {
	{ "nodes", required_argument, NULL, 'N' },
	{ "ntasks", required_argument, NULL, 'n' },
	{ "cpus-per-task", required_argument, NULL, 'c' },
	{ "ntasks-per-node", required_argument, NULL, OPT_PER_NODE },
	{ "partition", required_argument, NULL, 'p' },
	{ "time", required_argument, NULL, 't' },
	{ "constraint", required_argument, NULL, 'C' },
	{ "nodelist", required_argument, NULL, 'w' },
	{ "exclude", required_argument, NULL, 'x' },
	{ "mem", required_argument, NULL, OPT_MEM },
	{ "mem-per-cpu", required_argument, NULL, OPT_MEM_PER_CPU },
	{ "gres", required_argument, NULL, OPT_GRES },
	{ "gpus", required_argument, NULL, 'G' },
	{ "gpus-per-node", required_argument, NULL, OPT_GPUS_PER_NODE },
	{ "gpus-per-task", required_argument, NULL, OPT_GPUS_PER_TASK },
	{ "exclusive", no_argument, NULL, OPT_EXCLUSIVE },
	{ "reservation", required_argument, NULL, OPT_RESERVATION },
	{ "qos", required_argument, NULL, 'q' },
	{ "account", required_argument, NULL, 'A' },
	{ "topobind", required_argument, NULL, OPT_LINE },
	{ NULL, 0, NULL, 0 },
};
static const struct tb_command_line usage = {
	.own = own_options,
	.names = tb_request_keys,
	.letters = "N:n:c:p:t:C:w:x:G:q:A:",
	.has_json = true,
	.print_help = print_help,
	.take = take_option,
	.finish = finish,
};

int tb_plan_options_read(struct tb_plan_options *options, int argc,
			 char **argv)
{
	struct reading reading = { .options = options };
	int rc;

	slurm_init_job_desc_msg(&options->job);
	tb_request_init(&options->wish.request);
	tb_options_init(&reading.binding);
	rc = tb_command_read(&options->common, &usage, argc, argv, &reading);
	tb_options_clear(&reading.binding);
	return rc;
}

void tb_plan_options_clear(struct tb_plan_options *options)
{
	tb_wish_clear(&options->wish);
	free(options->line);
	free(options->variable);
	free(options->gres_per_job);
	free(options->gres_per_node);
	free(options->gres_per_task);
}
