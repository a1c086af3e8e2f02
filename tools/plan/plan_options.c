/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_options.c - see plan_options.h */
#define _GNU_SOURCE /* asprintf */
#include "plan_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/job/request_env.h"
#include "core/request/combination.h"
#include "spank/options.h"

#include "plan_spec.h"
#include "sbatch_counts.h"
#include "sbatch_options.h"
#include "sbatch_values.h"
#include "sbatch_variables.h"
#include "task_tres.h"

#define VARIABLE "TOPOBIND"

enum {
	OPT_PER_NODE = TB_OPTION_OWN,
	OPT_PER_SOCKET,
	OPT_PER_CORE,
	OPT_PER_GPU,
	OPT_PER_TRES,
	OPT_SOCKETS,
	OPT_CORES,
	OPT_THREADS,
	OPT_MINCPUS,
	OPT_THREAD_SPEC,
	OPT_CONTIGUOUS,
	OPT_SPREAD_JOB,
	OPT_USE_MIN_NODES,
	OPT_TIME_MIN,
	OPT_TMP,
	OPT_MEM,
	OPT_MEM_PER_CPU,
	OPT_MEM_PER_GPU,
	OPT_GRES,
	OPT_GRES_FLAGS,
	OPT_GPUS_PER_NODE,
	OPT_GPUS_PER_TASK,
	OPT_GPUS_PER_SOCKET,
	OPT_TRES_PER_TASK,
	OPT_CPUS_PER_GPU,
	OPT_EXCLUSIVE,
	OPT_RESERVATION,
	OPT_PREFER,
	OPT_MCS_LABEL,
	OPT_MEM_BIND,
};

/* ---- options ---- */

#define RULED_MAX 32

struct reading {
	struct tb_plan_options *options;
	struct tb_options binding;
	enum tb_source source; /* where the options stand that are taken now */
	bool ntasks, per_node, cpus, node_info; /* were given */
	/* Lists, each as the last of its options has it; NULL: none. */
	const char *gres, *gpus, *gpus_per_node, *gpus_per_task,
		*gpus_per_socket;
	const char *cpus_per_gpu;
	const char *tres_per_task;
	bool variable_says_tres, variable_says_gpus; /* the option does not */
	uint16_t per_tres;			     /* 0: not given */
	uint64_t memory_per_gpu;		     /* 0: none */
	bool is_variable; /* what is taken now is one of sbatch's */
	/* The option that says how much, and that of a variable; 0: none. */
	int memory, memory_of_variable, other_memory_of_variable;
	bool exclusive, oversubscribe; /* options say so, not variables */
	/* The values of tb_combination_options[]; NULL: not given. */
	const char *ruled[RULED_MAX];
};

static const struct tb_command_option own_options[];

static const char *find_option_name(int number)
{
	const struct tb_command_option *option = own_options;

	while (option->name && option->number != number)
		option++;
	if (!option->name && number >= TB_SBATCH_UNPLANNED)
		return tb_sbatch_unplanned((unsigned)number -
					   TB_SBATCH_UNPLANNED);
	return option->name;
}

/* For check_combinations(), which sees the binding. */
static void keep_ruled_value(struct reading *reading, const char *name)
{
	for (int i = 0; name && tb_combination_options[i]; i++)
		if (i < RULED_MAX && !strcmp(tb_combination_options[i], name))
			reading->ruled[i] = optarg ? optarg : name;
}

/* Those that Slurm keeps in 16 bits. */
static uint16_t *find_number(struct reading *reading, int option)
{
	job_desc_msg_t *job = &reading->options->job;

	switch (option) {
	case 'c':
		return &job->cpus_per_task;
	case OPT_PER_TRES:
		return &reading->per_tres;
	case OPT_PER_NODE:
		return &job->ntasks_per_node;
	case OPT_PER_SOCKET:
		return &job->ntasks_per_socket;
	case OPT_PER_CORE:
		return &job->ntasks_per_core;
	case OPT_PER_GPU:
		return &job->ntasks_per_tres;
	case OPT_SOCKETS:
		return &job->sockets_per_node;
	case OPT_CORES:
		return &job->cores_per_socket;
	case OPT_THREADS:
		return &job->threads_per_core;
	case OPT_MINCPUS:
		return &job->pn_min_cpus;
	default:
		return NULL;
	}
}

