/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_legend.c - see map_legend.h */
#define _GNU_SOURCE /* asprintf */
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "map_legend.h"
#include "table/table.h"
#include "terminal/wrap.h"

/* How wide the sign of a job is, and where what it has is written, below it. */
#define MARK_WIDTH 3
#define BELOW 5

/* The characters for jobs of a kind, which take turns. */
static const char *const job_symbols[TB_MAP_KINDS] = {
	[TB_MAP_BOUND] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
	[TB_MAP_SOFT] = "abcdefghijklmnopqrstuvwxyz",
	[TB_MAP_PLAIN] = "#",
};

/* Backgrounds of the 256-colour table on which black can be read. */
static const int job_colors[TB_JOB_COLORS] = {
	39, 208, 113, 213, 226, 203, 51,  141, 190, 180, 45,  214,
	84, 177, 117, 222, 156, 210, 147, 185, 79,  173, 111, 229,
};

#define COLOR_PLAIN 250
#define COLOR_MANY 255

char tb_holder_symbol(const struct tb_map *map, int holder)
{
	const struct tb_map_job *job;
	const char *symbols;

	switch (holder) {
	case TB_HOLDER_NONE:
		return '.';
	case TB_HOLDER_FILTERED:
		return '-';
	case TB_HOLDER_RESERVED:
		return '~';
	case TB_HOLDER_PLAIN:
		return '#';
	case TB_HOLDER_MANY:
		return '&';
	}
	job = &map->jobs[holder];
	symbols = job_symbols[job->kind];
	return symbols[job->number % strlen(symbols)];
}

int tb_holder_color(int holder)
{
	switch (holder) {
	case TB_HOLDER_NONE:
	case TB_HOLDER_FILTERED:
	case TB_HOLDER_RESERVED:
		return -1;
	case TB_HOLDER_PLAIN:
		return COLOR_PLAIN;
	case TB_HOLDER_MANY:
		return COLOR_MANY;
	default:
		return job_colors[holder % TB_JOB_COLORS];
	}
}

/* One of the six levels of the 6x6x6 colours that begin at 16. */
static unsigned get_color_level(int color, int base)
{
	unsigned step = (color - 16) / base % 6;

	return step ? 55 + 40 * step : 0;
}

unsigned tb_color_rgb(int color)
{
	if (color >= 232) /* shades of grey */
		return (8 + 10 * (color - 232)) * 0x010101;
	return get_color_level(color, 36) << 16 |
	       get_color_level(color, 6) << 8 | get_color_level(color, 1);
}

void tb_color_print(int color, FILE *out)
{
	if (color < 0)
		fputs("\033[0m", out);
	else
		fprintf(out, "\033[38;5;16;48;5;%dm", color);
}

static void draw_symbol(const struct tb_map *map, int holder,
			const struct tb_map_style *style, FILE *out)
{
	int color = style->color ? tb_holder_color(holder) : -1;

	if (color >= 0)
		tb_color_print(color, out);
	fputc(tb_holder_symbol(map, holder), out);
	if (color >= 0)
		tb_color_print(-1, out);
}

/* ---- the symbols that are no jobs ---- */

bool tb_holder_occurs(const struct tb_map *map, int holder)
{
	for (unsigned i = 0; i < map->nnodes; i++) {
		const struct tb_map_node *node = &map->nodes[i];

		for (unsigned j = 0;
		     node->topology && j < tb_topology_threads(node->topology);
		     j++)
			if (node->holders[j] == holder)
				return true;
	}
	return false;
}

static bool has_efficiency_cores(const struct tb_map *map)
{
	for (unsigned i = 0; i < map->nnodes; i++)
		if (map->nodes[i].topology &&
		    tb_topology_count(map->nodes[i].topology, 'E'))
			return true;
	return false;
}

/* An L2 cache of one core has no box: the core shows it. */
static bool has_box(const struct tb_topology *topology, char letter)
{
	unsigned count = tb_topology_count(topology, letter);

	return count && (letter != 'Y' || count < tb_topology_cores(topology));
}

