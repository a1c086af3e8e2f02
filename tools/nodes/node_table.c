/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_table.c - see node_table.h */
#define _GNU_SOURCE /* open_memstream */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/hosts.h"
#include "cluster/node_memory.h"
#include "node_table.h"
#include "cluster/slurm_names.h"
#include "core/base/text.h"
#include "terminal/text_stream.h"

/* The columns that are not of a kind of unit. */
enum {
	NODES,
	COUNT,
	STATE,
	PARTITIONS,
	UNITS,
	LARGEST,
	CORES,
	FRAGMENTATION,
	JOBS,
	JOB_IDS,
	TOPOLOGY,
	INUSE,
	MEMORY,
	RESERVED,
	LOST,
	PLAIN_COLUMNS
};
static const struct tb_column plain_columns[PLAIN_COLUMNS] = {
	[NODES] = { 'N', "nodes", "NODES", false },
	[COUNT] = { 'D', "count", "COUNT", true },
	[STATE] = { 'T', "state", "STATE", false },
	[PARTITIONS] = { 'P', "partitions", "PARTITIONS", false },
	[UNITS] = { 'u', "units", "UNITS", false },
	[LARGEST] = { 'l', "largest", "LARGEST", false },
	[CORES] = { 'c', "cores", "CORES", true },
	[FRAGMENTATION] = { 'f', "frag", "FRAG", true },
	[JOBS] = { 'J', "jobs", "JOBS", true },
	[JOB_IDS] = { 'j', "jobids", "JOBIDS", false },
	[TOPOLOGY] = { 'm', "topology", "TOPOLOGY", false },
	[INUSE] = { 'i', "inuse", "INUSE", false },
	[MEMORY] = { 'M', "memory", "MEMORY", false },
	[RESERVED] = { 'r', "reserved", "RESERVED", true },
	[LOST] = { 'L', "lost", "LOST", true },
};

/* Those of each kind of unit, as "Xfree" of X. */
enum { ALL_THREE, TOTAL, FREE, BROKEN, BLOCK, UNIT_COLUMNS };
static const char *const unit_suffixes[UNIT_COLUMNS] = {
	[ALL_THREE] = "",    [TOTAL] = "total",	  [FREE] = "free",
	[BROKEN] = "broken", [BLOCK] = "largest",
};
static const char *const unit_headings[UNIT_COLUMNS] = {
	[ALL_THREE] = "(F/T/L)", [TOTAL] = "_TOTAL",   [FREE] = "_FREE",
	[BROKEN] = "_BROKEN",	 [BLOCK] = "_LARGEST",
};

#define COLUMNS (PLAIN_COLUMNS + TB_CENSUS_KINDS * UNIT_COLUMNS)
#define NAME_SIZE 16

static unsigned get_unit_column(unsigned kind, unsigned what)
{
	return PLAIN_COLUMNS + kind * UNIT_COLUMNS + what;
}

/* ---- cells ---- */

char *tb_node_state(const node_info_t *node)
{
	char *state = strdup(slurm_node_state_string(node->node_state));

	for (char *c = state; c && *c; c++)
		*c = tb_lower(*c);
	return state;
}

static void print_state(const node_info_t *node, FILE *out)
{
	char *state = tb_node_state(node);

	fputs(state ? state : "-", out);
	free(state);
}

static void print_free_of_total(const struct tb_unit_census *units, FILE *out)
{
	fprintf(out, "%u/%u", units->free, units->total);
}

static void print_largest(const struct tb_unit_census *units, FILE *out)
{
	fprintf(out, "%u", units->largest);
}

static void print_job_ids(const struct tb_node_view *node, FILE *out)
{
	for (unsigned i = 0; i < node->njobs; i++) {
		char *id = tb_cluster_job_id(node->jobs[i]);

		fprintf(out, "%s%s", i ? "," : "", id ? id : "?");
		free(id);
	}
	if (!node->njobs)
		fputc('-', out);
}