/* Slurm has one field for the two. */
static int check_tasks_of_tres(struct reading *reading, struct tb_error *err)
{
	uint16_t *each = &reading->options->job.ntasks_per_tres;

	if (!reading->per_tres)
		return 0;
	if (*each != NO_VAL16 && *each != reading->per_tres)
		return tb_fail(
			err,
			"--ntasks-per-gpu=%u and --ntasks-per-tres=%u contradict each other, give one of them",
			*each, reading->per_tres);
	*each = reading->per_tres;
	return 0;
}

static int take_number(struct reading *reading, int option, uint16_t *to,
		       struct tb_error *err)
{
	uint64_t number = 0;
	int rc = tb_sbatch_read_number(find_option_name(option), optarg, 1,
				       NO_VAL16 - 1, &number, err);

	*to = (uint16_t)number;
	reading->cpus = reading->cpus || option == 'c';
	reading->per_node = reading->per_node || option == OPT_PER_NODE;
	return rc;
}

static int take_tasks(struct reading *reading, struct tb_error *err)
{
	uint64_t number = 0;
	int rc = tb_sbatch_read_number("ntasks", optarg, 1, TB_SBATCH_COUNT_MAX,
				       &number, err);

	reading->options->job.num_tasks = (uint32_t)number;
	reading->ntasks = true;
	return rc;
}

/* Cores that are left to the system, or threads. */
static int take_spared(job_desc_msg_t *job, int option, struct tb_error *err)
{
	uint64_t number = 0;

	if (tb_sbatch_read_number(find_option_name(option), optarg, 0,
				  CORE_SPEC_THREAD - 1, &number, err))
		return -1;
	job->core_spec = (uint16_t)number;
	if (option == OPT_THREAD_SPEC)
		job->core_spec |= CORE_SPEC_THREAD;
	return 0;
}

static int fail_for_both(int option, int other, struct tb_error *err)
{
	return tb_fail(err, "--%s and --%s exclude each other",
		       find_option_name(option), find_option_name(other));
}

/* Does it count?  Of a script's the same one is replaced, another one counts more. */
static bool variable_says_memory(struct reading *reading, int option)
{
	int before = reading->memory_of_variable;

	reading->memory_of_variable = option;
	if (before && before != option)
		reading->other_memory_of_variable = before;
	if (reading->memory == option)
		reading->memory = 0;
	return !reading->memory;
}

/* One option says how much, as sbatch wants it, or else one variable. */
static int check_memory(const struct reading *reading, struct tb_error *err)
{
	return reading->other_memory_of_variable && !reading->memory
		       ? fail_for_both(reading->other_memory_of_variable,
				       reading->memory_of_variable, err)
		       : 0;
}

/* As sbatch does it: tasks for each GPU say how many GPUs a task has. */
static int check_tasks_of_gpu(const struct reading *reading,
			      struct tb_error *err)
{
	if (reading->options->job.ntasks_per_tres == NO_VAL16)
		return 0;
	if (reading->gpus_per_task)
		return fail_for_both(OPT_PER_GPU, OPT_GPUS_PER_TASK, err);
	if (reading->gpus_per_socket)
		return fail_for_both(OPT_PER_GPU, OPT_GPUS_PER_SOCKET, err);
	return 0;
}

static int take_memory(struct reading *reading, int option,
		       struct tb_error *err)
{
	job_desc_msg_t *job = &reading->options->job;
	uint64_t memory;

	if (reading->is_variable && !variable_says_memory(reading, option))
		return 0;
	if (!reading->is_variable && reading->memory &&
	    reading->memory != option)
		return fail_for_both(reading->memory, option, err);
	if (!reading->is_variable)
		reading->memory = option;
	job->pn_min_memory = NO_VAL64;
	reading->memory_per_gpu = 0;
	if (tb_sbatch_read_memory(find_option_name(option), optarg, &memory,
				  err))
		return -1;
	if (option == OPT_MEM_PER_GPU)
		reading->memory_per_gpu = memory;
	else if (option == OPT_MEM_PER_CPU)
		job->pn_min_memory = memory | MEM_PER_CPU;
	else
		job->pn_min_memory = memory;
	return 0;
}

