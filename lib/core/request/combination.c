/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "combination.h"

#include <stddef.h>
#include <string.h>

#include "alternatives.h"

/* Is the word one of a list such as "none,quiet"? */
static bool is_listed_word(const char *word, size_t length, const char *list)
{
	while (*list) {
		size_t item = strcspn(list, ",");

		if (item == length && strncmp(list, word, length) == 0)
			return true;
		list += item;
		list += *list == ',';
	}
	return false;
}

/*
 * Has a value, a list of words with commas between them, a word that is listed
 * (or with listed == false one that is not)?
 */
static bool value_has_word(const char *value, const char *list, bool listed)
{
	while (*value) {
		size_t length = strcspn(value, ",");

		if (is_listed_word(value, length, list) == listed)
			return true;
		value += length;
		value += *value == ',';
	}
	return false;
}

static bool is_zero_value(const char *value)
{
	return strcmp(value, "0") == 0;
}

static bool binds_once_per_host(const struct tb_request *request)
{
	return !request->cpus && request->type == TB_HOST;
}

static bool binds_to_threads(const struct tb_request *request)
{
	return request->cpus || request->unit.letter == 'T';
}

static bool has_option_value(const struct tb_request *request,
			     const char *value)
{
	(void)request;
	return !is_zero_value(value);
}

static bool needs_slots_of_cores(const struct tb_request *request,
				 const char *value)
{
	return !is_zero_value(value) &&
	       (binds_once_per_host(request) || binds_to_threads(request));
}

static bool leaves_threads_out(const struct tb_request *request,
			       const char *value)
{
	return !is_zero_value(value) && binds_to_threads(request);
}

/* sockets:cores:threads, of which the first two only choose nodes. */
static bool names_threads_of_core(const struct tb_request *request,
				  const char *value)
{
	const char *cores = strchr(value, ':');

	return cores && strchr(cores + 1, ':') != NULL &&
	       binds_to_threads(request);
}

static bool wants_one_core_of_socket(const struct tb_request *request,
				     const char *value)
{
	(void)request;
	return value_has_word(value, "memory_bound", true);
}

static bool hint_leaves_threads_out(const struct tb_request *request,
				    const char *value)
{
	return value_has_word(value, "compute_bound,nomultithread", true) &&
	       binds_to_threads(request);
}

/* The node gets all cores granted, not those that the options chose. */
static bool takes_whole_node(const struct tb_request *request,
			     const char *value)
{
	return strcmp(value, "exclusive") == 0 &&
	       (binds_once_per_host(request) || request->start != 0 ||
		request->stop != 0);
}

static bool has_other_distribution(const struct tb_request *request,
				   const char *value)
{
	(void)request;
	return value_has_word(value, "block,cyclic,nopack", false);
}

/* With binstance=env topobind does not bind, so Slurm may. */
static bool asks_for_cpu_bind(const struct tb_request *request,
			      const char *value)
{
	return request->instance == TB_SET &&
	       value_has_word(value, "none,no,quiet,q,verbose,v", false);
}

/* A task has one memory policy.  Limiting its memory nodes is something else. */
static bool asks_for_mem_bind(const struct tb_request *request,
			      const char *value)
{
	return request->instance == TB_SET &&
	       request->memory.where == TB_MEMORY_PREFER &&
	       value_has_word(value, "none,no,sort,quiet,q,verbose,v", false);
}

/* The parts are near each other; nothing says which is to be near the devices. */
static bool wants_parts_near_devices(const struct tb_request *request,
				     const char *value)
{
	return request->nparts &&
	       value_has_word(value, "enforce-binding", true);
}

#define NAMES_THREADS \
	"does not go with a binding to threads: bind to whole cores, as with " \
	"--bunit=C, whose tasks then run on as many threads of each"
#define SPARES_CORES \
	"does not go with a binding: leave the first core of each node out " \
	"with --bfilter=first_core, or other cores with a string"

