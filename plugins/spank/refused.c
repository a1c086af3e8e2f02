/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE /* asprintf */
#include "refused.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/client_options.h"
#include "compat/slurm_types.h"

#include "common/node/node_extra.h"
#include "common/node/node_features.h"
#include "core/plan/never.h"
#include "core/plan/never_cpus.h"
#include "core/plan/never_tasks.h"
#include "core/request/alternatives.h"
#include "core/request/prefer.h"
#include "core/request/request.h"

/* slurm/spank.h, which has it too, does not go with Slurm's other headers. */
extern void slurm_error(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* The exit handler gets no argument of ours. */
static char *request_line;
static unsigned parts;

/* Which nodes the user allows; NULL: all. */
struct choice {
	tb_hostlist_t required, excluded, partition;
};

/* NULL: the option was not given. */
static tb_hostlist_t read_hosts(const char *option)
{
	char *value = tb_client_option(option);
	tb_hostlist_t hosts = value ? slurm_hostlist_create(value) : NULL;

	tb_client_option_free(value);
	return hosts;
}

/* Of the partitions asked for, or the default one.  NULL: not known. */
static tb_hostlist_t load_partition_hosts(void)
{
	partition_info_msg_t *partitions = NULL;
	tb_hostlist_t hosts = NULL;
	char *names;

	if (slurm_load_partitions(0, &partitions, SHOW_ALL))
		return NULL;
	names = tb_client_option("partition");
	hosts = slurm_hostlist_create("");
	for (uint32_t i = 0; hosts && i < partitions->record_count; i++) {
		const partition_info_t *partition =
			&partitions->partition_array[i];

		if (partition->nodes &&
		    (names ? tb_name_is_listed(names, partition->name)
			   : partition->flags & PART_FLAG_DEFAULT))
			slurm_hostlist_push(hosts, partition->nodes);
	}
	tb_client_option_free(names);
	slurm_free_partition_info_msg(partitions);
	if (hosts && !slurm_hostlist_count(hosts)) {
		slurm_hostlist_destroy(hosts);
		hosts = NULL;
	}
	return hosts;
}

static struct choice read_choice(void)
{
	return (struct choice){
		.required = read_hosts("nodelist"),
		.excluded = read_hosts("exclude"),
		.partition = load_partition_hosts(),
	};
}

static void clear_choice(struct choice *choice)
{
	if (choice->required)
		slurm_hostlist_destroy(choice->required);
	if (choice->excluded)
		slurm_hostlist_destroy(choice->excluded);
	if (choice->partition)
		slurm_hostlist_destroy(choice->partition);
}

static bool is_in(tb_hostlist_t hosts, const char *name)
{
	return slurm_hostlist_find(hosts, name) >= 0;
}

static bool is_allowed(const struct choice *choice, const char *name)
{
	return (!choice->required || is_in(choice->required, name)) &&
	       (!choice->excluded || !is_in(choice->excluded, name)) &&
	       (!choice->partition || is_in(choice->partition, name));
}

/* As it has published it; NULL: nothing that makes sense. */
static struct tb_topology *read_topology(const node_info_t *node)
{
	size_t length;
	const char *found = tb_extra_find(node->extra, TB_EXTRA_TOPOLOGY,
					  &length);
	char *text = found ? strndup(found, length) : NULL;
	struct tb_topology *topology = text ? tb_topology_parse(text, NULL,
								NULL)
					    : NULL;

	free(text);
	return topology;
}

/* least: where the option was not given, or makes no sense. */
static unsigned read_number(const char *option, unsigned least)
{
	char *value = tb_client_option(option);
	long number = value ? strtol(value, NULL, 10) : 0;

	tb_client_option_free(value);
	return number > least && number < UINT16_MAX ? (unsigned)number : least;
}

static struct tb_tasks_of_node read_tasks_of_node(void)
{
	char *overcommit = tb_client_option("overcommit");
	struct tb_tasks_of_node asked = {
		.tasks = read_number("ntasks-per-node", 0),
		.task_cpus = read_number("cpus-per-task", 1),
		.overcommit = overcommit != NULL,
	};

	tb_client_option_free(overcommit);
	return asked;
}

/* The word for a node that the user allows. */
static const char *name_node(const struct choice *choice, unsigned left_out)
{
	return choice->required ? "required node"
	       : left_out	? "node that it may use"
				: "node";
}

static bool knows_gpu_memory(const node_info_t *node)
{
	size_t length;

	return tb_extra_find(node->extra, TB_EXTRA_GPU_MEMORY, &length) &&
	       length > 0;
}

static bool asks_to_isolate(const struct tb_request *request)
{
	return request->isolate;
}

static bool may_isolate(const node_info_t *node)
{
	return !tb_extra_has(node->extra, TB_EXTRA_ISOLATES, "no");
}

/* What some requests need of a node, beside units. */
static const struct need {
	bool (*is_asked)(const struct tb_request *request);
	bool (*has)(const node_info_t *node);
	/* Of the sentence; between them the word for a node. */
	const char *what, *predicate;
} needs[] = {
	{ tb_request_names_gpu_memory, knows_gpu_memory, "bmem with +gpu",
	  "knows which NUMA node is the memory of which GPU (topobind_binding(7)), leave out +gpu or allow other nodes" },
	{ asks_to_isolate, may_isolate, "bisolate=yes",
	  "can isolate CPUs, which needs cgroup v2 and Linux 6.7 or later there, leave it out or allow other nodes" },
};
#define NEEDS (sizeof(needs) / sizeof(needs[0]))

static bool has_needs(const node_info_t *node, const struct tb_request *request)
{
	for (size_t i = 0; i < NEEDS; i++)
		if (needs[i].is_asked(request) && !needs[i].has(node))
			return false;
	return true;
}

/*
 * The sentence, malloc()ed; NULL: there is none, or nobody knows, as the topology of some
 * nodes is in topobind.conf only, and surely is asked for.
 */
static char *look_at_nodes(const struct choice *choice,
			   const struct tb_request *plain,
			   const node_info_msg_t *nodes, bool surely)
{
	unsigned cpus = read_number("cpus-per-task", 1), left_out = 0;
	struct tb_request request = *plain;
	struct tb_never never = { .nodes = 0 };
	char *sentence;

	/* Where a window is depends on who uses the node then. */
	if (surely)
		tb_request_widen_window(&request);
	for (uint32_t i = 0; i < nodes->record_count; i++) {
		const node_info_t *node = &nodes->node_array[i];
		struct tb_topology *topology;

		if (!node->name)
			continue;
		if (!is_allowed(choice, node->name) ||
		    !has_needs(node, plain)) {
			left_out++;
			continue;
		}
		topology = read_topology(node);
		tb_never_look(&never, &request, cpus, node->name, topology,
			      NULL, NULL);
		tb_topology_destroy(topology);
	}
	sentence = surely && never.unknown
			   ? NULL
			   : tb_never_print(&never, &request, cpus,
					    name_node(choice, left_out));
	tb_never_clear(&never);
	return sentence;
}

/* That no node has it; NULL: some have. */
static char *look_for_need(const struct choice *choice, const struct need *need,
			   const node_info_msg_t *nodes)
{
	unsigned left_out = 0;
	char *sentence;

	for (uint32_t i = 0; i < nodes->record_count; i++) {
		const node_info_t *node = &nodes->node_array[i];

		if (!node->name)
			continue;
		if (!is_allowed(choice, node->name))
			left_out++;
		else if (need->has(node))
			return NULL;
	}
	return asprintf(&sentence, "%s: no %s %s", need->what,
			name_node(choice, left_out), need->predicate) < 0
		       ? NULL
		       : sentence;
}

/* NULL: each need has nodes. */
static char *look_for_needs(const struct choice *choice,
			    const struct tb_request *request,
			    const node_info_msg_t *nodes)
{
	char *sentence = NULL;

	for (size_t i = 0; !sentence && i < NEEDS; i++)
		if (needs[i].is_asked(request))
			sentence = look_for_need(choice, &needs[i], nodes);
	return sentence;
}

/* Units are not to blame: are the CPUs that Slurm wants on each node? */
static char *look_for_tasks(const struct choice *choice,
			    const node_info_msg_t *nodes)
{
	struct tb_tasks_of_node asked = read_tasks_of_node();
	struct tb_never_cpus never = { .most = 0 };
	unsigned left_out = 0;
	char *sentence;

	for (uint32_t i = 0; i < nodes->record_count; i++) {
		const node_info_t *node = &nodes->node_array[i];

		if (!node->name)
			continue;
		if (is_allowed(choice, node->name))
			tb_never_cpus_look(&never, node->name, node->cpus);
		else
			left_out++;
	}
	sentence = tb_never_cpus_print(&never, &asked,
				       name_node(choice, left_out));
	tb_never_cpus_clear(&never);
	return sentence;
}

/* "2", or the larger one of "1-2"; 0: it was not given, or is a list. */
static unsigned read_most_nodes(void)
{
	char *value = tb_client_option("nodes"), *end = value;
	long most = value ? strtol(value, &end, 10) : 0;

	if (value && *end == '-')
		most = strtol(end + 1, &end, 10);
	if (value && *end)
		most = 0;
	tb_client_option_free(value);
	return most > 0 && most < UINT16_MAX ? (unsigned)most : 0;
}

static struct tb_need read_need(const struct tb_request *plain)
{
	char *overcommit = tb_client_option("overcommit");
	struct tb_need need = {
		.request = plain,
		.asked = { .tasks = read_number("ntasks", 1),
			   .tasks_are_given = true,
			   .max_nodes = read_most_nodes(),
			   .task_cpus = read_number("cpus-per-task", 1),
			   .overcommit = overcommit != NULL },
	};

	tb_client_option_free(overcommit);
	return need;
}

/* Can it have nodes that it does not require? */
static bool has_room_for_others(const struct choice *choice,
				const struct tb_need *need)
{
	return !choice->required || !need->asked.max_nodes ||
	       (unsigned)slurm_hostlist_count(choice->required) <
		       need->asked.max_nodes;
}

static void look_for_room(struct tb_never_tasks *never,
			  const struct tb_need *need,
			  const struct choice *choice, const node_info_t *node)
{
	struct tb_topology *topology = read_topology(node);
	struct tb_used_node idle = {
		.topology = topology,
		.books = { .threads_per_core = node->threads,
			   .cpus_per_core = node->threads },
		.most_cpus = UINT32_MAX,
		.required = choice->required &&
			    is_in(choice->required, node->name),
	};

	if (topology) {
		idle.placer = tb_placer_create(topology);
		idle.books.by_thread = node->sockets * node->cores !=
				       tb_topology_cores(topology);
	}
	tb_never_tasks_look(never, need, node->name,
			    idle.placer ? &idle : NULL);
	tb_placer_destroy(idle.placer);
	tb_topology_destroy(topology);
}

/* Nor are these: are there units and CPUs for all tasks together? */
static char *look_for_all_tasks(const struct choice *choice,
				const struct tb_request *request,
				const node_info_msg_t *nodes)
{
	struct tb_request plain = tb_request_plain(request, 0);
	struct tb_need need = read_need(&plain);
	struct tb_never_tasks never = { .count = 0 };
	struct choice allowed = *choice;
	unsigned left_out = 0;
	char *sentence;

	if (tb_request_plain_count(request) != 1)
		return NULL;
	if (has_room_for_others(choice, &need))
		allowed.required = NULL;
	for (uint32_t i = 0; i < nodes->record_count; i++) {
		const node_info_t *node = &nodes->node_array[i];

		if (!node->name)
			continue;
		if (is_allowed(&allowed, node->name))
			look_for_room(&never, &need, choice, node);
		else
			left_out++;
	}
	sentence = tb_never_tasks_print(&never, &need,
					name_node(&allowed, left_out));
	tb_never_tasks_clear(&never);
	return sentence;
}

/*
 * Of alternatives one sentence after the other.  NULL: there is none for one of them,
 * which units cannot be to blame then.
 */
static char *look_for_each(const struct choice *choice,
			   const struct tb_request *request,
			   const node_info_msg_t *nodes, bool surely)
{
	char *all = NULL;

	for (unsigned i = 0; i < tb_request_plain_count(request); i++) {
		struct tb_request plain = tb_request_plain(request, i);
		char *one = look_at_nodes(choice, &plain, nodes, surely);
		char *both = NULL;

		if (one && asprintf(&both, "%s%s%s", all ? all : "",
				    all ? ", and " : "", one) < 0)
			both = NULL;
		free(one);
		free(all);
		all = both;
		if (!all)
			break;
	}
	return all;
}

/* Does an option ask for GPUs?  Whole nodes come with theirs. */
static bool asks_for_gpus(void)
{
	static const struct {
		const char *option, *word; /* NULL: whatever the value is */
	} ways[] = {
		{ "gpus", NULL },	    { "gpus-per-node", NULL },
		{ "gpus-per-task", NULL },  { "gpus-per-socket", NULL },
		{ "ntasks-per-gpu", NULL }, { "exclusive", NULL },
		{ "gres", "gpu" },	    { "tres-per-task", "gpu" },
	};
	bool asks = false;

	for (size_t i = 0; !asks && i < sizeof(ways) / sizeof(ways[0]); i++) {
		char *value = tb_client_option(ways[i].option);

		asks = value && (!ways[i].word || strstr(value, ways[i].word));
		tb_client_option_free(value);
	}
	return asks;
}

/* It has +gpu, and no GPUs; NULL: that is not why. */
static char *ask_gpus(const struct tb_request *request)
{
	struct tb_error err;

	return tb_request_check_gpus(request, asks_for_gpus(), &err)
		       ? strdup(err.text)
		       : NULL;
}

/* A feature that no node has; NULL: that is not why. */
static char *ask_features(const struct tb_request *request,
			  node_info_msg_t *nodes)
{
	struct tb_error err;

	return tb_request_check_features(request, tb_some_node_has_feature,
					 nodes, &err)
		       ? strdup(err.text)
		       : NULL;
}

/* One slot fits; then it is the CPUs of its tasks, or all of them together. */
static char *look_beside_units(const struct choice *choice,
			       const struct tb_request *request,
			       const node_info_msg_t *nodes)
{
	char *sentence = look_for_tasks(choice, nodes);

	return sentence ? sentence : look_for_all_tasks(choice, request, nodes);
}

/* surely: Slurm has refused nothing, so units only that no node has, at any time. */
static char *ask_units(const struct tb_request *request,
		       const node_info_msg_t *nodes, bool surely)
{
	struct choice choice;
	char *sentence = NULL;

	if (!tb_request_binds(request))
		return NULL;
	choice = read_choice();
	if (!surely)
		sentence = look_for_needs(&choice, request, nodes);
	if (!sentence)
		sentence = look_for_each(&choice, request, nodes, surely);
	if (!sentence && !surely)
		sentence = look_beside_units(&choice, request, nodes);
	clear_choice(&choice);
	return sentence;
}

static char *ask_nodes(const struct tb_request *request, bool surely)
{
	node_info_msg_t *nodes = NULL;
	char *sentence;

	if (slurm_load_node(0, &nodes, SHOW_ALL))
		return NULL;
	sentence = ask_features(request, nodes);
	if (!sentence)
		sentence = ask_gpus(request);
	if (!sentence)
		sentence = ask_units(request, nodes, surely);
	slurm_free_node_info_msg(nodes);
	return sentence;
}

/* At exit(): errno is that of the last thing that the client has done. */
static void tell_refused(void)
{
	struct tb_request request;
	struct tb_error err;
	char *sentence = NULL;

	if (errno != ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE || parts != 1)
		return;
	tb_request_init(&request);
	if (!tb_request_parse(&request, request_line, NULL)) {
		if (tb_request_complete(&request, &err))
			slurm_error("topobind: %s", err.text);
		else
			sentence = ask_nodes(&request, false);
	}
	tb_request_clear(&request);
	if (sentence)
		slurm_error("topobind: %s; \"topobind plan\" with the same options shows each node",
			    sentence);
	free(sentence);
}

void tb_refused_remember(const char *line)
{
	/* Before SPANK's own handler, which unloads this plugin. */
	if (!parts++ && atexit(tell_refused))
		return;
	free(request_line);
	request_line = strdup(line);
	if (!request_line)
		parts = 2;
}

int tb_refused_check_held(const char *line, struct tb_error *err)
{
	char *hold = tb_client_option("hold"), *sentence = NULL;
	char *elsewhere = tb_client_option("clusters");
	struct tb_request request;
	int rc = 0;

	tb_request_init(&request);
	if (hold && !elsewhere && !tb_request_parse(&request, line, NULL) &&
	    !tb_request_complete(&request, NULL))
		sentence = ask_nodes(&request, true);
	if (sentence)
		rc = tb_fail(err, "%s", sentence);
	free(sentence);
	tb_request_clear(&request);
	tb_client_option_free(hold);
	tb_client_option_free(elsewhere);
	return rc;
}
