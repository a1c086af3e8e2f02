/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_words.c - see report_words.h */
#include <inttypes.h>

#include "report.h"
#include "report_words.h"

void tb_report_tell_percent(FILE *out, uint64_t part, uint64_t all)
{
	double percent = all ? 100. * (double)part / (double)all : 0;

	if (part && percent < 1)
		fputs("under 1%", out);
	else
		fprintf(out, "%.0f%%", percent);
}

void tb_report_tell_counts(FILE *out, unsigned kind,
			   const struct tb_report_counts *counts)
{
	tb_report_tell_percent(out, counts->spanning, counts->scored);
	fprintf(out, " of jobs span more %s than they need; ",
		tb_report_kinds[kind].many);
	tb_report_tell_percent(out, counts->sharing, counts->scored);
	fputs(" share one with strangers", out);
}

void tb_report_tell_worst(FILE *out, const struct tb_report_worst *worst)
{
	fprintf(out,
		"; worst: job %s of %s touches %" PRIu64 ", %" PRIu64
		" would do",
		worst->job ? worst->job : "?", worst->user ? worst->user : "?",
		worst->touched, worst->fewest);
}
