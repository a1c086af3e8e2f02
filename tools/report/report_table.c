/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_table.c - see report_table.h */
#include <inttypes.h>
#include <stdlib.h>

#include "report_table.h"
#include "terminal/wrap.h"

/* The columns that are not of a kind of container. */
enum { JOB, USER, NAME, NODE, CORES, PLAIN_COLUMNS };
/* Those of each kind, as "Xshared" of X. */
enum { TOUCHED, SHARED, STRANGERS, LOCALITY, KIND_COLUMNS };
#define COLUMNS (PLAIN_COLUMNS + TB_REPORT_KINDS * KIND_COLUMNS)

#define OF_KIND(kind, name, letter) \
	[PLAIN_COLUMNS + (kind)*KIND_COLUMNS + \
		TOUCHED] = { letter, name, name "(T/F)", true }, \
		[PLAIN_COLUMNS + (kind)*KIND_COLUMNS + \
			SHARED] = { '\0', name "shared", name "_SHARED", \
				    true }, \
		[PLAIN_COLUMNS + (kind)*KIND_COLUMNS + \
			STRANGERS] = { '\0', name "strangers", \
				       name "_STRANGERS", true }, \
		[PLAIN_COLUMNS + (kind)*KIND_COLUMNS + \
			LOCALITY] = { '\0', name "locality", name "_LOCALITY", \
				      true }

static const struct tb_column columns[COLUMNS] = {
	[JOB] = { 'i', "jobid", "JOBID", false },
	[USER] = { 'u', "user", "USER", false },
	[NAME] = { 'j', "name", "NAME", false },
	[NODE] = { 'N', "node", "NODE", false },
	[CORES] = { 'c', "cores", "CORES", true },
	OF_KIND(TB_REPORT_X, "X", 'X'),
	OF_KIND(TB_REPORT_N, "N", 'n'),
	OF_KIND(TB_REPORT_S, "S", 'S'),
};

struct row {
	const struct tb_report_job *job;
	const struct tb_report_node *node;   /* NULL: all of them */
	const struct tb_report_share *share; /* NULL: it has no score */
};

/* ---- cells ---- */

static void print_or_dash(const char *text, FILE *out)
{
	tb_text_print(text && *text ? text : "-", out);
}

static void print_and_free(char *text, FILE *out)
{
	print_or_dash(text, out);
	free(text);
}

static void print_node(const struct row *row, FILE *out)
{
	print_or_dash(row->node ? row->node->view->info->name
				: row->job->info->nodes,
		      out);
}

static const struct tb_locality *find_locality(const struct row *row,
					       unsigned column)
{
	return &row->share->of[(column - PLAIN_COLUMNS) / KIND_COLUMNS];
}

static void print_of_kind(const struct tb_locality *of, unsigned what,
			  FILE *out)
{
	switch (what) {
	case TOUCHED:
		fprintf(out, "%" PRIu32 "/%" PRIu32, of->touched, of->fewest);
		break;
	case SHARED:
		fprintf(out, "%" PRIu32, of->shared);
		break;
	case STRANGERS:
		fprintf(out, "%" PRIu32, of->strangers);
		break;
	default:
		fprintf(out, "%.3f", tb_locality_score(of));
	}
}

static void print_measured(const struct row *row, unsigned column, FILE *out)
{
	if (!row->share)
		fputc('-', out);
	else if (column == CORES)
		fprintf(out, "%u", row->share->cores);
	else
		print_of_kind(find_locality(row, column),
			      (column - PLAIN_COLUMNS) % KIND_COLUMNS, out);
}

static void print_cell(const void *item, unsigned column, FILE *out)
{
	const struct row *row = item;

	switch (column) {
	case JOB:
		print_and_free(tb_cluster_job_id(row->job->info), out);
		break;
	case USER:
		print_and_free(tb_cluster_job_user(row->job->info), out);
		break;
	case NAME:
		print_or_dash(row->job->info->name, out);
		break;
	case NODE:
		print_node(row, out);
		break;
	default:
		print_measured(row, column, out);
	}
}

static double get_number_of_kind(const struct tb_locality *of, unsigned what)
{
	switch (what) {
	case TOUCHED:
		return of->touched;
	case SHARED:
		return of->shared;
	case STRANGERS:
		return of->strangers;
	default:
		return tb_locality_score(of);
	}
}

static bool get_number(const void *item, unsigned column, double *number)
{
	const struct row *row = item;

	if (column == JOB)
		*number = row->job->info->job_id;
	else if (column < CORES)
		return false;
	else if (!row->share)
		*number = -1;
	else if (column == CORES)
		*number = row->share->cores;
	else
		*number = get_number_of_kind(find_locality(row, column),
					     (column - PLAIN_COLUMNS) %
						     KIND_COLUMNS);
	return true;
}

const struct tb_table_kind *tb_report_table(void)
{
	static const struct tb_table_kind kind = {
		.columns = columns,
		.ncolumns = COLUMNS,
		.print = print_cell,
		.number = get_number,
	};

	return &kind;
}

/* ---- rows ---- */

static struct row *make_rows_of_jobs(const struct tb_report *report,
				     unsigned *nrows)
{
	struct row *rows = calloc(report->njobs + 1, sizeof(*rows));

	*nrows = report->njobs;
	for (unsigned i = 0; rows && i < report->njobs; i++)
		rows[i] = (struct row){ &report->jobs[i], NULL,
					report->jobs[i].scored
						? &report->jobs[i].all
						: NULL };
	return rows;
}

static struct row *make_rows_of_parts(const struct tb_report *report,
				      unsigned *nrows)
{
	struct row *rows = calloc(report->nparts + 1, sizeof(*rows));

	*nrows = report->nparts;
	for (unsigned i = 0; rows && i < report->nparts; i++) {
		const struct tb_report_part *part = &report->parts[i];

		rows[i] = (struct row){ &report->jobs[part->job],
					&report->nodes[part->node],
					&part->has };
	}
	return rows;
}

static int print_rows(const struct tb_report *report,
		      const struct tb_table_options *options,
		      const struct tb_columns *chosen)
{
	unsigned nrows;
	struct row *rows = options->by_node ? make_rows_of_parts(report, &nrows)
					    : make_rows_of_jobs(report, &nrows);
	int rc = rows ? tb_table_show(options, tb_report_table(), chosen, rows,
				      sizeof(*rows), nrows)
		      : -1;

	free(rows);
	return rc;
}

int tb_report_print_table(const struct tb_report *report,
			  const struct tb_table_options *options)
{
	struct tb_columns *usual =
		options->columns
			? NULL
			: tb_columns_of_names(
				  tb_report_table(),
				  "jobid,user,node,cores,X,N,S,Xshared,Xstrangers,Xlocality",
				  NULL);
	const struct tb_columns *chosen = options->columns ? options->columns
							   : usual;
	int rc = chosen ? print_rows(report, options, chosen) : -1;

	tb_columns_destroy(usual);
	return rc;
}
