/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_series.h - reports over time: a file with a line of JSON for each look
 */
#ifndef TB_TOOLS_REPORT_REPORT_SERIES_H
#define TB_TOOLS_REPORT_REPORT_SERIES_H

#include "report.h"

/* Add the totals of one look (files/append_line.h).  -1 with a sentence. */
int tb_report_series_add(const char *name, const struct tb_report *report,
			 struct tb_error *err);

struct tb_report_series;

/*
 * Read such a file.  Lines that are none of a look are counted, and left out.  NULL with
 * a sentence where it has no look, or cannot be read.
 */
struct tb_report_series *tb_report_series_read(const char *name,
					       struct tb_error *err);
void tb_report_series_destroy(
	struct tb_report_series *series); /* NULL is fine */

/* For programs, and for people. */
json_t *tb_report_series_to_json(const struct tb_report_series *series);
void tb_report_series_print(const struct tb_report_series *series, FILE *out);

#endif
