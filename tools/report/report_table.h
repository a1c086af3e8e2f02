/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_table.h - the jobs of a report as rows, one for each, or for each of its nodes
 */
#ifndef TB_TOOLS_REPORT_REPORT_TABLE_H
#define TB_TOOLS_REPORT_REPORT_TABLE_H

#include "report.h"
#include "table/table_options.h"

const struct tb_table_kind *tb_report_table(void);

/* The columns that are asked for, else the usual ones.  -1 when out of memory. */
int tb_report_print_table(const struct tb_report *report,
			  const struct tb_table_options *options);

#endif