static int take_disk(job_desc_msg_t *job, struct tb_error *err)
{
	uint64_t megabytes = 0;
	int rc = tb_sbatch_read_memory("tmp", optarg, &megabytes, err);

	job->pn_min_tmp_disk = megabytes < NO_VAL ? (uint32_t)megabytes
						  : NO_VAL - 1;
	return rc;
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
	case 'd':
		return &job->dependency;
	case 'L':
		return &job->licenses;
	case OPT_RESERVATION:
		return &job->reservation;
	case OPT_PREFER:
		return &job->prefer;
	case OPT_MCS_LABEL:
		return &job->mcs_label;
	default:
		return NULL;
	}
}

static const char **find_list(struct reading *reading, int option)
{
	switch (option) {
	case 'G':
		return &reading->gpus;
	case OPT_GRES:
		return &reading->gres;
	case OPT_GPUS_PER_NODE:
		return &reading->gpus_per_node;
	case OPT_GPUS_PER_TASK:
		return &reading->gpus_per_task;
	case OPT_GPUS_PER_SOCKET:
		return &reading->gpus_per_socket;
	case OPT_TRES_PER_TASK:
		return &reading->tres_per_task;
	case OPT_CPUS_PER_GPU:
		return &reading->cpus_per_gpu;
	default:
		return NULL;
	}
}

/* Those without a value. */
static void take_flag(job_desc_msg_t *job, int option)
{
	switch (option) {
	case 'O':
		job->overcommit = 1;
		break;
	case OPT_CONTIGUOUS:
		job->contiguous = 1;
		break;
	case OPT_SPREAD_JOB:
		job->bitflags |= SPREAD_JOB;
		break;
	case OPT_USE_MIN_NODES:
		job->bitflags |= USE_MIN_NODES;
		break;
	default:
		break;
	}
}

static int take_sharing(struct reading *reading, int option,
			struct tb_error *err)
{
	bool *given = option == 's' ? &reading->oversubscribe
				    : &reading->exclusive;

	*given = !reading->is_variable;
	if (reading->exclusive && reading->oversubscribe &&
	    tb_sharing_is_said_once())
		return fail_for_both(OPT_EXCLUSIVE, 's', err);
	return tb_sbatch_read_sharing(&reading->options->job,
				      option == 's' ? "oversubscribe" : optarg,
				      err);
}

static int take_value(struct reading *reading, int option, struct tb_error *err)
{
	job_desc_msg_t *job = &reading->options->job;

	switch (option) {
	case 'N':
		return tb_sbatch_read_nodes(job, optarg, err);
	case 'n':
		return take_tasks(reading, err);
	case 't':
		return tb_sbatch_read_time("time", &job->time_limit, optarg,
					   err);
	case 'S':
	case OPT_THREAD_SPEC:
		return take_spared(job, option, err);
	case 'B':
		reading->node_info = true;
		return tb_sbatch_read_node_info(job, optarg, err);
	case OPT_TIME_MIN:
		return tb_sbatch_read_time("time-min", &job->time_min, optarg,
					   err);
	case OPT_TMP:
		return take_disk(job, err);
	case OPT_MEM:
	case OPT_MEM_PER_CPU:
	case OPT_MEM_PER_GPU:
		return take_memory(reading, option, err);
	case OPT_GRES_FLAGS:
		return tb_sbatch_read_gres_flags(job, optarg, err);
	case OPT_EXCLUSIVE:
	case 's':
		return take_sharing(reading, option, err);
	default:
		take_flag(job, option);
		return 0;
	}
}

static int take_plan_option(void *data, int option, struct tb_error *err)
{
	struct reading *reading = data;
	job_desc_msg_t *job = &reading->options->job;
	char **string = find_string(job, option);
	const char **list = find_list(reading, option);
	uint16_t *number = find_number(reading, option);

	if (option >= TB_OPTION_BINDING)
		return tb_command_take_binding(&reading->binding,
					       reading->source, option, err);
	keep_ruled_value(reading, find_option_name(option));
	if (option == OPT_TRES_PER_TASK)
		reading->variable_says_tres = reading->is_variable;
	if (option == OPT_GPUS_PER_TASK)
		reading->variable_says_gpus = reading->is_variable;
	if (option >= TB_SBATCH_UNPLANNED)
		reading->options->unplanned |= 1U << (option -
						      TB_SBATCH_UNPLANNED);
	else if (string)
		*string = optarg;
	else if (list)
		*list = optarg;
	else if (number)
		return take_number(reading, option, number, err);
	else if (option != TB_SBATCH_IGNORED)
		return take_value(reading, option, err);
	return 0;
}

