/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_place.c - topobind place */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "core/distances.h"
#include "place.h"

enum {
	OPT_TOPOLOGY = TB_OPTION_OWN,
	OPT_DISTANCES,
	OPT_SLOTS,
	OPT_LINE,
	OPT_BATCH,
};

struct options {
	struct tb_command common;
	const char *topology;
	const char *distances;
	unsigned nslots;
	struct tb_request request; /* options one by one */
	struct tb_request line;    /* --topobind: weaker */
	bool batch;
	const char *batch_file;
};

static void print_help(void)
{
	puts("Usage: topobind place --topology STRING --slots N --bunit U --bamount A ...\n"
	     "       topobind place --batch [FILE]\n"
	     "\n"
	     "Place slots on one node offline, exactly as the controller does.\n"
	     "\n"
	     "  --topology STRING  the node; lower-case units are in use\n"
	     "  --distances ROWS   between its NUMA nodes, as in 10,21;21,10\n"
	     "  --slots N          how many slots (tasks) to place [1]\n"
	     "  --bunit UNIT       T C E S X Y N, with C or E before it for the core kind\n"
	     "  --bamount N        units per slot or host\n"
	     "  --btype TYPE       slot or host [slot]\n"
	     "  --bstrategy NAME   packed, linear or scatter [packed]\n"
	     "  --bsort LETTERS    order of units: S C E N X Y T, upper or lower case\n"
	     "  --bstart, --bstop LETTER   start and end of the window\n"
	     "  --bfilter FILTER   first_core, a topology string, or first_core+STRING\n"
	     "  --binstance WHO    set, env or pe: who binds [set]\n"
	     "  --btopology STRING only if the node has exactly this shape\n"
	     "  --bcpus LIST       exactly these threads, as in 0-3,8, in place of units\n"
	     "  --bmem, --bmode, --ballow, --bnodes, --bprefer  no part in placement\n"
	     "  --topobind LINE    all of it: bunit=X,bamount=1,...; single options win\n"
	     "  --batch            rows of a TSV table from FILE or stdin\n"
	     "  --json, --help, --version\n"
	     "\n"
	     "Exit codes: 0 at least one slot was placed, 1 none fits, 2 bad request.");
}

static int take_option(void *data, int option, struct tb_error *err)
{
	struct options *options = data;

	switch (option) {
	case OPT_TOPOLOGY:
		options->topology = optarg;
		return 0;
	case OPT_DISTANCES:
		options->distances = optarg;
		return 0;
	case OPT_SLOTS:
		return tb_slots_parse(optarg, &options->nslots, err);
	case OPT_LINE:
		return tb_request_parse(&options->line, optarg, err);
	case OPT_BATCH:
		options->batch = true;
		return 0;
	default:
		return tb_request_set(&options->request,
				      tb_request_keys[option - TB_OPTION_NAMED],
				      optarg, err);
	}
}

/* With --batch all of these are in the table. */
static bool asks_for_one(const struct options *options)
{
	return options->topology || options->distances ||
	       options->nslots != 1 ||
	       tb_request_is_given(&options->request) ||
	       tb_request_is_given(&options->line);
}

static int finish(void *data, int count, char **words, struct tb_error *err)
{
	struct options *options = data;

	if (options->batch && (options->common.json || asks_for_one(options)))
		return tb_fail(err, "--batch reads a table of requests and prints one: leave out the other options");
	if (options->batch && count) {
		options->batch_file = words[0];
		count--, words++;
	}
	return tb_command_no_arguments(count, words, err);
}

static const struct option own_options[] = {
	{ "topology", required_argument, NULL, OPT_TOPOLOGY },
	{ "distances", required_argument, NULL, OPT_DISTANCES },
	{ "slots", required_argument, NULL, OPT_SLOTS },
	{ "topobind", required_argument, NULL, OPT_LINE },
	{ "batch", no_argument, NULL, OPT_BATCH },
	{ NULL, 0, NULL, 0 },
};
static const struct tb_command_line usage = {
	.own = own_options,
	.names = tb_request_keys,
	.has_json = true,
	.print_help = print_help,
	.take = take_option,
	.finish = finish,
};

