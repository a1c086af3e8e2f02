/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_legend.c - see map_legend.h */
#define _GNU_SOURCE /* asprintf */
#include <stdlib.h>
#include <string.h>

#include "map_legend.h"

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

void tb_text_print(const char *text, unsigned width, FILE *out)
{
	unsigned column = 0;

	for (; *text && (!width || column < width); text++, column++)
		fputc(*text >= ' ' && *text <= '~' ? *text : '?', out);
	for (; column < width; column++)
		fputc(' ', out);
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
	draw_holder(map, TB_HOLDER_PLAIN, "in use by jobs that are not shown",
		    style, out);
	draw_holder(map, TB_HOLDER_MANY, "shared by several jobs", style, out);
	if (has_efficiency_cores(map))
		fputs("'  after an efficiency core\n", out);
	if (tb_legend_boxes(map, out))
		fputc('\n', out);
}

/* ---- columns ---- */

/* Of the jobs; left is 0 when no job has a time limit. */
struct widths {
	unsigned id, user, name, left;
};

static void widen_column(unsigned *width, const char *text, unsigned most)
{
	size_t length = strlen(text);

	if (length > most)
		length = most;
	if (length > *width)
		*width = length;
}

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

static int measure_jobs(const struct tb_map *map, struct widths *widths)
{
	*widths = (struct widths){ 3, 4, 4, 0 };
	for (unsigned i = 0; i < map->njobs; i++) {
		char *left = print_time_left(map, &map->jobs[i]);

		if (!left)
			return -1;
		widen_column(&widths->id, map->jobs[i].id, 16);
		widen_column(&widths->user, map->jobs[i].user, 12);
		widen_column(&widths->name, map->jobs[i].name, 20);
		widen_column(&widths->left, left, 16);
		free(left);
	}
	return 0;
}

/* ---- the jobs ---- */

static int draw_threads(const char *nodes, const struct tb_bitset *threads,
			FILE *out)
{
	char *list = tb_bitset_print_list(threads);

	if (!list)
		return -1;
	fputs("     ", out);
	tb_text_print(nodes, 0, out);
	fprintf(out, " threads %s\n", list);
	free(list);
	return 0;
}

/* "n[1-2] threads 0-3,8" */
static int draw_grant(const struct tb_map_grant *grant, FILE *out)
{
	struct tb_bitset *threads;
	struct tb_topology *topology = tb_topology_parse(grant->string,
							 &threads, NULL);
	int rc;

	if (!topology) { /* a list already */
		fputs("     ", out);
		tb_text_print(grant->nodes, 0, out);
		fputs(" threads ", out);
		tb_text_print(grant->string, 0, out);
		fputc('\n', out);
		return 0;
	}
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

static void draw_column(const char *text, unsigned width, FILE *out)
{
	fputs("  ", out);
	tb_text_print(text, width, out);
}

static int draw_job(const struct tb_map *map, unsigned index,
		    const struct widths *widths,
		    const struct tb_map_style *style, FILE *out)
{
	const struct tb_map_job *job = &map->jobs[index];
	char *left = print_time_left(map, job);

	if (!left)
		return -1;
	draw_symbol(map, index, style, out);
	draw_column(job->id, widths->id, out);
	draw_column(job->user, widths->user, out);
	draw_column(job->name, widths->name, out);
	if (widths->left)
		draw_column(*left ? left : "-", widths->left, out);
	draw_column(*job->request ? job->request : "no binding", 0, out);
	fputc('\n', out);
	free(left);
	for (unsigned i = 0; i < job->ngrants; i++)
		if (draw_grant(&job->grants[i], out))
			return -1;
	return job->ngrants ? 0 : draw_holds(map, index, out);
}

/* ---- what waits ---- */

/* More would push the nodes off the screen. */
#define WAITING_SHOWN 10

static void draw_waiting(const struct tb_map *map, FILE *out)
{
	for (unsigned i = 0; i < map->nwaiting && i < WAITING_SHOWN; i++) {
		const struct tb_map_waiting *job = &map->waiting[i];

		fputs("   job ", out);
		tb_text_print(job->id, 0, out);
		fputs(" of ", out);
		tb_text_print(job->user, 0, out);
		fprintf(out, " waits%s", *job->why ? ": " : "");
		tb_text_print(job->why, 0, out);
		fputc('\n', out);
	}
	if (map->nwaiting > WAITING_SHOWN)
		fprintf(out, "   %u more %s\n", map->nwaiting - WAITING_SHOWN,
			map->nwaiting == WAITING_SHOWN + 1 ? "job waits"
							   : "jobs wait");
}

int tb_legend_draw(const struct tb_map *map, const struct tb_map_style *style,
		   FILE *out)
{
	struct widths widths;

	if (measure_jobs(map, &widths))
		return -1;
	draw_symbols(map, style, out);
	for (unsigned i = 0; i < map->njobs; i++)
		if (draw_job(map, i, &widths, style, out))
			return -1;
	draw_waiting(map, out);
	return 0;
}