/* ---- what sbatch makes of them ---- */

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

/* As the SPANK plugin does. */
static int check_combinations(const struct reading *reading,
			      struct tb_error *err)
{
	const struct tb_request *request = &reading->options->spec.request;
	int rc = 0;

	for (int i = 0; !rc && i < RULED_MAX && tb_combination_options[i]; i++)
		if (reading->ruled[i])
			rc = tb_combination_check(request, TB_JOB,
						  tb_combination_options[i],
						  reading->ruled[i], err);
	return rc;
}

/* What one option says, or else one variable: the option counts. */
static int choose_gpus(struct reading *reading, struct tb_task_tres *tres,
		       struct tb_error *err)
{
	if (!reading->gpus_per_task || !tres->gpus)
		return 0;
	if (reading->variable_says_gpus == reading->variable_says_tres)
		return fail_for_both(OPT_TRES_PER_TASK, OPT_GPUS_PER_TASK, err);
	if (reading->variable_says_gpus)
		reading->gpus_per_task = NULL;
	else
		tb_task_tres_clear(tres);
	return 0;
}

/* As sbatch makes other options of --tres-per-task. */
static int take_task_tres(struct reading *reading, struct tb_task_tres *tres,
			  struct tb_error *err)
{
	if (!reading->tres_per_task)
		return 0;
	if (tb_task_tres_read(tres, reading->tres_per_task, err) ||
	    choose_gpus(reading, tres, err))
		return -1;
	if (!tres->cpus || (reading->cpus && reading->variable_says_tres))
		return 0;
	if (reading->cpus)
		return fail_for_both(OPT_TRES_PER_TASK, 'c', err);
	reading->options->job.cpus_per_task = tres->cpus;
	reading->cpus = true;
	return 0;
}

static int make_lists(struct reading *reading, const struct tb_task_tres *tres,
		      struct tb_error *err)
{
	struct tb_plan_options *options = reading->options;
	char memory[32] = "";
	const struct {
		char **to;
		const char *list, *prefix;
	} lists[] = {
		{ &options->gres_per_node, reading->gpus_per_node, "gres:gpu" },
		{ &options->gres_per_node, reading->gres, "gres" },
		{ &options->gres_per_job, reading->gpus, "gres:gpu" },
		{ &options->gres_per_task, reading->gpus_per_task, "gres:gpu" },
		{ &options->gres_per_task, tres->gres, "gres" },
		{ &options->gres_per_socket, reading->gpus_per_socket,
		  "gres:gpu" },
		{ &options->cpus_per_gres, reading->cpus_per_gpu, "gres:gpu" },
		{ &options->memory_per_gres,
		  reading->memory_per_gpu ? memory : NULL, "gres:gpu" },
	};

	snprintf(memory, sizeof(memory), "%llu",
		 (unsigned long long)reading->memory_per_gpu);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (lists[i].list && strcasecmp(lists[i].list, "none") != 0 &&
		    tb_sbatch_add_gres(lists[i].to, lists[i].list,
				       lists[i].prefix, err))
			return -1;
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
	job->tres_per_socket = reading->options->gres_per_socket;
	job->cpus_per_tres = reading->options->cpus_per_gres;
	job->mem_per_tres = reading->options->memory_per_gres;
	tb_sbatch_complete_counts(job,
				  (struct tb_sbatch_given){
					  .ntasks = reading->ntasks,
					  .per_node = reading->per_node,
					  .cpus = reading->cpus,
					  .node_info = reading->node_info });
}

/* ---- all of it ---- */

static const struct tb_command_line usage;

