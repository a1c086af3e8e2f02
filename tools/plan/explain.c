/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.c - see explain.h */
#define _GNU_SOURCE /* open_memstream */
#include "explain.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster/hosts.h"
#include "core/base/text.h"
#include "core/request/parts.h"
#include "table/table.h"
#include "terminal/text_stream.h"
#include "terminal/wrap.h"

#include "candidates_if.h"
#include "candidates_unknown.h"

void tb_explain_time(int64_t time, char text[TB_TIME_SIZE])
{
	time_t seconds = (time_t)time;
	struct tm parts;

	if (!localtime_r(&seconds, &parts) ||
	    !strftime(text, TB_TIME_SIZE, "%Y-%m-%dT%H:%M:%S", &parts))
		text[0] = '\0';
}

/* ---- nodes of which the same is to be said ---- */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_holds(const struct tb_candidate_node *a,
		       const struct tb_candidate_node *b)
{
	if (a->nholds != b->nholds)
		return false;
	for (unsigned i = 0; i < a->nholds; i++)
		if (a->holds[i].holder != b->holds[i].holder ||
		    a->held_units[i] != b->held_units[i])
			return false;
	return true;
}

static bool same_row(const struct tb_candidates *candidates,
		     const struct tb_candidate_node *a,
		     const struct tb_candidate_node *b)
{
	if (a->closed || b->closed)
		return same_text(a->closed, b->closed);
	return a->required == b->required && a->units == b->units &&
	       a->free_units == b->free_units &&
	       tb_candidates_needed_units(candidates, a) ==
		       tb_candidates_needed_units(candidates, b) &&
	       tb_candidates_room(candidates, a) ==
		       tb_candidates_room(candidates, b) &&
	       same_text(a->reserved_by, b->reserved_by) &&
	       a->has_lost == b->has_lost && same_text(a->note, b->note) &&
	       same_holds(a, b);
}

struct group {
	const struct tb_candidate_node *node;
	tb_hostlist_t nodes;
};

static int group_nodes(const struct tb_candidates *candidates,
		       struct group *groups)
{
	unsigned count = 0;

	for (unsigned i = 0; i < candidates->nnodes; i++) {
		const struct tb_candidate_node *node = &candidates->nodes[i];
		unsigned at = 0;

		if (!node->info->name)
			continue;
		while (at < count &&
		       !same_row(candidates, groups[at].node, node))
			at++;
		if (at == count)
			groups[count++] = (struct group){
				node, slurm_hostlist_create("")
			};
		slurm_hostlist_push_host(groups[at].nodes, node->info->name);
	}
	return count;
}

static int make_rows(struct tb_explanation *explanation)
{
	struct tb_candidates *candidates = explanation->candidates;
	struct group *groups = calloc(candidates->nnodes + 1, sizeof(*groups));
	int rc = 0;

	explanation->rows = calloc(candidates->nnodes + 1,
				   sizeof(*explanation->rows));
	if (!groups || !explanation->rows) {
		free(groups);
		return -1;
	}
	explanation->nrows = group_nodes(candidates, groups);
	for (unsigned i = 0; i < explanation->nrows; i++) {
		explanation->rows[i].node = groups[i].node;
		explanation->rows[i].nodes = tb_hostlist_print(groups[i].nodes);
		if (!explanation->rows[i].nodes)
			rc = -1;
		slurm_hostlist_destroy(groups[i].nodes);
	}
	free(groups);
	return rc;
}

int tb_explanation_make(struct tb_explanation *explanation,
			struct tb_candidates *candidates)
{
	memset(explanation, 0, sizeof(*explanation));
	explanation->candidates = candidates;
	explanation->fits = tb_candidates_fits(candidates);
	explanation->has_units = tb_candidates_have_units(candidates);
	explanation->has_memory = tb_candidates_have_memory(candidates);
	explanation->unknown = tb_candidates_unknown(candidates);
	explanation->when = -1;
	explanation->ended = tb_bitset_create(candidates->nholders);
	if (!explanation->ended)
		return -1;
	explanation->found = tb_candidates_find(candidates, explanation->ended,
						&explanation->when);
	return make_rows(explanation);
}

void tb_explanation_clear(struct tb_explanation *explanation)
{
	for (unsigned i = 0; i < explanation->nrows; i++)
		free(explanation->rows[i].nodes);
	free(explanation->rows);
	tb_bitset_destroy(explanation->ended);
}

/* ---- sentences ---- */

static void print_units(const struct tb_request *request, FILE *out)
{
	char *text = request->cpus ? tb_request_print_cpus(request)
				   : tb_request_print_units(request, "");

	fprintf(out, "%s%s", request->cpus ? "CPUs " : "", text ? text : "");
	free(text);
}