/* The topology with nothing in use. */
static void print_topology(const struct tb_node_view *node, FILE *out)
{
	for (const char *c = node->inuse; c && *c; c++)
		fputc(tb_upper(*c), out);
	if (!node->inuse)
		fputc('-', out);
}

static void print_or_dash(const char *text, FILE *out)
{
	fputs(text && *text ? text : "-", out);
}

/* Free and all of each NUMA node. */
static void print_memory(const node_info_t *node, FILE *out)
{
	struct tb_node_memory memory;

	if (!tb_node_memory_load(node, &memory))
		fputc('-', out);
	tb_node_memory_print(&memory, out);
	tb_node_memory_clear(&memory);
}

/* Those with a lower-case thread in a topology string; NULL: none. */
static unsigned count_cores(const char *string)
{
	struct tb_bitset *threads = NULL;
	struct tb_topology *topology = string ? tb_topology_parse(string,
								  &threads,
								  NULL)
					      : NULL;
	unsigned cores = 0;

	if (topology)
		cores = tb_count_cores_with(topology, threads);
	tb_topology_destroy(topology);
	tb_bitset_destroy(threads);
	return cores;
}

static void print_unit_cell(const struct tb_node_view *node, unsigned kind,
			    unsigned what, FILE *out)
{
	const struct tb_unit_census *units;

	if (!node->census || !node->census->units[kind].total) {
		fputc('-', out);
		return;
	}
	units = &node->census->units[kind];
	if (what == ALL_THREE)
		fprintf(out, "%u/%u/%u", units->free, units->total,
			units->largest);
	else
		fprintf(out, "%u",
			what == TOTAL	 ? units->total
			: what == FREE	 ? units->free
			: what == BROKEN ? units->broken
					 : units->largest);
}

static void print_of_census(const struct tb_census *census, unsigned column,
			    FILE *out)
{
	if (!census)
		fputc('-', out);
	else if (column == CORES)
		fprintf(out, "%u/%u", census->free_cores, census->cores);
	else
		fprintf(out, "%.0f%%",
			100 * tb_fragmentation(census->fragments,
					       census->free_cores));
}

static void print_cell(const void *item, unsigned column, FILE *out)
{
	const struct tb_node_row *row = item;
	const struct tb_node_view *node = row->node;

	switch (column) {
	case NODES:
		fputs(row->nodes, out);
		break;
	case COUNT:
		fprintf(out, "%u", row->count);
		break;
	case STATE:
		print_state(node->info, out);
		break;
	case PARTITIONS:
		print_or_dash(node->info->partitions, out);
		break;
	case UNITS:
		tb_node_view_units(node, out, print_free_of_total);
		break;
	case LARGEST:
		tb_node_view_units(node, out, print_largest);
		break;
	case CORES:
	case FRAGMENTATION:
		print_of_census(node->census, column, out);
		break;
	case JOBS:
		fprintf(out, "%u", node->njobs);
		break;
	case JOB_IDS:
		print_job_ids(node, out);
		break;
	case TOPOLOGY:
		print_topology(node, out);
		break;
	case INUSE:
		print_or_dash(node->inuse, out);
		break;
	case MEMORY:
		print_memory(node->info, out);
		break;
	case RESERVED:
		fprintf(out, "%u", count_cores(node->reserved));
		break;
	case LOST:
		fprintf(out, "%u", count_cores(node->lost));
		break;
	default:
		column -= PLAIN_COLUMNS;
		print_unit_cell(node, column / UNIT_COLUMNS,
				column % UNIT_COLUMNS, out);
	}
}

/* ---- numbers ---- */

/* What is not known sorts before all that is. */
static double get_unit_number(const struct tb_node_view *node, unsigned column)
{
	const struct tb_unit_census *units;

	if (!node->census)
		return -1;
	column -= PLAIN_COLUMNS;
	units = &node->census->units[column / UNIT_COLUMNS];
	switch (column % UNIT_COLUMNS) {
	case TOTAL:
		return units->total;
	case BROKEN:
		return units->broken;
	case BLOCK:
		return units->largest;
	default:
		return units->free;
	}
}

