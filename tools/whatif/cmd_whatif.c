/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_whatif.c - topobind whatif */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "core/base/text.h"
#include "report/known_topologies.h"
#include "table/table.h"
#include "terminal/wrap.h"
#include "whatif.h"

#define UNDER_MOST 16
#define DEPTH_MOST 1000000

struct options {
	struct tb_command common;
	struct tb_known_topologies known;
	const char *file; /* of the history */
	enum tb_history_format format;
	struct tb_under under[UNDER_MOST];
	unsigned nunder;
	unsigned depth;
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
	options->depth = (unsigned)depth;
	return 0;
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

/* ---- what is told ---- */

/* "1-02:03:04", as Slurm writes durations. */
static void print_duration(int64_t seconds, FILE *out)
{
	int64_t days = seconds / 86400;

	if (days)
		fprintf(out, "%" PRId64 "-", days);
	fprintf(out, "%02d:%02d:%02d", (int)(seconds / 3600 % 24),
		(int)(seconds / 60 % 60), (int)(seconds % 60));
}

static double get_percent(unsigned part, unsigned all)
{
	return all ? 100.0 * part / all : 0;
}

enum {
	JOBS,
	NEVER,
	MEDIAN,
	MOST,
	USED,
	BROKEN,
	SPAN,
	LOCALITY,
	LATER,
	UNDER,
	COLUMNS
};

static const struct tb_column columns[COLUMNS] = {
	[JOBS] = { '\0', "jobs", "JOBS", true },
	[NEVER] = { '\0', "never", "NEVER", true },
	[MEDIAN] = { '\0', "median", "WAIT_50%", true },
	[MOST] = { '\0', "most", "WAIT_95%", true },
	[USED] = { '\0', "used", "USED", true },
	[BROKEN] = { '\0', "broken", "BROKEN", true },
	[SPAN] = { '\0', "span", "SPAN", true },
	[LOCALITY] = { '\0', "locality", "LOCAL", true },
	[LATER] = { '\0', "later", "LATER", true },
	[UNDER] = { '\0', "under", "UNDER", false },
};

static void print_cell(const void *row, unsigned column, FILE *out)
{
	const struct tb_whatif *whatif = row;

	switch (column) {
	case JOBS:
		fprintf(out, "%u", whatif->started);
		break;
	case NEVER:
		fprintf(out, "%u", whatif->never);
		break;
	case MEDIAN:
		print_duration(whatif->median, out);
		break;
	case MOST:
		print_duration(whatif->most, out);
		break;
	case USED:
		fprintf(out, "%.1f%%", 100 * whatif->utilisation);
		break;
	case BROKEN:
		fprintf(out, "%.1f%%", 100 * whatif->broken);
		break;
	case SPAN:
		fprintf(out, "%.1f%%",
			get_percent(whatif->spanning, whatif->started));
		break;
	case LOCALITY:
		fprintf(out, "%.3f", whatif->locality);
		break;
	case LATER:
		fprintf(out, "%u", whatif->later);
		break;
	default:
		tb_text_print(whatif->under->text, out);
	}
}

static const struct tb_table_kind kind = {
	.columns = columns,
	.ncolumns = COLUMNS,
	.print = print_cell,
};

static void print_counts(const struct tb_history *history,
			 const struct tb_replay_cluster *cluster,
			 uint64_t cores)
{
	tb_print_sentence(stdout,
			  "%u %s, %u %s with %" PRIu64
			  " %s; %u that %s not run %s left out",
			  history->njobs,
			  tb_count_word(history->njobs, "job", "jobs"),
			  cluster->nnodes,
			  tb_count_word(cluster->nnodes, "node", "nodes"),
			  cores, tb_count_word(cores, "core", "cores"),
			  history->left_out,
			  tb_count_word(history->left_out, "has", "have"),
			  tb_count_word(history->left_out, "is", "are"));
}

static int print_table(const struct tb_history *history,
		       const struct tb_replay_cluster *cluster,
		       const struct tb_whatif *list, unsigned count)
{
	print_counts(history, cluster, list[0].totals.cores);
	return tb_table_print_names(
		&kind,
		"jobs,never,median,most,used,broken,span,locality,later,under",
		list, sizeof(*list), count, true, stdout);
}

static json_t *make_row(const struct tb_whatif *whatif)
{
	return json_pack("{s:s, s:i, s:i, s:I, s:I, s:I, s:f, s:f, s:i, s:f, s:i}",
			 "under", whatif->under->text, "started",
			 (int)whatif->started, "never", (int)whatif->never,
			 "wait_median", (json_int_t)whatif->median, "wait_95",
			 (json_int_t)whatif->most, "duration",
			 (json_int_t)(whatif->totals.last -
				      whatif->totals.first),
			 "utilisation", whatif->utilisation, "broken",
			 whatif->broken, "spanning", (int)whatif->spanning,
			 "locality", whatif->locality, "later",
			 (int)whatif->later);
}

static int print_json(const struct options *options,
		      const struct tb_history *history,
		      const struct tb_replay_cluster *cluster,
		      const struct tb_whatif *list)
{
	json_t *rows = json_array(), *json;
	int rc;

	for (unsigned i = 0; i < options->nunder; i++)
		json_array_append_new(rows, make_row(&list[i]));
	json = json_pack("{s:i, s:i, s:i, s:I, s:o}", "jobs",
			 (int)history->njobs, "left_out",
			 (int)history->left_out, "nodes", (int)cluster->nnodes,
			 "cores", (json_int_t)list[0].totals.cores,
			 "configurations", rows);
	rc = tb_command_print_json(options->common.name, json);
	json_decref(json);
	return rc;
}

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

static int run_all(struct options *options, const struct tb_history *history,
		   const struct tb_replay_cluster *cluster)
{
	struct tb_whatif list[UNDER_MOST];
	unsigned count = 0;
	bool failed = false;
	int rc = TB_EXIT_OK;

	for (; count < options->nunder && !failed; count++)
		failed = tb_whatif_run(cluster, history, options->depth,
				       &options->under[count],
				       count ? &list[0] : NULL, &list[count]);
	if (failed)
		rc = tb_command_fail(options->common.name, "out of memory");
	else if (options->common.json)
		rc = print_json(options, history, cluster, list);
	else if (print_table(history, cluster, list, count))
		rc = tb_command_fail(options->common.name, "out of memory");
	while (count--)
		tb_whatif_clear(&list[count]);
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
	struct options options = { .common.name = argv[0], .depth = 100 };
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
