/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif_output.c - see whatif_output.h */
#include <inttypes.h>
#include <stdio.h>

#include "command.h"
#include "whatif_output.h"

/* ---- the table ---- */

/* "1-02:03:04", as Slurm writes durations. */
static void print_duration(char *text, size_t size, int64_t seconds)
{
	int64_t days = seconds / 86400;
	int hours = (int)(seconds / 3600 % 24);
	int minutes = (int)(seconds / 60 % 60), rest = (int)(seconds % 60);

	if (days)
		snprintf(text, size, "%" PRId64 "-%02d:%02d:%02d", days, hours,
			 minutes, rest);
	else
		snprintf(text, size, "%02d:%02d:%02d", hours, minutes, rest);
}

static double get_percent(unsigned part, unsigned all)
{
	return all ? 100.0 * part / all : 0;
}

static void print_row(const struct tb_whatif_result *result)
{
	const struct tb_whatif *whatif = &result->whatif;
	char median[40], most[40];

	print_duration(median, sizeof(median), whatif->median);
	print_duration(most, sizeof(most), whatif->most);
	printf("%7u %5u %10s %10s %5.1f%% %5.1f%% %5.1f%% %5.3f %6u %s\n",
	       whatif->started, whatif->never, median, most,
	       100 * whatif->utilisation, 100 * whatif->broken,
	       get_percent(whatif->spanning, whatif->started), whatif->locality,
	       result->later.count, whatif->under->text);
}

/* ---- who is later ---- */

static unsigned long long get_id(const struct tb_history *history,
				 const struct tb_late_job *late)
{
	return history->jobs[late->why.job].id;
}

/* "01:00:00 for cores that others need", behind what comes first, or a comma. */
static void print_part(int64_t seconds, const char *what, const char **before)
{
	char text[40];

	if (!seconds)
		return;
	print_duration(text, sizeof(text), seconds);
	printf("%s%s %s", *before, text, what);
	*before = ", ";
}

static void print_late_job(const struct tb_history *history,
			   const struct tb_late_job *late)
{
	const struct tb_replay_why *why = &late->why;
	const char *before = ": it waits ";
	char text[40];

	if (late->by == TB_LATER_NEVER) {
		printf("  job %llu never: the empty cluster does not hold it\n",
		       get_id(history, late));
		return;
	}
	print_duration(text, sizeof(text), late->by);
	printf("  job %llu by %s", get_id(history, late), text);
	print_part(why->broken, "as enough cores are free but units are broken",
		   &before);
	print_part(why->spare, "for cores that whole units have to spare",
		   &before);
	print_part(why->cores, "for cores that others need", &before);
	print_part(why->order, "as it would delay others", &before);
	printf("\n");
}

static void print_later(const struct tb_history *history,
			const struct tb_whatif_result *result)
{
	const struct tb_later *later = &result->later;
	char worst[40], sum[40];

	if (!later->nlist)
		return;
	print_duration(worst, sizeof(worst), later->worst);
	print_duration(sum, sizeof(sum), later->sum);
	printf("\nlater under %s: %u by more than a minute, up to %s, %s in all; %u never\n",
	       result->whatif.under->text, later->count, worst, sum,
	       later->never);
	for (unsigned i = 0; i < later->nlist; i++)
		print_late_job(history, &later->list[i]);
}

void tb_whatif_print_table(const struct tb_history *history,
			   const struct tb_replay_cluster *cluster,
			   const struct tb_whatif_result *list, unsigned count)
{
	uint64_t cores = list[0].whatif.totals.cores;

	printf("%u job%s, %u node%s with %" PRIu64
	       " core%s; %u that have not run are left out\n",
	       history->njobs, history->njobs == 1 ? "" : "s", cluster->nnodes,
	       cluster->nnodes == 1 ? "" : "s", cores, cores == 1 ? "" : "s",
	       history->left_out);
	printf("%7s %5s %10s %10s %6s %6s %6s %5s %6s %s\n", "JOBS", "NEVER",
	       "WAIT_50%", "WAIT_95%", "USED", "BROKEN", "SPAN", "LOCAL",
	       "LATER", "UNDER");
	for (unsigned i = 0; i < count; i++)
		print_row(&list[i]);
	for (unsigned i = 0; i < count; i++)
		print_later(history, &list[i]);
}

/* ---- JSON ---- */

static json_t *make_late_job(const struct tb_history *history,
			     const struct tb_late_job *late)
{
	char id[24];

	snprintf(id, sizeof(id), "%llu", get_id(history, late));
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
		"{s:s, s:i, s:i, s:I, s:I, s:I, s:f, s:f, s:i, s:f, s:i, s:I, s:I, s:i, s:o}",
		"under", whatif->under->text, "started", (int)whatif->started,
		"never", (int)whatif->never, "wait_median",
		(json_int_t)whatif->median, "wait_95", (json_int_t)whatif->most,
		"duration",
		(json_int_t)(whatif->totals.last - whatif->totals.first),
		"utilisation", whatif->utilisation, "broken", whatif->broken,
		"spanning", (int)whatif->spanning, "locality", whatif->locality,
		"later", (int)later->count, "later_sum", (json_int_t)later->sum,
		"later_worst", (json_int_t)later->worst, "later_never",
		(int)later->never, "latest", make_late_jobs(history, later));
}

int tb_whatif_print_json(const char *command, const struct tb_history *history,
			 const struct tb_replay_cluster *cluster,
			 const struct tb_whatif_result *list, unsigned count)
{
	json_t *rows = json_array(), *json;
	int rc;

	for (unsigned i = 0; i < count; i++)
		json_array_append_new(rows, make_row(history, &list[i]));
	json = json_pack("{s:i, s:i, s:i, s:I, s:o}", "jobs",
			 (int)history->njobs, "left_out",
			 (int)history->left_out, "nodes", (int)cluster->nnodes,
			 "cores", (json_int_t)list[0].whatif.totals.cores,
			 "configurations", rows);
	rc = tb_command_print_json(command, json);
	json_decref(json);
	return rc;
}
