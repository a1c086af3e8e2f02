/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_table.h - rows and columns of topobind job
 */
#ifndef TB_TOOLS_JOBS_JOB_TABLE_H
#define TB_TOOLS_JOBS_JOB_TABLE_H

#include "job_view.h"
#include "table/table.h"

/* What is told of: a job, one of its nodes, or one of the tasks there. */
struct tb_job_row {
	const struct tb_job_view *job;
	const struct tb_job_node *node; /* NULL: it has none */
	unsigned task; /* of the node's; TB_ALL_TASKS: of all of it */
	unsigned place;
};
#define TB_ALL_TASKS UINT32_MAX

/* Its rows are struct tb_job_row. */
const struct tb_table_kind *tb_job_table(void);

/*
 * A row for each task, or with by_node for each node; one for a node without
 * tasks, and for a job without nodes.  NULL when out of memory.
 */
struct tb_job_row *tb_job_rows_make(const struct tb_job_view *jobs,
				    unsigned njobs, bool by_node,
				    unsigned *nrows);

/* The threads of a row; NULL: none are known. */
const struct tb_bitset *tb_job_row_threads(const struct tb_job_row *row);

#endif
