/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "combination.h"

#include <stddef.h>
#include <string.h>

/* Is the word one of a list such as "none,quiet"? */
static bool is_one_of(const char *word, size_t length, const char *list)
{
	while (*list != '\0') {
		size_t item = strcspn(list, ",");

		if (item == length && strncmp(list, word, length) == 0)
			return true;
		list += item;
		list += *list == ',';
	}
	return false;
}

/* Has a value, whose words commas separate, some word that is listed, or not? */
static bool has_word(const char *value, const char *list, bool listed)
{
	while (*value != '\0') {
		size_t length = strcspn(value, ",");

		if (is_one_of(value, length, list) == listed)
			return true;
		value += length;
		value += *value == ',';
	}
	return false;
}

static bool is_zero(const char *value)
{
	return strcmp(value, "0") == 0;
}

static bool once_per_host(const struct tb_request *request)
{
	return request->cpus == NULL && request->type == TB_HOST;
}

static bool names_threads(const struct tb_request *request)
{
	return request->cpus != NULL || request->unit.letter == 'T';
}

static bool any(const struct tb_request *request, const char *value)
{
	(void)request;
	return !is_zero(value);
}

static bool not_slots_of_cores(const struct tb_request *request,
			       const char *value)
{
	return !is_zero(value) &&
	       (once_per_host(request) || names_threads(request));
}

static bool threads_left_out(const struct tb_request *request,
			     const char *value)
{
	return !is_zero(value) && names_threads(request);
}

/* Sockets:cores:threads; the first two only choose nodes. */
static bool threads_of_three(const struct tb_request *request,
			     const char *value)
{
	const char *cores = strchr(value, ':');

	return cores != NULL && strchr(cores + 1, ':') != NULL &&
	       names_threads(request);
}

static bool one_core_of_socket(const struct tb_request *request,
			       const char *value)
{
	(void)request;
	return has_word(value, "memory_bound", true);
}

static bool hint_leaves_threads_out(const struct tb_request *request,
				    const char *value)
{
	return has_word(value, "compute_bound,nomultithread", true) &&
	       names_threads(request);
}

/* The node sees all cores granted, not what was chosen of them. */
static bool whole_node_of_some(const struct tb_request *request,
			       const char *value)
{
	return strcmp(value, "exclusive") == 0 &&
	       (once_per_host(request) || request->start != 0 ||
		request->stop != 0);
}

static bool not_by_rounds(const struct tb_request *request, const char *value)
{
	(void)request;
	return has_word(value, "block,cyclic,nopack", false);
}

/* With binstance=env nobody binds, so Slurm may. */
static bool binds_too(const struct tb_request *request, const char *value)
{
	return request->instance == TB_SET &&
	       has_word(value, "none,no,quiet,q,verbose,v", false);
}

/* A task has one memory policy; a fence of memory is something else. */
static bool prefers_too(const struct tb_request *request, const char *value)
{
	return request->instance == TB_SET &&
	       request->memory == TB_MEMORY_PREFER &&
	       has_word(value, "none,no,sort,quiet,q,verbose,v", false);
}

#define NAMES_THREADS \
	"does not go with a binding to threads: bind to whole cores, as with " \
	"--bunit=C, whose tasks then run on as many threads of each"
#define SPARES_CORES \
	"does not go with a binding: leave the first core of each node out " \
	"with --bfilter=first_core, or other cores with a string"

static const struct rule {
	const char *option;
	bool (*contradicts)(const struct tb_request *request,
			    const char *value);
	const char *why; /* the rest of the sentence */
	bool of_jobs_only; /* a step takes it for something else, or not */
} rules[] = {
	{ "ntasks-per-socket", any,
	  "does not go with a binding, which places the tasks: spread them "
	  "with --bstrategy=scatter, or give each a socket with --bunit=S",
	  false },
	{ "ntasks-per-core", not_slots_of_cores,
	  "needs whole cores for each task in a binding: use --btype=slot and "
	  "a unit of at least a core, as with --bunit=C", false },
	{ "threads-per-core", threads_left_out, NAMES_THREADS, false },
	{ "extra-node-info", threads_of_three, NAMES_THREADS, false },
	{ "hint", one_core_of_socket,
	  "does not go with a binding, which places the tasks: spread them "
	  "with --bstrategy=scatter", false },
	{ "hint", hint_leaves_threads_out, NAMES_THREADS, false },
	{ "exclusive", whole_node_of_some,
	  "makes all units of a node the job's, so that --btype=host, --bstart "
	  "and --bstop have none to choose: leave one of the two out", true },
	{ "mincpus", any,
	  "does not go with a binding, in which a job has the units of its "
	  "tasks and no other CPUs: ask for more units with --bamount", true },
	{ "core-spec", any, SPARES_CORES, true },
	{ "thread-spec", any, SPARES_CORES, true },
	{ "distribution", not_by_rounds,
	  "does not go with a binding: only block and cyclic, which deal tasks "
	  "to nodes, do, and --bstrategy places them within a node", false },
	{ "cpu-bind", binds_too,
	  "does not go with a binding, which binds the tasks itself: leave it "
	  "out, or bind with --binstance=env, which leaves that to Slurm",
	  false },
	{ "mem-bind", prefers_too,
	  "does not go with --bmem=prefer, which sets the memory policy of "
	  "tasks itself: leave one of them out, or hold memory with "
	  "--bmem=local, inside which --mem-bind chooses", false },
	{ "cpus-per-gpu", any,
	  "does not go with a binding, in which units are the CPUs: ask for "
	  "units with --bamount for each task, and for GPUs with "
	  "--gpus-per-task", true },
	{ "gpus-per-socket", any,
	  "does not go with a binding, which chooses the sockets: ask for GPUs "
	  "with --gpus-per-task or --gpus-per-node", true },
};

#define RULES (sizeof(rules) / sizeof(rules[0]))

const char *const tb_combination_options[] = {
	"ntasks-per-socket", "ntasks-per-core", "threads-per-core",
	"extra-node-info", "hint", "exclusive", "mincpus", "core-spec",
	"thread-spec", "distribution", "cpu-bind", "mem-bind",
	"cpus-per-gpu", "gpus-per-socket", NULL,
};

static int fail(const char *option, const char *value, const char *why,
		struct tb_error *err)
{
	/* --exclusive is said without a value. */
	bool named = strcmp(option, value) == 0;

	return tb_fail(err, "--%s%s%.100s %s", option, named ? "" : "=",
		       named ? "" : value, why);
}

int tb_combination_check(const struct tb_request *request,
			 enum tb_asker asker, const char *option,
			 const char *value, struct tb_error *err)
{
	if (!tb_request_binds(request))
		return 0;
	for (size_t i = 0; i < RULES; i++) {
		const struct rule *rule = &rules[i];

		if (strcmp(rule->option, option) != 0 ||
		    (rule->of_jobs_only && asker == TB_JOB_STEP) ||
		    !rule->contradicts(request, value))
			continue;
		return fail(option, value, rule->why, err);
	}
	return 0;
}