/* The script is what an argument names, "-": the standard input. */
static int read_script(struct reading *reading, const char *path,
		       struct tb_error *err)
{
	struct tb_batch_script *script = &reading->options->script;
	const char *name = strcmp(path, "-") != 0 ? path : "standard input";
	struct tb_error why;
	int at;

	if (tb_batch_script_read(script, path, &why))
		return tb_fail(err, "%.200s: %s", name, why.text);
	if (tb_command_take_words(&usage, (int)script->nwords, script->words,
				  reading, &at, &why))
		return tb_fail(err, "%.200s: line %u: %s", name,
			       script->lines[at], why.text);
	return 0;
}

/* What a variable takes back of a script's. */
static void reset_flag(void *data, const char *option)
{
	struct reading *reading = data;
	job_desc_msg_t *job = &reading->options->job;

	if (!strcmp(option, "overcommit"))
		job->overcommit = NO_VAL8;
	else if (!strcmp(option, "spread-job"))
		job->bitflags &= ~(uint64_t)SPREAD_JOB;
	else if (!strcmp(option, "use-min-nodes"))
		job->bitflags &= ~(uint64_t)USE_MIN_NODES;
}

static int read_variables(struct reading *reading, struct tb_error *err)
{
	int rc;

	reading->is_variable = true;
	rc = tb_sbatch_variables_read(&usage, reset_flag, reading, err);
	reading->is_variable = false;
	return rc;
}

/* Of what is said twice the last counts: script, variables, command line. */
static int begin_with_script(void *data, int count, char **words,
			     struct tb_error *err)
{
	struct reading *reading = data;
	int rc;

	if (!count)
		return read_variables(reading, err);
	if (!strcmp(words[0], ":"))
		return tb_fail(
			err,
			"\":\" begins another part of a heterogeneous job, whose plan nobody knows; plan its parts one by one");
	reading->source = TB_SCRIPT;
	rc = read_script(reading, words[0], err);
	reading->source = TB_COMMAND_LINE;
	return rc ? rc : read_variables(reading, err);
}

/* What stands behind the script is its own. */
static int finish_plan_options(void *data, int count, char **words,
			       struct tb_error *err)
{
	struct reading *reading = data;
	struct tb_task_tres tres = { .gres = NULL };
	int rc;

	(void)count;
	(void)words;
	rc = check_memory(reading, err) || check_tasks_of_tres(reading, err) ||
	     check_tasks_of_gpu(reading, err) ||
	     take_task_tres(reading, &tres, err) ||
	     make_lists(reading, &tres, err);
	tb_task_tres_clear(&tres);
	if (rc)
		return -1;
	make_job(reading);
	tb_plan_spec_make(reading->options);
	if (tb_plan_spec_find_devices(reading->options, err) ||
	    make_binding(reading, err))
		return -1;
	return check_combinations(reading, err);
}