bool tb_legend_boxes(const struct tb_map *map, FILE *out)
{
	static const struct {
		char letter;
		const char *name;
	} boxes[] = { { 'N', "NUMA node" },
		      { 'S', "socket" },
		      { 'X', "L3 cache" },
		      { 'Y', "L2 cache" } };
	bool any = false;

	for (size_t i = 0; i < sizeof(boxes) / sizeof(*boxes); i++)
		for (unsigned j = 0; j < map->nnodes; j++) {
			if (!map->nodes[j].topology ||
			    !has_box(map->nodes[j].topology, boxes[i].letter))
				continue;
			fprintf(out, "%s%c %s", any ? ", " : "",
				boxes[i].letter, boxes[i].name);
			any = true;
			break;
		}
	return any;
}

static void draw_holder(const struct tb_map *map, int holder,
			const char *meaning, const struct tb_map_style *style,
			FILE *out)
{
	if (!tb_holder_occurs(map, holder))
		return;
	draw_symbol(map, holder, style, out);
	fprintf(out, "  %s\n", meaning);
}

static void draw_symbols(const struct tb_map *map,
			 const struct tb_map_style *style, FILE *out)
{
	draw_holder(map, TB_HOLDER_NONE, "free", style, out);
	draw_holder(map, TB_HOLDER_FILTERED,
		    "free, not for jobs with a binding", style, out);
	draw_holder(map, TB_HOLDER_RESERVED, "free, reserved now or later",
		    style, out);
	draw_holder(map, TB_HOLDER_PLAIN, "in use by jobs that are not shown",
		    style, out);
	draw_holder(map, TB_HOLDER_MANY, "shared by several jobs", style, out);
	if (has_efficiency_cores(map))
		fputs("'  after an efficiency core\n", out);
	if (tb_legend_boxes(map, out))
		fputc('\n', out);
}

/* ---- the jobs ---- */

char *tb_duration_print(int64_t seconds)
{
	long long minutes = seconds / 60, hours = minutes / 60;
	char *text;
	int length;

	if (hours < 24)
		length = asprintf(&text, "%lld:%02lld:%02lld", hours,
				  minutes % 60, (long long)seconds % 60);
	else
		length = asprintf(&text, "%lld-%02lld:%02lld:%02lld",
				  hours / 24, hours % 24, minutes % 60,
				  (long long)seconds % 60);
	return length < 0 ? NULL : text;
}

/* "" for a job without; malloc()ed. */
static char *print_time_left(const struct tb_map *map,
			     const struct tb_map_job *job)
{
	int64_t left = tb_map_time_left(map, job);

	return left < 0 ? strdup("") : tb_duration_print(left);
}

enum { ID, USER, NAME, LEFT, REQUEST, COLUMNS };

static const struct tb_column columns[COLUMNS] = {
	[ID] = { '\0', "id", "", false },
	[USER] = { '\0', "user", "", false },
	[NAME] = { '\0', "name", "", false },
	[LEFT] = { '\0', "left", "", false },
	[REQUEST] = { '\0', "request", "", false },
};

struct row {
	const struct tb_map *map;
	const struct tb_map_style *style;
	unsigned index; /* of the job */
};

static const struct tb_map_job *get_job(const struct row *row)
{
	return &row->map->jobs[row->index];
}

static void print_left(const struct row *row, FILE *out)
{
	char *left = print_time_left(row->map, get_job(row));

	fputs(left && *left ? left : "-", out);
	free(left);
}

static void print_cell(const void *item, unsigned column, FILE *out)
{
	const struct row *row = item;
	const struct tb_map_job *job = get_job(row);

	switch (column) {
	case ID:
		tb_text_print(job->id, out);
		break;
	case USER:
		tb_text_print(job->user, out);
		break;
	case NAME:
		tb_text_print(job->name, out);
		break;
	case LEFT:
		print_left(row, out);
		break;
	default:
		tb_text_print(*job->request ? job->request : "no binding", out);
	}
}

static void print_mark(const void *item, FILE *out)
{
	const struct row *row = item;

	draw_symbol(row->map, (int)row->index, row->style, out);
	fputs("  ", out);
}

