/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sbatch_variables.c - see sbatch_variables.h */
#include "sbatch_variables.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum kind {
	VALUE,
	SOME_VALUE, /* that may be left out */
	FLAG,
};

/* Those of all supported releases that are options of a plan, or told not to be. */
static const struct variable {
	const char *name, *option;
	enum kind kind;
} variables[] = {
	{ "SBATCH_ACCOUNT", "account", VALUE },
	{ "SBATCH_ARRAY_INX", "array", VALUE },
	{ "SBATCH_BURST_BUFFER", "bb", VALUE },
	{ "SBATCH_CLUSTERS", "clusters", VALUE },
	{ "SLURM_CLUSTERS", "clusters", VALUE },
	{ "SBATCH_CLUSTER_CONSTRAINT", "cluster-constraint", VALUE },
	{ "SBATCH_CONSOLIDATE_SEGMENTS", "consolidate-segments", FLAG },
	{ "SBATCH_CONSTRAINT", "constraint", VALUE },
	{ "SBATCH_CORE_SPEC", "core-spec", VALUE },
	{ "SBATCH_CPUS_PER_GPU", "cpus-per-gpu", VALUE },
	{ "SBATCH_DISTRIBUTION", "distribution", VALUE },
	{ "SBATCH_EXCLUSIVE", "exclusive", SOME_VALUE },
	{ "SBATCH_GPUS", "gpus", VALUE },
	{ "SBATCH_GPUS_PER_NODE", "gpus-per-node", VALUE },
	{ "SBATCH_GPUS_PER_SOCKET", "gpus-per-socket", VALUE },
	{ "SBATCH_GPUS_PER_TASK", "gpus-per-task", VALUE },
	{ "SBATCH_GRES", "gres", VALUE },
	{ "SBATCH_GRES_FLAGS", "gres-flags", VALUE },
	{ "SBATCH_HINT", "hint", VALUE },
	{ "SLURM_HINT", "hint", VALUE },
	{ "SBATCH_MEM_BIND", "mem-bind", VALUE },
	{ "SBATCH_MEM_PER_CPU", "mem-per-cpu", VALUE },
	{ "SBATCH_MEM_PER_GPU", "mem-per-gpu", VALUE },
	{ "SBATCH_MEM_PER_NODE", "mem", VALUE },
	{ "SBATCH_OVERCOMMIT", "overcommit", FLAG },
	{ "SBATCH_PARTITION", "partition", VALUE },
	{ "SBATCH_QOS", "qos", VALUE },
	{ "SBATCH_REQ_SWITCH", "switches", VALUE },
	{ "SBATCH_RESERVATION", "reservation", VALUE },
	{ "SBATCH_SEGMENT_SIZE", "segment", VALUE },
	{ "SBATCH_SPREAD_JOB", "spread-job", FLAG },
	{ "SBATCH_SPREAD_SEGMENTS", "spread-segments", FLAG },
	{ "SBATCH_THREADS_PER_CORE", "threads-per-core", VALUE },
	{ "SBATCH_THREAD_SPEC", "thread-spec", VALUE },
	{ "SBATCH_TIMELIMIT", "time", VALUE },
	{ "SBATCH_TRES_PER_TASK", "tres-per-task", VALUE },
	{ "SBATCH_USE_MIN_NODES", "use-min-nodes", FLAG },
};

/* As sbatch sees it: nothing, "yes", or a number that is not 0. */
static bool is_set(const char *value)
{
	char *end;
	long number;

	if (!*value || !strcasecmp(value, "yes"))
		return true;
	number = strtol(value, &end, 10);
	return !*end && number;
}

static int find_number(const struct tb_command_line *line, const char *name)
{
	const struct tb_command_option *const tables[] = { line->own,
							   line->shared };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct tb_command_option *option = tables[i];
		     option && option->name; option++)
			if (!strcmp(option->name, name))
				return option->number;
	return 0; /* there is no such option */
}

/* What is taken can point to the value. */
static int take_variable(const struct tb_command_line *line,
			 const struct variable *variable, char *value,
			 void *data, struct tb_error *err)
{
	bool has_value = variable->kind == VALUE ||
			 (variable->kind == SOME_VALUE && *value);
	struct tb_error why;

	optarg = has_value ? value : NULL;
	if (!line->take(data, find_number(line, variable->option), &why))
		return 0;
	return tb_fail(err, "%s in the environment: %s", variable->name,
		       why.text);
}

int tb_sbatch_variables_read(const struct tb_command_line *line,
			     void (*reset)(void *data, const char *option),
			     void *data, struct tb_error *err)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const struct variable *variable = &variables[i];
		char *value = getenv(variable->name);

		if (!value)
			continue;
		if (variable->kind == FLAG && !is_set(value))
			reset(data, variable->option);
		else if (take_variable(line, variable, value, data, err))
			return -1;
	}
	return 0;
}
