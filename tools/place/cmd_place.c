/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_place.c - topobind place */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "core/request/alternatives.h"
#include "core/topology/distances.h"
#include "core/topology/os_cpus.h"
#include "place.h"
#include "place_why.h"
#include "terminal/wrap.h"

enum {
	OPT_TOPOLOGY = TB_OPTION_OWN,
	OPT_DISTANCES,
	OPT_OS_CPUS,
	OPT_SLOTS,
	OPT_BATCH,
	OPT_WHY,
	OPT_TOGETHER,
};

struct options {
	struct tb_command common;
	const char *topology;
	const char *distances;
	const char *os_cpus;
	unsigned nslots;
	struct tb_options binding;
	struct tb_request request; /* of all binding options together */
	bool why;
	bool together;
	bool batch;
	const char *batch_file;
};

static int take_place_option(void *data, int option, struct tb_error *err)
{
	struct options *options = data;

	switch (option) {
	case OPT_TOPOLOGY:
		options->topology = optarg;
		return 0;
	case OPT_DISTANCES:
		options->distances = optarg;
		return 0;
	case OPT_OS_CPUS:
		options->os_cpus = optarg;
		return 0;
	case OPT_SLOTS:
		return tb_slots_parse(optarg, &options->nslots, err);
	case OPT_WHY:
		options->why = true;
		return 0;
	case OPT_TOGETHER:
		options->together = true;
		return 0;
	case OPT_BATCH:
		options->batch = true;
		return 0;
	default:
		return tb_command_take_binding(&options->binding,
					       TB_COMMAND_LINE, option, err);
	}
}

/* With --batch all of these are in the table. */
static bool asks_for_one(const struct options *options)
{
	return options->topology || options->distances || options->os_cpus ||
	       options->why || options->together || options->nslots != 1 ||
	       tb_options_given(&options->binding);
}

static int take_place_arguments(void *data, int count, char **words,
				struct tb_error *err)
{
	struct options *options = data;

	if (options->batch && (options->common.json || asks_for_one(options)))
		return tb_fail(
			err,
			"--batch reads a table of requests and prints one: leave out the other options");
	if (options->why && options->together)
		return tb_fail(
			err,
			"--why is about the first of slots one after the other: leave out --together");
	if (options->batch && count) {
		options->batch_file = words[0];
		count--, words++;
	}
	return tb_command_no_arguments(count, words, err);
}

static const struct tb_command_option own_options[] = {
	{ NULL, "topology", "STRING", OPT_TOPOLOGY,
	  "the node; lower-case units are in use" },
	{ NULL, "distances", "ROWS", OPT_DISTANCES,
	  "between its NUMA nodes, as in 10,21;21,10" },
	{ NULL, "os-cpus", "RUNS", OPT_OS_CPUS,
	  "the OS numbers of its threads, as its m_oscpus= has them" },
	{ NULL, "slots", "N", OPT_SLOTS,
	  "how many slots (tasks) to place [1]" },
	{ NULL, "together", NULL, OPT_TOGETHER,
	  "all slots in as few containers as possible, as slurmctld places those of a job" },
	{ NULL, "why", NULL, OPT_WHY,
	  "which containers were looked at for the first slot, and what decided" },
	{ NULL, "batch", NULL, OPT_BATCH,
	  "place the rows of a TSV table from FILE or stdin; goes with no other option" },
	{ 0 },
};
static const struct tb_command_line usage = {
	.arguments = "[FILE]",
	.purpose =
		"Place slots on one node offline, with the function of the controller. The binding options are those of sbatch: \"topobind options\" explains them.",
	.exit_codes =
		"Exit codes: 0 at least one slot was placed, 1 none fits, 2 bad request.",
	.has_binding = true,
	.own = own_options,
	.has_json = true,
	.take = take_place_option,
	.finish = take_place_arguments,
};

/* "X:1"; malloc()ed, NULL also when there are no alternatives. */
static char *print_chosen(const struct options *options,
			  const struct tb_outcome *outcome)
{
	struct tb_request plain = tb_request_plain(&options->request,
						   outcome->chosen);

	return options->request.nalternatives && outcome->granted
		       ? tb_request_print_alternative(&plain)
		       : NULL;
}

static void print_granted(const struct options *options,
			  const struct tb_outcome *outcome, unsigned nslots)
{
	char *chosen = print_chosen(options, outcome);

	if (chosen)
		printf("with     %s\n", chosen);
	free(chosen);
	tb_print_cell(stdout, outcome->granted, (unsigned)printf("granted  "));
	tb_print_cell(stdout, outcome->inuse_after,
		      (unsigned)printf("in use   "));
	printf("slots    %u of %u\n", outcome->slots, nslots);
	for (unsigned i = 0; i < outcome->groups; i++)
		tb_print_cell(stdout, outcome->group_lists[i],
			      (unsigned)printf("  slot %-4u threads ", i));
	for (unsigned i = 0; i < outcome->parts; i++)
		tb_print_cell(stdout, outcome->part_lists[i],
			      (unsigned)printf("  %-9s threads ",
					       outcome->part_names[i]));
}

/* NULL: the request has none. */
static json_t *make_parts_json(const struct tb_outcome *outcome)
{
	json_t *parts = outcome->parts ? json_array() : NULL;

	for (unsigned i = 0; i < outcome->parts; i++)
		json_array_append_new(parts, json_pack("{s:s, s:s}", "units",
						       outcome->part_names[i],
						       "threads",
						       outcome->part_lists[i]));
	return parts;
}

static const char *get_reason(const struct tb_outcome *outcome)
{
	if (outcome->other_shape)
		return "the request is for another topology";
	if (outcome->mismatch)
		return "the filter has another shape than the topology";
	return "not a single slot fits";
}

