/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_whatif.c - topobind whatif */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "compat/slurm_compat.h"
#include "starts.h"
#include "terminal/progress.h"
#include "whatif_output.h"
#include "whatif_svg.h"

#define UNDER_MOST 16
#define DEPTH_MOST 1000000

struct options {
	struct tb_command common;
	struct tb_past_clusters clusters;
	const char *file;	  /* of the history */
	const char *svg, *starts; /* to be written; NULL: none */
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
		[TB_BACKFILL_SLURM] = "slurm",
	};

	for (int i = 0; i < 4; i++)
		if (!strcmp(optarg, names[i])) {
			options->replay.backfill = (enum tb_backfill)i;
			return 0;
		}
	return tb_fail(
		err,
		"--backfill=%.60s is no kind of backfill: give none, easy, conservative or slurm",
		optarg);
}

static int take_whatif_option(void *data, int option, struct tb_error *err)
{
	struct options *options = data;

	switch (option) {
	case 't':
		return tb_past_clusters_add(&options->clusters, optarg, err);
	case 'p':
		return tb_past_clusters_add_speed(&options->clusters, optarg,
						  err);
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
	case 'g':
		options->svg = optarg;
		return 0;
	case 'j':
		options->starts = optarg;
		return 0;
	default:
		return take_under(options, optarg, err);
	}
}

static int take_default_unders(struct options *options, struct tb_error *err)
{
	return take_under(options, "plain", err) ||
			       take_under(options, "implicit=X", err)
		       ? -1
		       : 0;
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
	if (!options->clusters.count)
		return tb_fail(
			err,
			"--topology is missing: give NODES=STRING, or NODES=FILE.xml of lstopo");
	if (!options->nunder && take_default_unders(options, err))
		return -1;
	if (tb_past_clusters_finish(&options->clusters, err))
		return -1;
	for (unsigned i = 0; i < options->nunder; i++)
		if (tb_under_find_nodes(&options->under[i], &options->clusters,
					err))
			return -1;
	return 0;
}