char *tb_explain_spec(const struct tb_job_spec *spec)
{
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (spec->request.type == TB_HOST || spec->request.cpus) {
		print_units(&spec->request, out);
		fprintf(out, " on %s %u %s, for %u %s",
			spec->min_nodes == 1 ? "each of at least" : "each of",
			spec->min_nodes,
			tb_count_word(spec->min_nodes, "node", "nodes"),
			spec->tasks,
			tb_count_word(spec->tasks, "task", "tasks"));
	} else {
		fprintf(out, "%u %s of ", spec->tasks,
			tb_count_word(spec->tasks, "slot", "slots"));
		print_units(&spec->request, out);
		fputs(spec->tasks == 1 ? "" : " each", out);
		if (spec->request.spread)
			fprintf(out, ", spread over %c", spec->request.spread);
		if (spec->min_nodes > 1)
			fprintf(out, " on %u nodes", spec->min_nodes);
	}
	if (spec->whole_nodes)
		fputs(", on nodes of its own", out);
	return tb_text_stream_close(out, &text);
}

static void print_holder(const struct tb_holder *holder, FILE *out)
{
	if (holder->id)
		fprintf(out, "%s of %s", holder->id, holder->user);
	else
		fputs("hidden jobs", out);
}

static unsigned print_ended(const struct tb_explanation *explanation, FILE *out)
{
	const struct tb_bitset *ended = explanation->ended;
	unsigned told = 0;

	TB_BITSET_EACH(i, ended) {
		const struct tb_holder *holder =
			&explanation->candidates->holders[i];

		fputs(told++ ? ", " : holder->id ? "job " : "", out);
		print_holder(holder, out);
	}
	return told;
}

static void print_when(const struct tb_explanation *explanation, FILE *out)
{
	char text[TB_TIME_SIZE];

	if (tb_bitset_test(explanation->ended, TB_HIDDEN)) {
		fputs("; when that is, is hidden", out);
	} else if (explanation->when == TB_END_NEVER) {
		fputs("; not all of these have a time limit", out);
	} else {
		tb_explain_time(explanation->when, text);
		fprintf(out, "; by their time limits that is at %s", text);
	}
}

/* What there is when some have ended, and when that is. */
static void print_ends(const char *what,
		       const struct tb_explanation *explanation, FILE *out)
{
	fprintf(out, "%s when these have ended: ", what);
	print_ended(explanation, out);
	print_when(explanation, out);
}

/* Of the nodes with units; and who must end for it, where that is known. */
static void print_short_memory(const struct tb_explanation *explanation,
			       FILE *out)
{
	const struct tb_candidates *candidates = explanation->candidates;
	unsigned units = 0, lack = 0;

	for (unsigned i = 0; i < candidates->nnodes; i++) {
		const struct tb_candidate_node *node = &candidates->nodes[i];

		if (!tb_candidates_room(candidates, node))
			continue;
		units++;
		lack += node->lacks_memory;
	}
	if (lack)
		fprintf(out,
			", but too little memory with them: %u of %u %s with units %s it",
			lack, units, tb_count_word(units, "node", "nodes"),
			tb_count_word(lack, "lacks", "lack"));
	else
		fputs(", but too little memory with all of them", out);
	if (explanation->found && explanation->when >= 0)
		print_ends("; there is memory for it", explanation, out);
}

static void print_unknown(const struct tb_explanation *explanation, FILE *out)
{
	if (explanation->unknown)
		fprintf(out, ", only slurmctld knows %s", explanation->unknown);
}

/* Why it does not start, though there are units for it now. */
static void print_others(const struct tb_explanation *explanation, FILE *out)
{
	if (!explanation->has_memory)
		print_short_memory(explanation, out);
	else
		print_unknown(explanation, out);
}

static bool has_window(const struct tb_request *request)
{
	return request->start || request->stop;
}

static void print_devices(const struct tb_job_devices *devices, FILE *out)
{
	for (unsigned i = 0; i < devices->count; i++)
		fprintf(out, "%s%s",
			!i			  ? ""
			: i + 1 == devices->count ? " and "
						  : ", ",
			devices->names[i]);
}

/* What comes, or does not: "units with gpu and nic". */
static void print_wanted(const struct tb_job_devices *devices, FILE *out)
{
	fputs(devices->count ? "units with " : "units", out);
	print_devices(devices, out);
}

/* Nothing that ends suffices. */
static void print_too_few(const struct tb_explanation *explanation, FILE *out)
{
	const struct tb_candidates *candidates = explanation->candidates;

	fputs("the nodes that it may use now have too few ", out);
	print_wanted(&candidates->spec->devices, out);
	fputs(has_window(&candidates->spec->request)
		      ? " in the window of --bstart and --bstop, which depends on what is in use"
		      : ", even after all running jobs end",
	      out);
}

/* What there is when some have ended. */
static void print_later(const struct tb_explanation *explanation, FILE *out)
{
	const struct tb_job_devices *devices =
		&explanation->candidates->spec->devices;

	fputs("there are ", out);
	if (explanation->has_units) {
		fputs("units for it now, but with ", out);
		print_devices(devices, out);
		fputs(" only", out);
	} else {
		print_wanted(devices, out);
		fputs(" for it", out);
	}
	print_ends("", explanation, out);
	print_unknown(explanation, out);
}