static const struct tb_command_option own_options[] = {
	{ "N", "nodes", "MIN[-MAX]", 'N', NULL },
	{ "n", "ntasks", "N", 'n', NULL },
	{ "c", "cpus-per-task", "N", 'c', NULL },
	{ NULL, "ntasks-per-node", "N", OPT_PER_NODE, NULL },
	{ NULL, "tasks-per-node", "N", OPT_PER_NODE, TB_UNTOLD },
	{ NULL, "ntasks-per-socket", "N", OPT_PER_SOCKET, TB_UNTOLD },
	{ NULL, "ntasks-per-core", "N", OPT_PER_CORE, TB_UNTOLD },
	{ NULL, "ntasks-per-gpu", "N", OPT_PER_GPU, TB_UNTOLD },
	{ NULL, "ntasks-per-tres", "N", OPT_PER_TRES, TB_UNTOLD },
	{ "p", "partition", "PARTITION", 'p', NULL },
	{ "t", "time", "TIME", 't', NULL },
	{ NULL, "time-min", "TIME", OPT_TIME_MIN, TB_UNTOLD },
	{ "C", "constraint", "FEATURES", 'C', NULL },
	{ NULL, "prefer", "FEATURES", OPT_PREFER, TB_UNTOLD },
	{ "w", "nodelist", "NODES", 'w', NULL },
	{ "x", "exclude", "NODES", 'x', NULL },
	{ NULL, "contiguous", NULL, OPT_CONTIGUOUS, TB_UNTOLD },
	{ NULL, "spread-job", NULL, OPT_SPREAD_JOB, TB_UNTOLD },
	{ NULL, "use-min-nodes", NULL, OPT_USE_MIN_NODES, TB_UNTOLD },
	{ "B", "extra-node-info", "S[:C[:T]]", 'B', TB_UNTOLD },
	{ NULL, "sockets-per-node", "N", OPT_SOCKETS, TB_UNTOLD },
	{ NULL, "cores-per-socket", "N", OPT_CORES, TB_UNTOLD },
	{ NULL, "threads-per-core", "N", OPT_THREADS, TB_UNTOLD },
	{ NULL, "mincpus", "N", OPT_MINCPUS, TB_UNTOLD },
	{ "S", "core-spec", "N", 'S', TB_UNTOLD },
	{ NULL, "thread-spec", "N", OPT_THREAD_SPEC, TB_UNTOLD },
	{ "O", "overcommit", NULL, 'O', TB_UNTOLD },
	{ NULL, "mem", "MB", OPT_MEM, NULL },
	{ NULL, "mem-per-cpu", "MB", OPT_MEM_PER_CPU, NULL },
	{ NULL, "mem-per-gpu", "MB", OPT_MEM_PER_GPU, TB_UNTOLD },
	{ NULL, "mem-bind", "TYPE", OPT_MEM_BIND, TB_UNTOLD },
	{ NULL, "tmp", "MB", OPT_TMP, TB_UNTOLD },
	{ NULL, "gres", "LIST", OPT_GRES, NULL },
	{ NULL, "gres-flags", "FLAGS", OPT_GRES_FLAGS, TB_UNTOLD },
	{ "G", "gpus", "N", 'G', NULL },
	{ NULL, "gpus-per-node", "N", OPT_GPUS_PER_NODE, TB_UNTOLD },
	{ NULL, "gpus-per-task", "N", OPT_GPUS_PER_TASK, TB_UNTOLD },
	{ NULL, "gpus-per-socket", "N", OPT_GPUS_PER_SOCKET, TB_UNTOLD },
	{ NULL, "tres-per-task", "LIST", OPT_TRES_PER_TASK, TB_UNTOLD },
	{ NULL, "cpus-per-gpu", "N", OPT_CPUS_PER_GPU, TB_UNTOLD },
	{ NULL, "exclusive", "[user|mcs|exclusive]", OPT_EXCLUSIVE, NULL },
	{ "s", "oversubscribe", NULL, 's', TB_UNTOLD },
	{ "L", "licenses", "LIST", 'L', TB_UNTOLD },
	{ "d", "dependency", "LIST", 'd', TB_UNTOLD },
	{ NULL, "reservation", "NAME", OPT_RESERVATION, NULL },
	{ "q", "qos", "NAME", 'q', NULL },
	{ "A", "account", "NAME", 'A', NULL },
	{ NULL, "mcs-label", "LABEL", OPT_MCS_LABEL, TB_UNTOLD },
	{ 0 },
};
static const struct tb_command_line usage = {
	/* clang-format off */
	.arguments = "[FILE [ARGUMENT...]]",
	.purpose = "Say what a job with these and all other options of sbatch, with those in the #SBATCH lines of FILE (\"-\": stdin), sbatch's variables and TOPOBIND would get now, or when it would start, without submitting it.",
	.notes = "Now: each node's tasks, and its topology with the job's units in lower case. Later: when, where, and who holds the units until then. Other jobs may come first.",
	.exit_codes = "Exit codes: 0 now, 1 later, 2 never, a bad option, or Slurm does not answer.",
	.has_binding = true,
	.own = own_options,
	.shared = tb_sbatch_options,
	.ends_at_argument = true,
	.has_json = true,
	.take = take_plan_option,
	.begin = begin_with_script,
	.finish = finish_plan_options,
	/* clang-format on */
};

int tb_plan_options_read(struct tb_plan_options *options, int argc, char **argv)
{
	struct reading reading = { .options = options,
				   .source = TB_COMMAND_LINE };
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
	free(options->gres_per_socket);
	free(options->cpus_per_gres);
	free(options->memory_per_gres);
	tb_batch_script_clear(&options->script);
}
