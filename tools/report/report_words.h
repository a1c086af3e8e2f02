/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_words.h - the sentences that a report and a summary of many have in common
 */
#ifndef TB_TOOLS_REPORT_REPORT_WORDS_H
#define TB_TOOLS_REPORT_REPORT_WORDS_H

#include <stdint.h>
#include <stdio.h>

/* Of one kind of container. */
struct tb_report_counts {
	uint64_t spanning, sharing, scored; /* jobs */
};

/*
 * "37% of jobs span more L3 caches than they need; 22% share one with strangers",
 * without an end.
 */
void tb_report_tell_counts(FILE *out, unsigned kind,
			   const struct tb_report_counts *counts);

/* "; worst: job 17 of alice touches 4, 1 would do" */
struct tb_report_worst {
	const char *job, *user;
	uint64_t touched, fewest;
};
void tb_report_tell_worst(FILE *out, const struct tb_report_worst *worst);

/* "37%" of all; what is not none is "under 1%". */
void tb_report_tell_percent(FILE *out, uint64_t part, uint64_t all);

#endif
