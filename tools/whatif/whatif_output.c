/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif_output.c - see whatif_output.h */
#define _GNU_SOURCE /* open_memstream */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "core/base/text.h"
#include "table/table.h"
#include "terminal/text_stream.h"
#include "terminal/wrap.h"
#include "whatif_output.h"

/* ---- the table ---- */

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
	const struct tb_whatif_result *result = row;
	const struct tb_whatif *whatif = &result->whatif;

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
		fprintf(out, "%u", result->later.count);
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

/* "16 nodes with 256 cores" */
static void print_size(const struct tb_past_cluster *cluster, FILE *out)
{
	uint64_t cores = 0;

	for (unsigned i = 0; i < cluster->nodes.count; i++)
		cores += tb_topology_cores(cluster->nodes.topologies[i]);
	fprintf(out, "%u %s with %" PRIu64 " %s", cluster->nodes.count,
		tb_count_word(cluster->nodes.count, "node", "nodes"), cores,
		tb_count_word(cores, "core", "cores"));
}

/* "; " and then ", " for those that have a name. */
static void print_sizes(const struct tb_past_clusters *clusters, FILE *out)
{
	const char *before = "";

	for (unsigned i = 0; i < clusters->count; i++) {
		const struct tb_past_cluster *cluster = &clusters->list[i];

		fputs(before, out);
		print_size(cluster, out);
		if (*cluster->name)
			fprintf(out, " on %s", cluster->name);
		before = ", ";
	}
}

/* -1: no memory. */
static int print_counts(const struct tb_history *history,
			const struct tb_past_clusters *clusters)
{
	char *text = NULL;
	size_t size;
	FILE *words = open_memstream(&text, &size);

	if (!words)
		return -1;
	fprintf(words, "%u %s, ", history->njobs,
		tb_count_word(history->njobs, "job", "jobs"));
	print_sizes(clusters, words);
	fprintf(words, "; %u that %s not run %s left out", history->left_out,
		tb_count_word(history->left_out, "has", "have"),
		tb_count_word(history->left_out, "is", "are"));
	return tb_print_stream(stdout, words, &text);
}

/* ---- who is later ---- */

static void print_id(const struct tb_history *history,
		     const struct tb_late_job *late, char text[TB_PAST_ID_MAX])
{
	tb_past_job_print(&history->jobs[late->why.job], text);
}

/* "01:00:00 for cores that others need", behind what comes first, or a comma. */
static void print_part(int64_t seconds, const char *what, const char **before,
		       FILE *out)
{
	if (!seconds)
		return;
	fputs(*before, out);
	print_duration(seconds, out);
	fprintf(out, " %s", what);
	*before = ", ";
}

static void print_why(const struct tb_replay_why *why, FILE *out)
{
	const char *before = ": it waits ";

	print_part(why->broken, "as enough cores are free but units are broken",
		   &before, out);
	print_part(why->spare, "for cores that whole units have to spare",
		   &before, out);
	print_part(why->cores, "for cores that others need", &before, out);
	print_part(why->order, "as it would delay others", &before, out);
}

/* In a line of its own, or in several.  -1: no memory. */
static int print_late_job(const struct tb_history *history,
			  const struct tb_late_job *late)
{
	char *text = NULL;
	size_t size;
	FILE *words = open_memstream(&text, &size);
	char id[TB_PAST_ID_MAX];

	if (!words)
		return -1;
	print_id(history, late, id);
	fprintf(words, "job %s ", id);
	if (late->by == TB_LATER_NEVER) {
		fputs("never: the empty cluster does not hold it", words);
	} else {
		fputs("by ", words);
		print_duration(late->by, words);
		print_why(&late->why, words);
	}
	text = tb_text_stream_close(words, &text);
	if (!text)
		return -1;
	tb_print_cell(stdout, text, (unsigned)printf("  "));
	free(text);
	return 0;
}

static void print_later_counts(const struct tb_whatif_result *result, FILE *out)
{
	const struct tb_later *later = &result->later;

	fprintf(out, "later under %s: %u by more than a minute, up to ",
		result->whatif.under->text, later->count);
	print_duration(later->worst, out);
	fputs(", ", out);
	print_duration(later->sum, out);
	fprintf(out, " in all; %u never", later->never);
}