static bool get_number(const void *item, unsigned column, double *number)
{
	const struct tb_node_row *row = item;
	const struct tb_census *census = row->node->census;

	if (column == NODES)
		*number = row->place;
	else if (column == COUNT)
		*number = row->count;
	else if (column == CORES)
		*number = census ? (double)census->free_cores : -1;
	else if (column == FRAGMENTATION)
		*number = census ? tb_fragmentation(census->fragments,
						    census->free_cores)
				 : -1;
	else if (column == JOBS)
		*number = row->node->njobs;
	else if (column == RESERVED)
		*number = count_cores(row->node->reserved);
	else if (column == LOST)
		*number = count_cores(row->node->lost);
	else if (column >= PLAIN_COLUMNS)
		*number = get_unit_number(row->node, column);
	else
		return false;
	return true;
}

/* ---- the columns ---- */

const struct tb_table_kind *tb_node_table(void)
{
	static struct tb_column columns[COLUMNS];
	static char names[COLUMNS][NAME_SIZE], headings[COLUMNS][NAME_SIZE];
	static const struct tb_table_kind kind = {
		.columns = columns,
		.ncolumns = COLUMNS,
		.print = print_cell,
		.number = get_number,
	};

	memcpy(columns, plain_columns, sizeof(plain_columns));
	for (unsigned i = PLAIN_COLUMNS; i < COLUMNS; i++) {
		unsigned what = (i - PLAIN_COLUMNS) % UNIT_COLUMNS;
		const char *unit = tb_unit_name(
			tb_census_unit((i - PLAIN_COLUMNS) / UNIT_COLUMNS));

		snprintf(names[i], NAME_SIZE, "%s%s", unit,
			 unit_suffixes[what]);
		snprintf(headings[i], NAME_SIZE, "%s%s", unit,
			 unit_headings[what]);
		columns[i] = (struct tb_column){ '\0', names[i], headings[i],
						 true };
	}
	return &kind;
}

/* How many of a kind a node has. */
static unsigned get_total(const struct tb_node_view *node, unsigned kind)
{
	return node->census ? node->census->units[kind].total : 0;
}

/* Is there as much of both kinds everywhere, as of caches of one core each? */
static bool is_same(const struct tb_node_view **nodes, unsigned nnodes,
		    unsigned kind, unsigned other)
{
	for (unsigned i = 0; i < nnodes; i++)
		if (get_total(nodes[i], kind) != get_total(nodes[i], other))
			return false;
	return true;
}

static bool is_there(const struct tb_node_view **nodes, unsigned nnodes,
		     unsigned kind)
{
	for (unsigned i = 0; i < nnodes; i++)
		if (get_total(nodes[i], kind))
			return true;
	return false;
}

/*
 * Of kinds with the same numbers, the one that people speak of is shown: the
 * core before all, S before N and X.  Of efficiency cores only these themselves.
 */
static bool is_usual(const struct tb_node_view **nodes, unsigned nnodes,
		     unsigned kind)
{
	enum { HALF = TB_CENSUS_KINDS / 2, CORE = HALF - 2 };

	if (!is_there(nodes, nnodes, kind))
		return false;
	if (kind == CORE || kind >= HALF)
		return kind == CORE || kind == HALF + CORE;
	for (unsigned other = 0; other < kind; other++)
		if (is_same(nodes, nnodes, kind, other))
			return false;
	return !is_same(nodes, nnodes, kind, CORE);
}

static bool any_is_reserved(const struct tb_node_view **nodes, unsigned nnodes)
{
	for (unsigned i = 0; i < nnodes; i++)
		if (nodes[i]->reserved)
			return true;
	return false;
}

static bool any_has_lost(const struct tb_node_view **nodes, unsigned nnodes)
{
	for (unsigned i = 0; i < nnodes; i++)
		if (nodes[i]->lost)
			return true;
	return false;
}