static const struct tb_command_option own_options[] = {
	{ NULL, "topology", "NODES=STRING", 't',
	  "or NODES=FILE.xml; NAME:NODES=... of another cluster" },
	{ NULL, "speed", "NODES=MHZ", 'p',
	  "for FASTEST and MAXBALANCE; likewise" },
	{ NULL, "history", "FILE", 'H', "the jobs; - is stdin" },
	{ NULL, "sacct", NULL, 's', "FILE is what sacct -P has printed" },
	{ NULL, "swf", NULL, 'w', "FILE has the Standard Workload Format" },
	{ NULL, "under", "CONFIGURATION", 'u',
	  "plain, implicit=UNIT, bunit=X,bnodes=POLICY,on=NAME; may be repeated [plain and implicit=X]" },
	{ NULL, "backfill", "KIND", 'b',
	  "which waiting jobs may not be delayed: none, easy, conservative, slurm [easy]" },
	{ NULL, "depth", "N", 'd',
	  "waiting jobs looked at behind the first [100]" },
	{ NULL, "svg", "FILE", 'g', "draw it over time, too" },
	{ NULL, "starts", "FILE", 'j',
	  "write when each job starts, and on which cores" },
	{ 0 },
};
static const struct tb_command_line usage = {
	/* clang-format off */
	.purpose = "Replay the jobs of a cluster's past in virtual time under one or several configurations: waits, utilisation, caches touched. Asks no Slurm.",
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

/* What is replayed. */
struct past {
	struct tb_history history;
	FILE *svg, *starts; /* NULL: not asked for */
};

struct running {
	const struct tb_under *under;
	struct tb_starts starts;
};

static void show_progress(void *arg, unsigned percent)
{
	const struct running *running = arg;

	tb_progress_show(running->under->text, percent);
}

static void write_start(void *arg, unsigned job, unsigned node,
			const struct tb_bitset *threads, int64_t now,
			bool begins)
{
	const struct running *running = arg;

	if (begins)
		tb_starts_print(&running->starts, job, node, threads, now);
}

/* One configuration, compared with the first.  -1: no memory. */
static int run_one(struct options *options, unsigned index,
		   const struct past *past, struct tb_whatif_result *list)
{
	struct tb_replay_options replay = options->replay;
	struct tb_under *under = &options->under[index];
	struct tb_whatif *whatif = &list[index].whatif;
	struct running running = {
		.under = under,
		.starts = { past->starts, &past->history,
			    &under->cluster->nodes, under->text },
	};

	replay.policy = &under->policy;
	replay.progress = show_progress;
	replay.watch = past->starts ? write_start : NULL;
	replay.arg = &running;
	if (tb_whatif_run(&past->history, &replay, under, whatif))
		return -1;
	replay.watch = NULL;
	return tb_later_find(&past->history, &replay, &list[0].whatif, whatif,
			     &list[index].later);
}

/* Is all of it in the file?  It is closed. */
static int end_file(const struct options *options, const char *name, FILE *out,
		    bool failed)
{
	failed = failed || ferror(out);
	if (!fclose(out) && !failed)
		return TB_EXIT_OK;
	return tb_command_fail(options->common.name,
			       "cannot write all of \"%.200s\"", name);
}

static int tell(const struct options *options, const struct past *past,
		const struct tb_whatif_result *list, unsigned count)
{
	if (options->common.json)
		return tb_whatif_print_json(options->common.name,
					    &past->history, list, count);
	return tb_whatif_print_table(&past->history, &options->clusters, list,
				     count)
		       ? tb_command_fail(options->common.name, "out of memory")
		       : TB_EXIT_OK;
}

static int run_all(struct options *options, struct past *past)
{
	struct tb_whatif_result list[UNDER_MOST];
	unsigned count = 0;
	bool failed = false;
	int rc;

	for (; count < options->nunder && !failed; count++)
		failed = run_one(options, count, past, list);
	tb_progress_clear();
	rc = failed ? tb_command_fail(options->common.name, "out of memory")
		    : tell(options, past, list, count);
	if (past->svg && !failed &&
	    end_file(options, options->svg, past->svg,
		     tb_whatif_svg(&past->history, list, count, past->svg)))
		rc = TB_EXIT_BAD;
	else if (past->svg && failed)
		fclose(past->svg);
	if (past->starts &&
	    end_file(options, options->starts, past->starts, false))
		rc = TB_EXIT_BAD;
	while (count--)
		tb_whatif_clear(&list[count].whatif);
	return rc;
}

/* Before hours of replay.  *out is NULL where none is asked for.  -1: a sentence. */
static int open_output(const char *name, FILE **out, struct tb_error *err)
{
	*out = name ? fopen(name, "we") : NULL;
	if (!name || *out)
		return 0;
	return tb_fail(err, "cannot write \"%.200s\": %s", name,
		       strerror(errno));
}

static int open_past(const struct options *options, struct past *past,
		     struct tb_error *err)
{
	if (read_history(options, &past->history, err) ||
	    open_output(options->svg, &past->svg, err))
		return -1;
	if (open_output(options->starts, &past->starts, err)) {
		if (past->svg)
			fclose(past->svg);
		return -1;
	}
	if (past->starts)
		tb_starts_print_head(past->starts);
	return 0;
}

static int replay_history(struct options *options)
{
	struct past past = { .svg = NULL };
	struct tb_error err;
	int rc;

	if (open_past(options, &past, &err))
		rc = tb_command_fail(options->common.name, "%s", err.text);
	else
		rc = run_all(options, &past);
	tb_history_clear(&past.history);
	return rc;
}

int tb_command_whatif(int argc, char **argv)
{
	struct options options = {
		.common.name = argv[0],
		.replay = { .depth = 100,
			    .whole_tasks = TB_CORES_OF_WHOLE_TASKS,
			    .first_node = TB_FIRST_NODE_FOR_ONE_TASK,
			    .bounded_looks = TB_BACKFILL_ASKS_FOR_A_SPAN }
	};
	int rc = TB_EXIT_OK;

	if (tb_command_read(&options.common, &usage, argc, argv, &options))
		rc = TB_EXIT_BAD;
	else if (!options.common.done)
		rc = replay_history(&options);
	for (unsigned i = 0; i < options.nunder; i++)
		tb_under_clear(&options.under[i]);
	tb_past_clusters_clear(&options.clusters);
	return rc;
}
