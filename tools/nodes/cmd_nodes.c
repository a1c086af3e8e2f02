/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_nodes.c - topobind nodes */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "cluster/hosts.h"
#include "cluster/node_memory.h"
#include "node_table.h"
#include "cluster/slurm_library.h"
#include "table/table_options.h"
#include "terminal/words.h"

#define SECONDS_MOST 86400

struct options {
	struct tb_command common;
	tb_hostlist_t nodes;		 /* NULL: all */
	const char *partitions, *states; /* lists, NULL: all */
	unsigned seconds; /* between two tables; 0: there is one */
	struct tb_table_options table;
};

/* Words of which one with a flag behind it is a node's state. */
static const char *const states[] = {
	"allocated",   "completing", "down",	     "drained",
	"draining",    "error",	     "fail",	     "failing",
	"future",      "idle",	     "inval",	     "maint",
	"mixed",       "planned",    "powered_down", "powering_down",
	"powering_up", "reboot",     "reserved",     "unknown",
	NULL
};

/* ---- options ---- */

/* Does a state begin with the word? */
static bool state_begins(const char *state, const char *word, size_t length)
{
	return length && !strncasecmp(state, word, length);
}

static int check_states(const struct options *options, struct tb_error *err)
{
	const char *list = options->states, *word;
	size_t length;

	while ((word = tb_words_next(&list, &length))) {
		unsigned i = 0;

		while (states[i] && !state_begins(states[i], word, length))
			i++;
		if (!states[i])
			return tb_fail(
				err,
				"no state of a node begins with \"%.*s\"; there are idle, mixed, allocated, drained, draining, down and more of sinfo's",
				(int)(length < 40 ? length : 40), word);
	}
	return 0;
}

static int take_seconds(struct options *options, struct tb_error *err)
{
	char *rest;
	unsigned long seconds;

	errno = 0;
	seconds = strtoul(optarg, &rest, 10);
	if (*optarg < '0' || *optarg > '9' || *rest || errno || !seconds ||
	    seconds > SECONDS_MOST)
		return tb_fail(
			err,
			"--iterate=%.60s is not a number of seconds, give 1 to %d",
			optarg, SECONDS_MOST);
	options->seconds = (unsigned)seconds;
	return 0;
}

static int take_nodes_option(void *data, int option, struct tb_error *err)
{
	struct options *options = data;

	switch (option) {
	case 'n':
		return tb_hostlist_take(&options->nodes, optarg, err);
	case 'p':
		options->partitions = optarg;
		return 0;
	case 't':
		options->states = optarg;
		return check_states(options, err);
	case 'i':
		return take_seconds(options, err);
	default:
		return tb_table_option(&options->table, tb_node_table(), option,
				       err);
	}
}

static int take_nodes_arguments(void *data, int count, char **words,
				struct tb_error *err)
{
	struct options *options = data;

	for (int i = 0; i < count; i++)
		if (tb_hostlist_take(&options->nodes, words[i], err))
			return -1;
	if (options->seconds && options->common.json)
		return tb_fail(err, "-i prints tables, leave out it or --json");
	return 0;
}

static const struct tb_command_option own_options[] = {
	{ "nw", "nodes", "NODES", 'n', "as NODE" },
	{ "p", "partition", "PARTITION", 'p',
	  "only nodes of these partitions, a,b" },
	{ "t", "states", "LIST", 't',
	  "only nodes in these states, such as idle,mix,drain" },
	{ "i", "iterate", "SECONDS", 'i',
	  "print again and again, with the time above" },
	{ 0 },
};
static const struct tb_command_line usage = {
	/* clang-format off */
	.arguments = "[NODE...]",
	.purpose = "List the nodes of the cluster (all, or those named; n[1-3] works): of each kind of unit how many are free, in all, and in the largest free block; which part of the free cores lies in broken-up caches; how many jobs. Equal nodes are one row.",
	.notes = "Columns: %N nodes, %D count, %T state, %P partitions, %u units, %l largest, %c cores, %f frag, %J jobs, %j jobids, %m topology, %i inuse, %M MB of NUMA nodes, %r reserved, %L lost; of each unit, here X: X, Xfree, Xtotal, Xbroken, Xlargest.",
	.exit_codes = "Exit codes: 0 shown, 2 bad option, unknown node, or Slurm does not answer.",
	.own = own_options,
	.shared = tb_table_options_list,
	.has_json = true,
	.take = take_nodes_option,
	.finish = take_nodes_arguments,
	/* clang-format on */
};

/* ---- which nodes ---- */

