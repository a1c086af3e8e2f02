/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_table.c - see job_table.h */
#include <stdlib.h>

#include "job_table.h"
#include "cluster/slurm_names.h"
#include "terminal/wrap.h"

enum {
	JOB,
	USER,
	NAME,
	STATE,
	PARTITION,
	REQUEST,
	WAITING,
	NODE,
	TASKS,
	TASK,
	SLOT,
	UNITS,
	THREADS,
	BLOCKED,
	GRANT,
	COLUMNS
};
static const struct tb_column columns[COLUMNS] = {
	[JOB] = { 'i', "jobid", "JOBID", false },
	[USER] = { 'u', "user", "USER", false },
	[NAME] = { 'j', "name", "NAME", false },
	[STATE] = { 'T', "state", "STATE", false },
	[PARTITION] = { 'P', "partition", "PARTITION", false },
	[REQUEST] = { 'b', "request", "REQUEST", false },
	[WAITING] = { 'w', "waiting", "WAITING", false },
	[NODE] = { 'N', "node", "NODE", false },
	[TASKS] = { 'n', "tasks", "TASKS", true },
	[TASK] = { 't', "task", "TASK", true },
	[SLOT] = { 's', "slot", "SLOT", true },
	[UNITS] = { 'U', "units", "UNITS", true },
	[THREADS] = { 'c', "threads", "THREADS", false },
	[BLOCKED] = { 'B', "blocked", "BLOCKED", false },
	[GRANT] = { 'g', "grant", "GRANT", false },
};

const struct tb_bitset *tb_job_row_threads(const struct tb_job_row *row)
{
	if (!row->node)
		return NULL;
	return row->task == TB_ALL_TASKS ? row->node->threads
					 : row->node->slots[row->task];
}

static void print_text_or_dash(const char *text, FILE *out)
{
	tb_text_print(text && *text ? text : "-", out);
}

static void print_and_free(char *text, FILE *out)
{
	print_text_or_dash(text, out);
	free(text);
}

static void print_of_job(const struct tb_job_view *job, unsigned column,
			 FILE *out)
{
	switch (column) {
	case JOB:
		print_text_or_dash(job->id, out);
		break;
	case USER:
		print_text_or_dash(job->user, out);
		break;
	case NAME:
		print_text_or_dash(job->info->name, out);
		break;
	case STATE:
		print_text_or_dash(slurm_job_state_string(job->info->job_state),
				   out);
		break;
	case PARTITION:
		print_text_or_dash(job->info->partition, out);
		break;
	case REQUEST:
		print_text_or_dash(job->comment.request, out);
		break;
	default:
		print_text_or_dash(job->comment.waiting, out);
	}
}

static bool get_number(const void *item, unsigned column, double *number)
{
	const struct tb_job_row *row = item;
	const struct tb_job_node *node = row->node;
	const struct tb_bitset *threads = tb_job_row_threads(row);
	bool is_task = row->task != TB_ALL_TASKS;

	switch (column) {
	case JOB:
		*number = row->job->info->job_id;
		return true;
	case NODE:
		*number = row->place;
		return true;
	case TASKS:
		*number = node ? node->tasks : -1.;
		return true;
	case TASK:
		*number = is_task ? node->first_task + row->task : -1.;
		return true;
	case SLOT:
		*number = is_task ? row->task % node->nslots : -1.;
		return true;
	case UNITS:
		*number = threads && row->job->comment.request
				  ? tb_job_view_units(row->job, node, threads)
				  : -1.;
		return true;
	default:
		return false;
	}
}

static void print_number(const struct tb_job_row *row, unsigned column,
			 FILE *out)
{
	double number;

	if (get_number(row, column, &number) && number >= 0)
		fprintf(out, "%.0f", number);
	else
		fputc('-', out);
}

static void print_cell(const void *item, unsigned column, FILE *out)
{
	const struct tb_job_row *row = item;
	const struct tb_bitset *threads = tb_job_row_threads(row);

	switch (column) {
	case NODE:
		print_text_or_dash(row->node ? row->node->name : NULL, out);
		break;
	case THREADS:
		print_and_free(threads ? tb_bitset_print_list(threads) : NULL,
			       out);
		break;
	case BLOCKED:
		print_and_free(row->node && row->node->blocked
				       ? tb_bitset_print_list(
						 row->node->blocked)
				       : NULL,
			       out);
		break;
	case GRANT:
		print_and_free(threads ? tb_topology_print(row->node->topology,
							   threads)
				       : NULL,
			       out);
		break;
	case TASKS:
	case TASK:
	case SLOT:
	case UNITS:
		print_number(row, column, out);
		break;
	default:
		print_of_job(row->job, column, out);
	}
}

const struct tb_table_kind *tb_job_table(void)
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

static unsigned add_rows_of_node(const struct tb_job_node *node, bool by_node)
{
	return by_node || !node->tasks ? 1 : node->tasks;
}

static unsigned count_rows(const struct tb_job_view *jobs, unsigned njobs,
			   bool by_node)
{
	unsigned count = 0;

	for (unsigned i = 0; i < njobs; i++) {
		for (unsigned n = 0; n < jobs[i].nnodes; n++)
			count += add_rows_of_node(&jobs[i].nodes[n], by_node);
		count += !jobs[i].nnodes;
	}
	return count;
}

struct tb_job_row *tb_job_rows_make(const struct tb_job_view *jobs,
				    unsigned njobs, bool by_node,
				    unsigned *nrows)
{
	struct tb_job_row *rows = calloc(count_rows(jobs, njobs, by_node) + 1,
					 sizeof(*rows));

	*nrows = 0;
	for (unsigned i = 0; rows && i < njobs; i++) {
		const struct tb_job_view *job = &jobs[i];

		if (!job->nnodes)
			rows[(*nrows)++] = (struct tb_job_row){ job, NULL,
								TB_ALL_TASKS,
								0 };
		for (unsigned n = 0; n < job->nnodes; n++) {
			const struct tb_job_node *node = &job->nodes[n];
			unsigned count = add_rows_of_node(node, by_node);

			for (unsigned task = 0; task < count; task++)
				rows[(*nrows)++] = (struct tb_job_row){
					job, node,
					by_node || !node->tasks ? TB_ALL_TASKS
								: task,
					n
				};
		}
	}
	return rows;
}