/* "n[1-2] threads 0-3,8" */
static int draw_list(const char *nodes, const char *threads, FILE *out)
{
	char *text;

	if (asprintf(&text, "%s threads %s", nodes, threads) < 0)
		return -1;
	fprintf(out, "%*s", BELOW, "");
	tb_print_cell(out, text, BELOW);
	free(text);
	return 0;
}

static int draw_threads(const char *nodes, const struct tb_bitset *threads,
			FILE *out)
{
	char *list = tb_bitset_print_list(threads);
	int rc = list ? draw_list(nodes, list, out) : -1;

	free(list);
	return rc;
}

static int draw_grant(const struct tb_map_grant *grant, FILE *out)
{
	struct tb_bitset *threads;
	struct tb_topology *topology = tb_topology_parse(grant->string,
							 &threads, NULL);
	int rc;

	if (!topology) /* a list already */
		return draw_list(grant->nodes, grant->string, out);
	rc = draw_threads(grant->nodes, threads, out);
	tb_bitset_destroy(threads);
	tb_topology_destroy(topology);
	return rc;
}

/* What a job without grants has, node by node. */
static int draw_holds(const struct tb_map *map, unsigned job, FILE *out)
{
	for (unsigned i = 0; i < map->nnodes; i++) {
		const struct tb_map_node *node = &map->nodes[i];

		for (unsigned j = 0; j < node->njobs; j++)
			if (node->jobs[j].job == job &&
			    draw_threads(node->name, node->jobs[j].threads,
					 out))
				return -1;
	}
	return 0;
}

static int draw_below(const void *item, FILE *out)
{
	const struct row *row = item;
	const struct tb_map_job *job = get_job(row);

	for (unsigned i = 0; i < job->ngrants; i++)
		if (draw_grant(&job->grants[i], out))
			return -1;
	return job->ngrants ? 0 : draw_holds(row->map, row->index, out);
}

static const struct tb_table_kind kind = {
	.columns = columns,
	.ncolumns = COLUMNS,
	.gap = "  ",
	.print = print_cell,
	.mark = print_mark,
	.mark_width = MARK_WIDTH,
	.below = draw_below,
};

static bool has_time_limits(const struct tb_map *map)
{
	for (unsigned i = 0; i < map->njobs; i++)
		if (tb_map_time_left(map, &map->jobs[i]) >= 0)
			return true;
	return false;
}

/* ---- what waits ---- */

/* More would push the nodes off the screen. */
#define WAITING_SHOWN 10

static int draw_waiting_job(const struct tb_map_waiting *job, FILE *out)
{
	char *text;

	if (asprintf(&text, "job %s of %s waits%s%s", job->id, job->user,
		     *job->why ? ": " : "", job->why) < 0)
		return -1;
	fprintf(out, "%*s", MARK_WIDTH, "");
	tb_print_cell(out, text, MARK_WIDTH);
	free(text);
	return 0;
}

static int draw_waiting(const struct tb_map *map, FILE *out)
{
	unsigned more = map->nwaiting > WAITING_SHOWN
				? map->nwaiting - WAITING_SHOWN
				: 0;

	for (unsigned i = 0; i < map->nwaiting - more; i++)
		if (draw_waiting_job(&map->waiting[i], out))
			return -1;
	if (more)
		fprintf(out, "%*s%u more %s\n", MARK_WIDTH, "", more,
			tb_count_word(more, "job waits", "jobs wait"));
	return 0;
}

int tb_legend_draw(const struct tb_map *map, const struct tb_map_style *style,
		   FILE *out)
{
	struct row *rows = calloc(map->njobs + 1, sizeof(*rows));
	int rc = -1;

	draw_symbols(map, style, out);
	for (unsigned i = 0; rows && i < map->njobs; i++)
		rows[i] = (struct row){ map, style, i };
	if (rows)
		rc = tb_table_print_names(&kind,
					  has_time_limits(map)
						  ? "id,user,name,left,request"
						  : "id,user,name,request",
					  rows, sizeof(*rows), map->njobs,
					  false, out);
	free(rows);
	return rc ? rc : draw_waiting(map, out);
}