static bool is_in_partition(const struct options *options,
			    const node_info_t *node)
{
	const char *list = options->partitions, *word;
	size_t length;

	while ((word = tb_words_next(&list, &length)))
		if (tb_words_have(node->partitions, word, length))
			return true;
	return false;
}

static bool has_state(const struct options *options, const node_info_t *node)
{
	char *state = tb_node_state(node);
	const char *list = options->states, *word;
	size_t length;
	bool has = false;

	while (state && !has && (word = tb_words_next(&list, &length)))
		has = state_begins(state, word, length);
	free(state);
	return has;
}

static bool is_wanted(const struct options *options, const node_info_t *node)
{
	return node->name &&
	       (!options->nodes ||
		slurm_hostlist_find(options->nodes, node->name) >= 0) &&
	       (!options->partitions || is_in_partition(options, node)) &&
	       (!options->states || has_state(options, node));
}

/* Other than 0: an error was printed. */
static int check_names(const struct options *options,
		       const struct tb_cluster *cluster)
{
	char *name;
	int rc = 0;

	if (!options->nodes)
		return 0;
	slurm_hostlist_uniq(options->nodes);
	name = tb_cluster_find_unknown(cluster, options->nodes);
	if (name)
		rc = tb_command_fail(options->common.name,
				     "Slurm knows no node \"%.100s\"", name);
	free(name);
	return rc;
}

static int check_partitions(const struct options *options,
			    const struct tb_cluster *cluster)
{
	const char *list = options->partitions, *word;
	size_t length;

	while ((word = tb_words_next(&list, &length))) {
		char *name = strndup(word, length);
		bool known = name && tb_cluster_partition(cluster, name);

		free(name);
		if (!known)
			return tb_command_fail(options->common.name,
					       "Slurm knows no partition \"%.*s\"",
					       (int)length, word);
	}
	return 0;
}

/* ---- for programs ---- */

static json_t *json_of_units(const struct tb_node_view *node)
{
	json_t *units = json_object();

	for (unsigned kind = 0; kind < TB_CENSUS_KINDS; kind++) {
		const struct tb_unit_census *of = &node->census->units[kind];

		if (of->total)
			json_object_set_new(units,
					    tb_unit_name(tb_census_unit(kind)),
					    json_pack("{s:i, s:i, s:i, s:i}",
						      "total", (int)of->total,
						      "free", (int)of->free,
						      "broken", (int)of->broken,
						      "largest",
						      (int)of->largest));
	}
	return units;
}

static json_t *json_of_jobs(const struct tb_node_view *node)
{
	json_t *jobs = json_array();

	for (unsigned i = 0; i < node->njobs; i++) {
		char *id = tb_cluster_job_id(node->jobs[i]);

		json_array_append_new(jobs, json_string(id ? id : ""));
		free(id);
	}
	return jobs;
}

static json_t *json_of_words(const char *list)
{
	json_t *words = json_array();
	const char *word;
	size_t length;

	while ((word = tb_words_next(&list, &length)))
		json_array_append_new(words, json_stringn(word, length));
	return words;
}

/* Of each NUMA node; NULL: it is not known. */
static json_t *json_of_memory(const node_info_t *node)
{
	struct tb_node_memory memory;
	json_t *list = NULL;

	if (tb_node_memory_load(node, &memory))
		list = tb_node_memory_to_json(&memory);
	tb_node_memory_clear(&memory);
	return list;
}

static json_t *json_of_node(const struct tb_node_view *node)
{
	const struct tb_census *census = node->census;
	char *state = tb_node_state(node->info);
	json_t *json = json_pack("{s:s, s:s*, s:o, s:o, s:s?}", "node",
				 node->info->name, "state", state, "partitions",
				 json_of_words(node->info->partitions), "jobs",
				 json_of_jobs(node), "inuse", node->inuse);
	json_t *memory = json_of_memory(node->info);

	free(state);
	if (node->reserved)
		json_object_set_new(json, "reserved",
				    json_string(node->reserved));
	if (node->lost)
		json_object_set_new(json, "lost", json_string(node->lost));
	if (memory)
		json_object_set_new(json, "numa_memory", memory);
	if (census)
		json_object_update_new(
			json,
			json_pack("{s:o, s:i, s:i, s:f}", "units",
				  json_of_units(node), "cores",
				  (int)census->cores, "free_cores",
				  (int)census->free_cores, "fragmentation",
				  tb_fragmentation(census->fragments,
						   census->free_cores)));
	return json;
}

static int print_nodes_json(const struct options *options,
			    const struct tb_node_view **nodes, unsigned nnodes)
{
	json_t *list = json_array();
	json_t *json;
	int rc;

	for (unsigned i = 0; i < nnodes; i++)
		json_array_append_new(list, json_of_node(nodes[i]));
	json = json_pack("{s:o}", "nodes", list);
	rc = tb_command_print_json(options->common.name, json);
	json_decref(json);
	return rc;
}