static void print_outcome(const struct tb_outcome *outcome, unsigned nslots)
{
	printf("granted  %s\n", outcome->granted);
	printf("in use   %s\n", outcome->inuse_after);
	printf("slots    %u of %u\n", outcome->slots, nslots);
	for (unsigned i = 0; i < outcome->groups; i++)
		printf("  slot %-4u threads %s\n", i, outcome->group_lists[i]);
}

static const char *reason_of(const struct tb_outcome *outcome)
{
	if (outcome->other_shape)
		return "the request is for another topology";
	if (outcome->mismatch)
		return "the filter has another shape than the topology";
	return "not a single slot fits";
}

static json_t *json_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static int print_outcome_json(const struct options *options,
			      const struct tb_outcome *outcome)
{
	char *request = tb_request_print(&options->request);
	json_t *threads = json_array();
	json_t *json;
	int rc;

	for (unsigned i = 0; i < outcome->groups; i++)
		json_array_append_new(threads,
				      json_string(outcome->group_lists[i]));
	json = json_pack("{s:s*, s:s, s:i, s:i, s:o, s:o, s:o, s:o}",
			 "request", request, "topology", options->topology,
			 "slots_wanted", (int) options->nslots,
			 "slots", (int) outcome->slots,
			 "granted", json_or_null(outcome->granted),
			 "inuse_after", json_or_null(outcome->inuse_after),
			 "slot_threads", threads,
			 "reason", json_or_null(outcome->granted ? NULL :
						reason_of(outcome)));
	rc = tb_command_print_json(options->common.name, json);
	json_decref(json);
	free(request);
	return rc;
}

static int report(const struct options *options,
		  const struct tb_outcome *outcome)
{
	if (options->common.json) {
		int rc = print_outcome_json(options, outcome);

		if (rc)
			return rc;
	} else if (outcome->granted) {
		print_outcome(outcome, options->nslots);
	} else {
		printf("does not fit: %s\n", reason_of(outcome));
	}
	return outcome->granted ? TB_EXIT_OK : TB_EXIT_NO_FIT;
}

/* The request of all options together, ready to place. */
static int complete_request(struct options *options, struct tb_error *err)
{
	if (!options->topology)
		return tb_fail(err, "--topology is missing: give the node's topology string");
	if (tb_request_inherit(&options->request, &options->line, err) ||
	    tb_request_check(&options->request, err))
		return -1;
	if (!tb_request_binds(&options->request))
		return tb_fail(err, "no binding is asked for: give --bamount with 1 or more, or --bcpus");
	return 0;
}

static int set_distances(const struct tb_site *site, const char *text,
			 struct tb_error *err)
{
	unsigned count = tb_topology_count(site->topology, 'N');
	struct tb_error why;
	unsigned *distances;
	int rc;

	if (!text)
		return 0;
	distances = tb_distances_parse(text, count, &why);
	if (!distances)
		return tb_fail(err, "--distances: \"%.60s\": %.300s", text,
			       why.text);
	rc = tb_topology_set_distances(site->topology, distances, count, err);
	free(distances);
	return rc;
}

static int place_one(struct options *options)
{
	struct tb_sites *sites = tb_sites_create();
	const struct tb_site *site = NULL;
	struct tb_outcome outcome;
	struct tb_error err = { "out of memory" };
	int rc;

	if (sites && !complete_request(options, &err))
		site = tb_sites_get(sites, options->topology, &err);
	if (!site || set_distances(site, options->distances, &err) ||
	    tb_outcome_of(site, &options->request, options->nslots,
			  tb_topology_print, &outcome, &err)) {
		rc = tb_command_fail(options->common.name, "%s", err.text);
	} else {
		rc = report(options, &outcome);
		tb_outcome_clear(&outcome);
	}
	tb_sites_destroy(sites);
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
	tb_request_init(&options.line);
	if (tb_command_read(&options.common, &usage, argc, argv, &options))
		rc = TB_EXIT_BAD;
	else if (options.batch && !options.common.done)
		rc = place_batch(&options);
	else if (!options.common.done)
		rc = place_one(&options);
	tb_request_clear(&options.request);
	tb_request_clear(&options.line);
	return rc;
}