static int print_outcome_json(const struct options *options,
			      const struct tb_offline_node *node,
			      const struct tb_outcome *outcome)
{
	char *request = tb_request_print(&options->request);
	char *chosen = print_chosen(options, outcome);
	json_t *threads = json_array();
	struct tb_request plain = tb_request_plain(&options->request,
						   outcome->chosen);
	json_t *json;
	int rc;

	for (unsigned i = 0; i < outcome->groups; i++)
		json_array_append_new(threads,
				      json_string(outcome->group_lists[i]));
	json = json_pack("{s:s*, s:s*, s:s, s:i, s:i, s:s?, s:s?, s:o, s:s?}",
			 "request", request, "alternative", chosen, "topology",
			 options->topology, "slots_wanted",
			 (int)options->nslots, "slots", (int)outcome->slots,
			 "granted", outcome->granted, "inuse_after",
			 outcome->inuse_after, "slot_threads", threads,
			 "reason",
			 outcome->granted ? NULL : get_reason(outcome));
	if (outcome->parts)
		json_object_set_new(json, "parts", make_parts_json(outcome));
	if (options->why && outcome->granted)
		json_object_set_new(json, "why", tb_why_json(node, &plain));
	rc = tb_command_print_json(options->common.name, json);
	json_decref(json);
	free(chosen);
	free(request);
	return rc;
}

static int print_result(const struct options *options,
			const struct tb_offline_node *node,
			const struct tb_outcome *outcome)
{
	struct tb_request plain = tb_request_plain(&options->request,
						   outcome->chosen);

	if (options->common.json) {
		int rc = print_outcome_json(options, node, outcome);

		if (rc)
			return rc;
	} else if (outcome->granted) {
		print_granted(options, outcome, options->nslots);
		if (options->why && tb_print_why(node, &plain))
			return tb_command_fail(options->common.name,
					       "out of memory");
	} else {
		tb_print_sentence(stdout, "does not fit: %s",
				  get_reason(outcome));
	}
	return outcome->granted ? TB_EXIT_OK : TB_EXIT_NO_FIT;
}

static int make_request(struct options *options, struct tb_error *err)
{
	if (!options->topology)
		return tb_fail(
			err,
			"--topology is missing: give the node's topology string");
	if (tb_options_merge(&options->binding, NULL, NULL, &options->request,
			     err) ||
	    tb_request_complete(&options->request, err))
		return -1;
	if (!tb_request_binds(&options->request))
		return tb_fail(
			err,
			"no binding is asked for: give --bamount with 1 or more, or --bcpus");
	return 0;
}

static int set_distances(const struct tb_offline_node *node, const char *text,
			 struct tb_error *err)
{
	unsigned count = tb_topology_count(node->topology, 'N');
	struct tb_error why;
	unsigned *distances;
	int rc;

	if (!text)
		return 0;
	distances = tb_distances_parse(text, count, &why);
	if (!distances)
		return tb_fail(err, "--distances: \"%.60s\": %.300s", text,
			       why.text);
	rc = tb_topology_set_distances(node->topology, distances, count, err);
	free(distances);
	return rc;
}

static int set_os_cpus(const struct tb_offline_node *node,
		       const struct options *options, struct tb_error *err)
{
	struct tb_error why;
	unsigned *os_cpus;
	int rc;

	if (!options->os_cpus)
		return options->request.os_numbers
			       ? tb_fail(err,
					 "--bcpus=os: names OS CPU numbers: give those of the node with --os-cpus, as its m_oscpus= has them")
			       : 0;
	os_cpus = tb_os_cpus_parse(options->os_cpus, node->topology, &why);
	if (!os_cpus)
		return tb_fail(err, "--os-cpus: \"%.60s\": %.300s",
			       options->os_cpus, why.text);
	rc = tb_topology_set_os_cpus(node->topology, os_cpus, err);
	free(os_cpus);
	return rc;
}

static int place_one(struct options *options)
{
	struct tb_offline_nodes *nodes = tb_offline_nodes_create();
	const struct tb_offline_node *node = NULL;
	struct tb_outcome outcome;
	struct tb_error err = { "out of memory" };
	int rc;

	if (nodes && !make_request(options, &err))
		node = tb_offline_nodes_get(nodes, options->topology, &err);
	if (!node || set_distances(node, options->distances, &err) ||
	    set_os_cpus(node, options, &err) ||
	    tb_outcome_of(node, &options->request, options->nslots,
			  options->together ? tb_place_together : tb_place,
			  tb_topology_print, &outcome, &err)) {
		rc = tb_command_fail(options->common.name, "%s", err.text);
	} else {
		rc = print_result(options, node, &outcome);
		tb_outcome_clear(&outcome);
	}
	tb_offline_nodes_destroy(nodes);
	return rc;
}

static int place_batch(const struct options *options)
{
	FILE *in = stdin;
	int rc;

	if (options->batch_file)
		in = fopen(options->batch_file, "re");
	if (!in)
		return tb_command_fail(options->common.name,
				       "cannot open \"%.200s\": %s",
				       options->batch_file, strerror(errno));
	rc = tb_place_batch(options->common.name, in, stdout);
	if (in != stdin)
		fclose(in);
	return rc;
}

int tb_command_place(int argc, char **argv)
{
	struct options options = { .common.name = argv[0], .nslots = 1 };
	int rc = TB_EXIT_OK;

	tb_request_init(&options.request);
	tb_options_init(&options.binding);
	if (tb_command_read(&options.common, &usage, argc, argv, &options))
		rc = TB_EXIT_BAD;
	else if (options.batch && !options.common.done)
		rc = place_batch(&options);
	else if (!options.common.done)
		rc = place_one(&options);
	tb_request_clear(&options.request);
	tb_options_clear(&options.binding);
	return rc;
}