/* ---- for people ---- */

static struct tb_columns *make_usual_columns(const struct options *options,
					     const struct tb_node_view **nodes,
					     unsigned nnodes)
{
	char *names = tb_node_table_usual(nodes, nnodes,
					  !options->table.by_node);
	struct tb_columns *columns = NULL;

	if (names)
		columns = tb_columns_of_names(tb_node_table(), names, NULL);
	free(names);
	return columns;
}

static int print_columns(const struct options *options,
			 const struct tb_columns *columns,
			 const struct tb_node_view **nodes, unsigned nnodes)
{
	unsigned nrows;
	struct tb_node_row *rows = tb_node_rows_make(nodes, nnodes, columns,
						     !options->table.by_node,
						     &nrows);
	int rc = -1;

	if (rows) {
		rc = tb_table_show(&options->table, tb_node_table(), columns,
				   rows, sizeof(*rows), nrows);
		tb_node_rows_destroy(rows, nrows);
	}
	return rc;
}

static int print_table(const struct options *options,
		       const struct tb_node_view **nodes, unsigned nnodes)
{
	struct tb_columns *usual = NULL;
	const struct tb_columns *columns = options->table.columns;
	int rc = -1;

	if (!columns)
		columns = usual = make_usual_columns(options, nodes, nnodes);
	if (columns)
		rc = print_columns(options, columns, nodes, nnodes);
	tb_columns_destroy(usual);
	return rc ? tb_command_fail(options->common.name, "out of memory")
		  : TB_EXIT_OK;
}

/* ---- both ---- */

static int show_nodes(const struct options *options,
		      const struct tb_node_views *views)
{
	const struct tb_node_view **nodes = calloc(views->nnodes + 1,
						   sizeof(*nodes));
	unsigned nnodes = 0;
	int rc;

	if (!nodes)
		return tb_command_fail(options->common.name, "out of memory");
	for (unsigned i = 0; i < views->nnodes; i++)
		if (is_wanted(options, views->nodes[i].info))
			nodes[nnodes++] = &views->nodes[i];
	rc = options->common.json ? print_nodes_json(options, nodes, nnodes)
				  : print_table(options, nodes, nnodes);
	free(nodes);
	return rc;
}

static void warn_user(const char *sentence)
{
	tb_command_fail("topobind nodes", "%s", sentence);
}

static void print_time(void)
{
	time_t now = time(NULL);
	char text[64] = "";
	struct tm parts;

	if (localtime_r(&now, &parts))
		strftime(text, sizeof(text), "%a %b %d %H:%M:%S %Y", &parts);
	puts(text);
}

static int show_timed(const struct options *options,
		      const struct tb_node_views *views)
{
	if (options->seconds)
		print_time();
	return show_nodes(options, views);
}

static int show_once(const struct options *options)
{
	struct tb_node_views *views;
	struct tb_error err;
	int rc = TB_EXIT_BAD;

	views = tb_node_views_load(TB_CLUSTER_PARTITIONS | TB_CLUSTER_CONF,
				   options->partitions, warn_user, &err);
	if (!views)
		tb_command_fail(options->common.name, "%s", err.text);
	else if (!check_names(options, views->cluster) &&
		 !check_partitions(options, views->cluster))
		rc = show_timed(options, views);
	tb_node_views_destroy(views);
	return rc;
}

/*
 * As sinfo does, until somebody ends it.  What is wrong the first time is wrong with
 * the options; later slurmctld may come back.
 */
static int show_again(const struct options *options)
{
	int rc;

	for (bool first = true;; first = false) {
		rc = show_once(options);
		if (first && rc)
			return rc;
		putchar('\n');
		if (fflush(stdout))
			return TB_EXIT_BAD;
		sleep(options->seconds);
	}
}

static int run_nodes(const struct options *options)
{
	int rc;

	tb_slurm_begin(options->common.name);
	rc = options->seconds ? show_again(options) : show_once(options);
	tb_slurm_end();
	return rc;
}

int tb_command_nodes(int argc, char **argv)
{
	struct options options = { .common.name = argv[0] };
	int rc = TB_EXIT_OK;

	if (tb_command_read(&options.common, &usage, argc, argv, &options))
		rc = TB_EXIT_BAD;
	else if (!options.common.done)
		rc = run_nodes(&options);
	tb_table_options_clear(&options.table);
	if (options.nodes)
		slurm_hostlist_destroy(options.nodes);
	return rc;
}
