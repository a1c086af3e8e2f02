/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_legend.c - see map_legend.h */
#include <stdlib.h>
#include <string.h>

#include "map_legend.h"

static const char job_symbols[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
#define JOB_SYMBOLS (sizeof(job_symbols) - 1)

/* Backgrounds of the 256-colour table on which black can be read. */
static const int job_colors[] = {
	39, 208, 113, 213, 226, 51, 203, 141, 190, 180, 45, 214,
	84, 177, 117, 222, 156, 210, 147, 185, 79, 173, 111, 229,
};
#define JOB_COLORS (int) (sizeof(job_colors) / sizeof(job_colors[0]))

#define COLOR_PLAIN 250
#define COLOR_MANY 255

char tb_holder_symbol(int holder)
{
	switch (holder) {
	case TB_HOLDER_NONE:
		return '.';
	case TB_HOLDER_PLAIN:
		return '#';
	case TB_HOLDER_MANY:
		return '&';
	default:
		return holder < (int) JOB_SYMBOLS ? job_symbols[holder] : '*';
	}
}

int tb_holder_color(int holder)
{
	switch (holder) {
	case TB_HOLDER_NONE:
		return -1;
	case TB_HOLDER_PLAIN:
		return COLOR_PLAIN;
	case TB_HOLDER_MANY:
		return COLOR_MANY;
	default:
		return job_colors[holder % JOB_COLORS];
	}
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

static void draw_symbol(int holder, const struct tb_map_style *style,
			FILE *out)
{
	int color = style->color ? tb_holder_color(holder) : -1;

	if (color >= 0)
		tb_color_print(color, out);
	fputc(tb_holder_symbol(holder), out);
	if (color >= 0)
		tb_color_print(-1, out);
}

/* ---- the symbols that are no jobs ---- */

static bool holder_occurs(const struct tb_map *map, int holder)
{
	for (unsigned i = 0; i < map->nnodes; i++) {
		const struct tb_map_node *node = &map->nodes[i];

		for (unsigned j = 0; node->topology &&
		     j < tb_topology_threads(node->topology); j++)
			if (node->holders[j] == holder)
				return true;
	}
	return false;
}

static bool has_shared_caches(const struct tb_topology *topology)
{
	unsigned first, last;

	for (unsigned i = 0; i < tb_topology_count(topology, 'Y'); i++)
		if (tb_map_shared_cache(topology, i, &first, &last))
			return true;
	return false;
}

static bool has_efficiency_cores(const struct tb_topology *topology)
{
	return tb_topology_count(topology, 'E') > 0;
}

static bool any_node(const struct tb_map *map,
		     bool (*has)(const struct tb_topology *topology))
{
	for (unsigned i = 0; i < map->nnodes; i++)
		if (map->nodes[i].topology && has(map->nodes[i].topology))
			return true;
	return false;
}

static void draw_holder(const struct tb_map *map, int holder,
			const char *meaning, const struct tb_map_style *style,
			FILE *out)
{
	if (!holder_occurs(map, holder))
		return;
	draw_symbol(holder, style, out);
	fprintf(out, "  %s\n", meaning);
}

static void draw_symbols(const struct tb_map *map,
			 const struct tb_map_style *style, FILE *out)
{
	draw_holder(map, TB_HOLDER_NONE, "free", style, out);
	draw_holder(map, TB_HOLDER_PLAIN, "in use by jobs without a binding",
		    style, out);
	draw_holder(map, TB_HOLDER_MANY, "shared by several bound jobs",
		    style, out);
	if (any_node(map, has_efficiency_cores))
		fputs("'  after an efficiency core\n", out);
	if (any_node(map, has_shared_caches))
		fputs("[] around cores that share an L2 cache\n", out);
}

/* ---- the jobs ---- */

struct widths {
	unsigned id, user, name;
};

static void widen(unsigned *width, const char *text, unsigned most)
{
	size_t length = strlen(text);

	if (length > most)
		length = most;
	if (length > *width)
		*width = length;
}

static struct widths measure_jobs(const struct tb_map *map)
{
	struct widths widths = { 3, 4, 4 };

	for (unsigned i = 0; i < map->njobs; i++) {
		widen(&widths.id, map->jobs[i].id, 16);
		widen(&widths.user, map->jobs[i].user, 12);
		widen(&widths.name, map->jobs[i].name, 20);
	}
	return widths;
}

/* "n[1-2] threads 0-3,8" */
static int draw_grant(const struct tb_map_grant *grant, FILE *out)
{
	struct tb_bitset *threads;
	struct tb_topology *topology =
		tb_topology_parse(grant->string, &threads, NULL);
	char *list;

	if (!topology)
		return -1;
	list = tb_bitset_print_list(threads);
	if (list) {
		fputs("     ", out);
		tb_text_print(grant->nodes, 0, out);
		fprintf(out, " threads %s\n", list);
	}
	free(list);
	tb_bitset_destroy(threads);
	tb_topology_destroy(topology);
	return list ? 0 : -1;
}

static int draw_job(const struct tb_map *map, unsigned index,
		    const struct widths *widths,
		    const struct tb_map_style *style, FILE *out)
{
	const struct tb_map_job *job = &map->jobs[index];

	draw_symbol(index, style, out);
	fputs("  ", out);
	tb_text_print(job->id, widths->id, out);
	fputs("  ", out);
	tb_text_print(job->user, widths->user, out);
	fputs("  ", out);
	tb_text_print(job->name, widths->name, out);
	fputs("  ", out);
	tb_text_print(job->request, 0, out);
	fputc('\n', out);
	for (unsigned i = 0; i < job->ngrants; i++)
		if (draw_grant(&job->grants[i], out))
			return -1;
	return 0;
}

int tb_legend_draw(const struct tb_map *map, const struct tb_map_style *style,
		   FILE *out)
{
	struct widths widths = measure_jobs(map);

	draw_symbols(map, style, out);
	for (unsigned i = 0; i < map->njobs; i++)
		if (draw_job(map, i, &widths, style, out))
			return -1;
	return 0;
}