static int print_later(const struct tb_history *history,
		       const struct tb_whatif_result *result)
{
	const struct tb_later *later = &result->later;
	char *text = NULL;
	size_t size;
	FILE *words;

	if (!later->nlist)
		return 0;
	words = open_memstream(&text, &size);
	if (!words)
		return -1;
	print_later_counts(result, words);
	putchar('\n');
	if (tb_print_stream(stdout, words, &text))
		return -1;
	for (unsigned i = 0; i < later->nlist; i++)
		if (print_late_job(history, &later->list[i]))
			return -1;
	return 0;
}

int tb_whatif_print_table(const struct tb_history *history,
			  const struct tb_past_clusters *clusters,
			  const struct tb_whatif_result *list, unsigned count)
{
	if (print_counts(history, clusters))
		return -1;
	if (tb_table_print_names(
		    &kind,
		    "jobs,never,median,most,used,broken,span,locality,later,under",
		    list, sizeof(*list), count, true, stdout))
		return -1;
	for (unsigned i = 0; i < count; i++)
		if (print_later(history, &list[i]))
			return -1;
	return 0;
}

/* ---- JSON ---- */

static json_t *make_late_job(const struct tb_history *history,
			     const struct tb_late_job *late)
{
	char id[TB_PAST_ID_MAX];

	print_id(history, late, id);
	if (late->by == TB_LATER_NEVER)
		return json_pack("{s:s, s:b}", "job", id, "never", 1);
	return json_pack("{s:s, s:b, s:I, s:I, s:I, s:I, s:I}", "job", id,
			 "never", 0, "later", (json_int_t)late->by,
			 "broken_units", (json_int_t)late->why.broken,
			 "spare_cores", (json_int_t)late->why.spare,
			 "needed_cores", (json_int_t)late->why.cores, "order",
			 (json_int_t)late->why.order);
}

static json_t *make_late_jobs(const struct tb_history *history,
			      const struct tb_later *later)
{
	json_t *rows = json_array();

	for (unsigned i = 0; i < later->nlist; i++)
		json_array_append_new(rows,
				      make_late_job(history, &later->list[i]));
	return rows;
}

static json_t *make_row(const struct tb_history *history,
			const struct tb_whatif_result *result)
{
	const struct tb_whatif *whatif = &result->whatif;
	const struct tb_later *later = &result->later;

	return json_pack(
		"{s:s, s:i, s:I, s:i, s:i, s:I, s:I, s:I, s:f, s:f, s:i, s:f, s:i, s:I, s:I, s:i, s:o}",
		"under", whatif->under->text, "nodes",
		(int)whatif->under->cluster->nodes.count, "cores",
		(json_int_t)whatif->totals.cores, "started",
		(int)whatif->started, "never", (int)whatif->never,
		"wait_median", (json_int_t)whatif->median, "wait_95",
		(json_int_t)whatif->most, "duration",
		(json_int_t)(whatif->totals.last - whatif->totals.first),
		"utilisation", whatif->utilisation, "broken", whatif->broken,
		"spanning", (int)whatif->spanning, "locality", whatif->locality,
		"later", (int)later->count, "later_sum", (json_int_t)later->sum,
		"later_worst", (json_int_t)later->worst, "later_never",
		(int)later->never, "latest", make_late_jobs(history, later));
}

int tb_whatif_print_json(const char *command, const struct tb_history *history,
			 const struct tb_whatif_result *list, unsigned count)
{
	json_t *rows = json_array(), *json;
	int rc;

	for (unsigned i = 0; i < count; i++)
		json_array_append_new(rows, make_row(history, &list[i]));
	json = json_pack("{s:i, s:i, s:i, s:I, s:o}", "jobs",
			 (int)history->njobs, "left_out",
			 (int)history->left_out, "nodes",
			 (int)list[0].whatif.under->cluster->nodes.count,
			 "cores", (json_int_t)list[0].whatif.totals.cores,
			 "configurations", rows);
	rc = tb_command_print_json(command, json);
	json_decref(json);
	return rc;
}
