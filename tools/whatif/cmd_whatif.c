/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_whatif.c - topobind whatif */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "report/known_topologies.h"
#include "whatif_output.h"

#define UNDER_MOST 16
#define DEPTH_MOST 1000000

struct options {
	struct tb_command common;
	struct tb_known_topologies known;
	const char *file; /* of the history */
	enum tb_history_format format;
	struct tb_under under[UNDER_MOST];
	unsigned nunder;
	struct tb_replay_options replay;
};

/* ---- options ---- */

static int take_under(struct options *options, const char *text,
		      struct tb_error *err)
{
	if (options->nunder == UNDER_MOST)
		return tb_fail(err, "--under=%.60s is one more than %d", text,
			       UNDER_MOST);
	return tb_under_parse(&options->under[options->nunder++], text, err);
}

static int take_depth(struct options *options, struct tb_error *err)
{
	char *rest;
	unsigned long depth = strtoul(optarg, &rest, 10);

	if (*optarg < '0' || *optarg > '9' || *rest || depth > DEPTH_MOST)
		return tb_fail(err, "--depth=%.60s is no number from 0 to %d",
			       optarg, DEPTH_MOST);
	options->replay.depth = (unsigned)depth;
	return 0;
}

static int take_backfill(struct options *options, struct tb_error *err)
{
	static const char *const names[] = {
		[TB_BACKFILL_NONE] = "none",
		[TB_BACKFILL_EASY] = "easy",
		[TB_BACKFILL_CONSERVATIVE] = "conservative",
	};

	for (int i = 0; i < 3; i++)
		if (!strcmp(optarg, names[i])) {
			options->replay.backfill = (enum tb_backfill)i;
			return 0;
		}
	return tb_fail(
		err,
		"--backfill=%.60s is no kind of backfill: give none, easy or conservative",
		optarg);
}

static int take_whatif_option(void *data, int option, struct tb_error *err)
{
	struct options *options = data;

	switch (option) {
	case 't':
		return tb_known_topologies_add(&options->known, optarg, err);
	case 'H':
		options->file = optarg;
		return 0;
	case 's':
		options->format = TB_HISTORY_SACCT;
		return 0;
	case 'w':
		options->format = TB_HISTORY_SWF;
		return 0;
	case 'd':
		return take_depth(options, err);
	case 'b':
		return take_backfill(options, err);
	default:
		return take_under(options, optarg, err);
	}
}

static int take_whatif_arguments(void *data, int count, char **words,
				 struct tb_error *err)
{
	struct options *options = data;

	if (tb_command_no_arguments(count, words, err))
		return -1;
	if (!options->file)
		return tb_fail(
			err,
			"--history is missing: give a file of sacct -P, or of the Standard Workload Format");
	if (!options->known.ngiven)
		return tb_fail(
			err,
			"--topology is missing: give NODES=STRING, or NODES=FILE.xml of lstopo");
	if (!options->nunder)
		return take_under(options, "plain", err) ||
				       take_under(options, "implicit=X", err)
			       ? -1
			       : 0;
	return 0;
}

static const struct tb_command_option own_options[] = {
	{ NULL, "topology", "NODES=STRING", 't',
	  "or NODES=FILE.xml of lstopo; may be repeated" },
	{ NULL, "history", "FILE", 'H', "the jobs; - is stdin" },
	{ NULL, "sacct", NULL, 's', "FILE is what sacct -P has printed" },
	{ NULL, "swf", NULL, 'w', "FILE has the Standard Workload Format" },
	{ NULL, "under", "CONFIGURATION", 'u',
	  "plain, implicit=UNIT, or a binding as bunit=X,bamount=1; may be repeated [plain and implicit=X]" },
	{ NULL, "backfill", "none|easy|conservative", 'b',
	  "which waiting jobs have a reservation that others must not delay: of easy the first, of conservative as many as --depth says; of none nobody goes before another [easy]" },
	{ NULL, "depth", "N", 'd',
	  "waiting jobs that are looked at behind the first [100]" },
	{ 0 },
};
static const struct tb_command_line usage = {
	/* clang-format off */
	.purpose = "Replay the jobs of a cluster's past in virtual time under one or several configurations: how long they would have waited, how full the cluster would have been, how many caches they would have touched. Asks no Slurm.",
	.notes = "Of sacct -P are needed JobID, Submit, Start, End, Timelimit and ReqCPUS; NNodes and NTasks help.",
	.exit_codes = "Exit codes: 0 told, 2 bad option, or a file.",
	/* clang-format on */
	.own = own_options,
	.has_json = true,
	.take = take_whatif_option,
	.finish = take_whatif_arguments,
};

/* ---- all of it ---- */

static int read_history(const struct options *options,
			struct tb_history *history, struct tb_error *err)
{
	FILE *in = strcmp(options->file, "-") ? fopen(options->file, "re")
					      : stdin;
	struct tb_error why;
	int rc;

	if (!in)
		return tb_fail(err, "cannot open \"%.200s\": %s", options->file,
			       strerror(errno));
	rc = tb_history_read(in, options->format, history, &why);
	if (in != stdin)
		fclose(in);
	return rc ? tb_fail(err, "%.200s: %s", options->file, why.text) : 0;
}

/* One configuration, compared with the first.  -1: no memory. */
static int run_one(const struct options *options, unsigned index,
		   const struct tb_history *history,
		   const struct tb_replay_cluster *cluster,
		   struct tb_whatif_result *list)
{
	const struct tb_replay_options *replay = &options->replay;
	struct tb_whatif *whatif = &list[index].whatif;

	if (tb_whatif_run(cluster, history, replay, &options->under[index],
			  whatif))
		return -1;
	return tb_later_find(cluster, history, replay, &list[0].whatif, whatif,
			     &list[index].later);
}

static int run_all(struct options *options, const struct tb_history *history,
		   const struct tb_replay_cluster *cluster)
{
	struct tb_whatif_result list[UNDER_MOST];
	unsigned count = 0;
	bool failed = false;
	int rc = TB_EXIT_OK;

	for (; count < options->nunder && !failed; count++)
		failed = run_one(options, count, history, cluster, list);
	if (failed)
		rc = tb_command_fail(options->common.name, "out of memory");
	else if (options->common.json)
		rc = tb_whatif_print_json(options->common.name, history,
					  cluster, list, count);
	else
		tb_whatif_print_table(history, cluster, list, count);
	while (count--)
		tb_whatif_clear(&list[count].whatif);
	return rc;
}

static int replay_history(struct options *options)
{
	struct tb_replay_cluster cluster = { NULL, 0 };
	const struct tb_topology **topologies = NULL;
	struct tb_history history = { 0 };
	struct tb_error err;
	int rc;

	if (read_history(options, &history, &err) ||
	    tb_known_topologies_list(&options->known, &topologies,
				     &cluster.nnodes, &err)) {
		rc = tb_command_fail(options->common.name, "%s", err.text);
	} else {
		cluster.topologies = topologies;
		rc = run_all(options, &history, &cluster);
	}
	free(topologies);
	tb_history_clear(&history);
	return rc;
}

int tb_command_whatif(int argc, char **argv)
{
	struct options options = { .common.name = argv[0],
				   .replay.depth = 100 };
	int rc = TB_EXIT_OK;

	if (tb_command_read(&options.common, &usage, argc, argv, &options))
		rc = TB_EXIT_BAD;
	else if (!options.common.done)
		rc = replay_history(&options);
	for (unsigned i = 0; i < options.nunder; i++)
		tb_under_clear(&options.under[i]);
	tb_known_topologies_clear(&options.known);
	return rc;
}