char *tb_node_table_usual(const struct tb_node_view **nodes, unsigned nnodes,
			  bool together)
{
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs(together ? "nodes,count,state" : "nodes,state", out);
	for (unsigned kind = 0; kind < TB_CENSUS_KINDS; kind++)
		if (is_usual(nodes, nnodes, kind))
			fprintf(out, ",%s",
				tb_node_table()
					->columns[get_unit_column(kind,
								  ALL_THREE)]
					.name);
	fputs(",frag,jobs", out);
	if (any_is_reserved(nodes, nnodes))
		fputs(",reserved", out);
	if (any_has_lost(nodes, nnodes))
		fputs(",lost", out);
	return tb_text_stream_close(out, &text);
}

/* ---- rows ---- */

/* A node by what is to be said of it. */
struct keyed {
	const struct tb_node_view *node;
	unsigned place;
	char *key;
};

static char *make_key(const struct tb_node_row *row,
		      const struct tb_columns *columns)
{
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (unsigned column = COUNT + 1; column < COLUMNS; column++) {
		if (!tb_columns_has(columns, column))
			continue;
		print_cell(row, column, out);
		fputc('\n', out);
	}
	return tb_text_stream_close(out, &text);
}

static int compare_keys(const void *one, const void *other)
{
	const struct keyed *a = one, *b = other;
	int order = strcmp(a->key, b->key);

	return order ? order : a->place < b->place ? -1 : 1;
}

static int compare_places(const void *one, const void *other)
{
	const struct tb_node_row *a = one, *b = other;

	return a->place < b->place ? -1 : 1;
}

/* The rows of sorted nodes; -1 when out of memory. */
static int join_rows(struct tb_node_row *rows, const struct keyed *keyed,
		     unsigned nnodes, bool together, unsigned *nrows)
{
	tb_hostlist_t names = NULL;

	for (unsigned i = 0; i < nnodes; i++) {
		struct tb_node_row *row;

		if (!i || !together || strcmp(keyed[i - 1].key, keyed[i].key)) {
			rows[*nrows] = (struct tb_node_row){
				.node = keyed[i].node,
				.place = keyed[i].place,
			};
			(*nrows)++;
			names = slurm_hostlist_create("");
		}
		row = &rows[*nrows - 1];
		row->count++;
		slurm_hostlist_push_host(names, keyed[i].node->info->name);
		if (together && i + 1 < nnodes &&
		    !strcmp(keyed[i].key, keyed[i + 1].key))
			continue;
		row->nodes = tb_hostlist_print(names);
		slurm_hostlist_destroy(names);
		if (!row->nodes)
			return -1;
	}
	return 0;
}

static int make_keys(struct keyed *keyed, const struct tb_node_view **nodes,
		     unsigned nnodes, const struct tb_columns *columns)
{
	for (unsigned i = 0; i < nnodes; i++) {
		const struct tb_node_row row = { .node = nodes[i] };

		keyed[i] = (struct keyed){ nodes[i], i,
					   make_key(&row, columns) };
		if (!keyed[i].key)
			return -1;
	}
	return 0;
}

struct tb_node_row *tb_node_rows_make(const struct tb_node_view **nodes,
				      unsigned nnodes,
				      const struct tb_columns *columns,
				      bool together, unsigned *nrows)
{
	struct tb_node_row *rows = calloc(nnodes + 1, sizeof(*rows));
	struct keyed *keyed = calloc(nnodes + 1, sizeof(*keyed));
	int rc = -1;

	*nrows = 0;
	if (rows && keyed)
		rc = make_keys(keyed, nodes, nnodes, columns);
	if (!rc && together)
		qsort(keyed, nnodes, sizeof(*keyed), compare_keys);
	if (!rc)
		rc = join_rows(rows, keyed, nnodes, together, nrows);
	if (!rc)
		qsort(rows, *nrows, sizeof(*rows), compare_places);
	for (unsigned i = 0; keyed && i < nnodes; i++)
		free(keyed[i].key);
	free(keyed);
	if (!rc)
		return rows;
	tb_node_rows_destroy(rows, *nrows);
	return NULL;
}

void tb_node_rows_destroy(struct tb_node_row *rows, unsigned nrows)
{
	for (unsigned i = 0; rows && i < nrows; i++)
		free(rows[i].nodes);
	free(rows);
}