static const struct combination_rule {
	const char *option;
	bool (*contradicts)(const struct tb_request *request,
			    const char *value);
	const char *why;   /* the rest of the sentence */
	bool of_jobs_only; /* steps ignore it or use it for something else */
} rules[] = {
	/* clang-format off */
	{ "ntasks-per-socket", has_option_value,
	  "does not go with a binding, which places the tasks: spread them "
	  "with --bstrategy=scatter, or give each a socket with --bunit=S",
	  false },
	{ "ntasks-per-core", needs_slots_of_cores,
	  "needs whole cores for each task in a binding: use --btype=slot and "
	  "a unit of at least a core, as with --bunit=C", false },
	{ "threads-per-core", leaves_threads_out, NAMES_THREADS, false },
	{ "extra-node-info", names_threads_of_core, NAMES_THREADS, false },
	{ "hint", wants_one_core_of_socket,
	  "does not go with a binding, which places the tasks: spread them "
	  "with --bstrategy=scatter", false },
	{ "hint", hint_leaves_threads_out, NAMES_THREADS, false },
	{ "exclusive", takes_whole_node,
	  "makes all units of a node the job's, so that --btype=host, --bstart "
	  "and --bstop have none to choose: leave one of the two out", true },
	{ "mincpus", has_option_value,
	  "does not go with a binding, in which a job has the units of its "
	  "tasks and no other CPUs: ask for more units with --bamount", true },
	{ "core-spec", has_option_value, SPARES_CORES, true },
	{ "thread-spec", has_option_value, SPARES_CORES, true },
	{ "distribution", has_other_distribution,
	  "does not go with a binding: only block and cyclic, which deal tasks "
	  "to nodes, do, and --bstrategy places them within a node", false },
	{ "cpu-bind", asks_for_cpu_bind,
	  "does not go with a binding, which binds the tasks itself: leave it "
	  "out, or bind with --binstance=env, which leaves that to Slurm",
	  false },
	{ "mem-bind", asks_for_mem_bind,
	  "does not go with --bmem=prefer, which sets the memory policy of "
	  "tasks itself: leave one of them out, or hold memory with "
	  "--bmem=local, inside which --mem-bind chooses", false },
	{ "cpus-per-gpu", has_option_value,
	  "does not go with a binding, in which units are the CPUs: ask for "
	  "units with --bamount for each task, and for GPUs with "
	  "--gpus-per-task", true },
	{ "gpus-per-socket", has_option_value,
	  "does not go with a binding, which chooses the sockets: ask for GPUs "
	  "with --gpus-per-task or --gpus-per-node", true },
	{ "gres-flags", wants_parts_near_devices,
	  "does not go with units of two kinds, which are near each other and "
	  "not near devices: leave it out, or ask for one kind of unit", true },
	/* clang-format on */
};

#define RULES (sizeof(rules) / sizeof(rules[0]))

const char *const tb_combination_options[] = {
	/* clang-format off */
	"ntasks-per-socket", "ntasks-per-core", "threads-per-core",
	"extra-node-info", "hint", "exclusive", "mincpus", "core-spec",
	"thread-spec", "distribution", "cpu-bind", "mem-bind",
	"cpus-per-gpu", "gpus-per-socket", "gres-flags", NULL,
	/* clang-format on */
};

static int fail_for_option(const char *option, const char *value,
			   const char *why, struct tb_error *err)
{
	/* --exclusive has no value. */
	bool named = strcmp(option, value) == 0;

	return tb_fail(err, "--%s%s%.100s %s", option, named ? "" : "=",
		       named ? "" : value, why);
}

/* Of alternatives each must go with it: it may be the one that counts. */
static bool contradicts(const struct combination_rule *rule,
			const struct tb_request *request, const char *value)
{
	for (unsigned i = 0; i < tb_request_plain_count(request); i++) {
		struct tb_request plain = tb_request_plain(request, i);

		if (rule->contradicts(&plain, value))
			return true;
	}
	return false;
}

int tb_combination_check(const struct tb_request *request, enum tb_asker asker,
			 const char *option, const char *value,
			 struct tb_error *err)
{
	if (!tb_request_binds(request))
		return 0;
	for (size_t i = 0; i < RULES; i++) {
		const struct combination_rule *rule = &rules[i];

		if (strcmp(rule->option, option) != 0 ||
		    (rule->of_jobs_only && asker == TB_JOB_STEP) ||
		    !contradicts(rule, request, value))
			continue;
		return fail_for_option(option, value, rule->why, err);
	}
	return 0;
}