char *tb_explain_end(const struct tb_explanation *explanation)
{
	const struct tb_candidates *candidates = explanation->candidates;
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (explanation->fits) {
		fputs("there are units for it now", out);
		print_others(explanation, out);
	} else if (candidates->required_out) {
		fputs("a node that the job requires is out of service", out);
	} else if (candidates->required_closed) {
		fputs("the job cannot use a node that it requires", out);
	} else if (!explanation->found) {
		print_too_few(explanation, out);
	} else {
		print_later(explanation, out);
	}
	return tb_text_stream_close(out, &text);
}

/* ---- the table ---- */

enum { NODES, FREE, OF, NEED, SLOTS, HELD, COLUMNS };

static const struct tb_column columns[COLUMNS] = {
	[NODES] = { '\0', "nodes", "NODES", false },
	[FREE] = { '\0', "free", "FREE", true },
	[OF] = { '\0', "of", "OF", true },
	[NEED] = { '\0', "need", "NEED", true },
	[SLOTS] = { '\0', "slots", "SLOTS", true },
	[HELD] = { '\0', "held", "HELD BY, OR WHY NOT", false },
};

struct row {
	const struct tb_explanation *explanation;
	const struct tb_explain_row *nodes;
};

static void print_end(int64_t end, FILE *out)
{
	char text[TB_TIME_SIZE];

	if (end == TB_END_NEVER) {
		fputs(" without a time limit", out);
		return;
	}
	tb_explain_time(end, text);
	fprintf(out, " until %s", text);
}

static void print_hold(const struct tb_explanation *explanation,
		       const struct tb_candidate_node *node, unsigned index,
		       FILE *out)
{
	const struct tb_holder_job *hold = &node->holds[index];
	const struct tb_candidates *candidates = explanation->candidates;
	const struct tb_job_devices *devices = &candidates->spec->devices;

	fprintf(out, "%u: ", node->held_units[index]);
	print_holder(&candidates->holders[hold->holder], out);
	for (unsigned i = 0; hold->devices && i < devices->count; i++)
		if (hold->devices[i])
			fprintf(out, ", %u %s", hold->devices[i],
				devices->names[i]);
	if (node->lacks_memory && hold->memory)
		fprintf(out, ", %llu MB", (unsigned long long)hold->memory);
	if (hold->holder == TB_HIDDEN)
		fputs(", end not known", out);
	else
		print_end(candidates->ends[hold->holder], out);
}

/* Reservations, notes, holders and what is lost, one on a line. */
static void print_holds(const struct row *row, FILE *out)
{
	const struct tb_explanation *explanation = row->explanation;
	const struct tb_candidate_node *node = row->nodes->node;
	bool first = !node->note && !node->reserved_by;

	if (node->reserved_by) {
		fputs("reserved by ", out);
		tb_text_print(node->reserved_by, out);
	}
	if (node->note && node->reserved_by)
		fputc('\n', out);
	if (node->note)
		tb_text_print(node->note, out);
	for (unsigned i = 0; i < node->nholds; i++) {
		if (!node->held_units[i] && !node->holds[i].devices &&
		    !(node->lacks_memory && node->holds[i].memory) &&
		    !explanation->candidates->spec->whole_nodes)
			continue;
		if (!first)
			fputc('\n', out);
		first = false;
		print_hold(explanation, node, i, out);
	}
	if (node->has_lost)
		fprintf(out, "%slost CPUs", first ? "" : "\n");
	else if (first)
		fputs("nobody", out);
}

static unsigned get_number(const struct row *row, unsigned column)
{
	const struct tb_candidates *candidates = row->explanation->candidates;
	const struct tb_candidate_node *node = row->nodes->node;

	switch (column) {
	case FREE:
		return node->free_units;
	case OF:
		return node->units;
	case NEED:
		return tb_candidates_needed_units(candidates, node);
	default:
		return tb_candidates_room(candidates, node);
	}
}

static void print_cell(const void *item, unsigned column, FILE *out)
{
	const struct row *row = item;
	const struct tb_candidate_node *node = row->nodes->node;

	if (column == NODES)
		fputs(row->nodes->nodes, out);
	else if (column == HELD && node->closed)
		tb_text_print(node->closed, out);
	else if (column == HELD)
		print_holds(row, out);
	else if (node->closed)
		fputc('-', out);
	else
		fprintf(out, "%u", get_number(row, column));
}

static const struct tb_table_kind kind = {
	.columns = columns,
	.ncolumns = COLUMNS,
	.gap = "  ",
	.print = print_cell,
};

int tb_explain_table(const struct tb_explanation *explanation, FILE *out)
{
	struct row *rows = calloc(explanation->nrows + 1, sizeof(*rows));
	int rc = -1;

	for (unsigned i = 0; rows && i < explanation->nrows; i++)
		rows[i] = (struct row){ explanation, &explanation->rows[i] };
	if (rows)
		rc = tb_table_print_names(&kind,
					  "nodes,free,of,need,slots,held", rows,
					  sizeof(*rows), explanation->nrows,
					  true, out);
	free(rows);
	return rc;
}
