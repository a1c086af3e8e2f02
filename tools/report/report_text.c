/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_text.c - a report for people */
#define _GNU_SOURCE /* open_memstream */
#include <inttypes.h>
#include <stdlib.h>

#include "core/base/text.h"
#include "report.h"
#include "report_words.h"
#include "terminal/wrap.h"

static void tell_worst(const struct tb_report *report, unsigned kind, FILE *out)
{
	const struct tb_report_job *job =
		&report->jobs[report->totals[kind].worst];
	const struct tb_locality *of = &job->all.of[kind];
	char *id = tb_cluster_job_id(job->info);
	char *user = tb_cluster_job_user(job->info);

	tb_report_tell_worst(out, &(struct tb_report_worst){
					  id, user, of->touched, of->fewest });
	free(id);
	free(user);
}

static void print_kind(const struct tb_report *report, unsigned kind, FILE *out)
{
	const struct tb_report_total *total = &report->totals[kind];
	char *text = NULL;
	size_t size;
	FILE *words = open_memstream(&text, &size);

	if (!words)
		return;
	tb_report_tell_counts(words, kind,
			      &(struct tb_report_counts){ total->spanning,
							  total->sharing,
							  report->scored });
	if (total->worst >= 0)
		tell_worst(report, kind, words);
	fputc('.', words);
	tb_print_stream(out, words, &text);
}

static void print_scores(const struct tb_report *report, FILE *out)
{
	char *text = NULL;
	size_t size;
	FILE *words = open_memstream(&text, &size);

	if (!words)
		return;
	fputs("Locality:", words);
	for (unsigned kind = 0; kind < TB_REPORT_KINDS; kind++)
		fprintf(words, "%s %s %.3f", kind ? "," : "",
			tb_report_kinds[kind].many,
			tb_report_locality(report, kind));
	fputc('.', words);
	tb_print_stream(out, words, &text);
}

static void print_unknown(const struct tb_report *report, FILE *out)
{
	unsigned unknown = report->nnodes - report->known;
	char *names = tb_report_unknown_nodes(report), *text = NULL;
	size_t size;
	FILE *words = names ? open_memstream(&text, &size) : NULL;

	if (words) {
		fprintf(words, "%u %s no known topology: %s.", unknown,
			tb_count_word(unknown, "node has", "nodes have"),
			names);
		tb_print_stream(out, words, &text);
	}
	free(names);
}

void tb_report_print(const struct tb_report *report, FILE *out)
{
	unsigned left_out = report->njobs - report->scored;

	tb_print_sentence(out, "%u %s, %u %s with a known topology",
			  report->scored,
			  tb_count_word(report->scored, "job", "jobs"),
			  report->known,
			  tb_count_word(report->known, "node", "nodes"));
	for (unsigned kind = 0; report->scored && kind < TB_REPORT_KINDS;
	     kind++)
		print_kind(report, kind, out);
	if (report->scored)
		print_scores(report, out);
	tb_print_sentence(out,
			  "%" PRIu64 " of %" PRIu64
			  " containers are broken: partly in use.",
			  report->broken, report->containers);
	if (left_out)
		tb_print_sentence(
			out,
			"%u %s no score: %s topology or cores are not known.",
			left_out,
			tb_count_word(left_out, "job has", "jobs have"),
			tb_count_word(left_out, "its", "their"));
	if (report->known < report->nnodes)
		print_unknown(report, out);
}
