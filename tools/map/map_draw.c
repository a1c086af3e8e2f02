/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_draw.c - the boxes of the nodes; see map_draw.h */
#define _GNU_SOURCE /* open_memstream */
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "map_draw.h"
#include "map_layout.h"
#include "map_legend.h"
#include "terminal/terminal.h"
#include "terminal/wrap.h"

/* What is in a cell beside ASCII: the lines of boxes. */
enum {
	LINE_X = 1,
	LINE_Y,
	TOP_LEFT,
	TOP_RIGHT,
	BOTTOM_LEFT,
	BOTTOM_RIGHT,
	PIECES
};

static const char *const ascii_pieces[PIECES] = {
	[LINE_X] = "-",	   [LINE_Y] = "|",	[TOP_LEFT] = "+",
	[TOP_RIGHT] = "+", [BOTTOM_LEFT] = "+", [BOTTOM_RIGHT] = "+",
};
static const char *const utf8_pieces[PIECES] = {
	[LINE_X] = "\u2500",	  [LINE_Y] = "\u2502",
	[TOP_LEFT] = "\u250c",	  [TOP_RIGHT] = "\u2510",
	[BOTTOM_LEFT] = "\u2514", [BOTTOM_RIGHT] = "\u2518",
};

struct cell {
	char character; /* ASCII or a piece; 0: a blank */
	int color;	/* of tb_color_print() */
};

struct canvas {
	unsigned w, h;
	struct cell *cells;
};

static struct cell *find_cell(struct canvas *canvas, unsigned x, unsigned y)
{
	return &canvas->cells[(size_t)y * canvas->w + x];
}

static void draw_text(struct canvas *canvas, unsigned x, unsigned y,
		      const char *text)
{
	for (; *text && x < canvas->w; text++, x++)
		find_cell(canvas, x, y)->character = *text;
}

static void draw_box(struct canvas *canvas, const struct tb_frame *frame)
{
	unsigned right = frame->x + frame->w - 1;
	unsigned bottom = frame->y + frame->h - 1;

	for (unsigned x = frame->x; x <= right; x++) {
		find_cell(canvas, x, frame->y)->character = LINE_X;
		find_cell(canvas, x, bottom)->character = LINE_X;
	}
	for (unsigned y = frame->y; y <= bottom; y++) {
		find_cell(canvas, frame->x, y)->character = LINE_Y;
		find_cell(canvas, right, y)->character = LINE_Y;
	}
	find_cell(canvas, frame->x, frame->y)->character = TOP_LEFT;
	find_cell(canvas, right, frame->y)->character = TOP_RIGHT;
	find_cell(canvas, frame->x, bottom)->character = BOTTOM_LEFT;
	find_cell(canvas, right, bottom)->character = BOTTOM_RIGHT;
	draw_text(canvas, frame->x + 2, frame->y, frame->label);
}

static void draw_core(struct canvas *canvas, const struct tb_frame *frame,
		      const struct tb_map *map, const struct tb_map_node *node)
{
	unsigned first = tb_core_first_thread(node->topology, frame->core);
	unsigned threads = tb_core_threads(node->topology, frame->core);

	for (unsigned i = 0; i < threads; i++) {
		int holder = node->holders[first + i];

		*find_cell(canvas, frame->x + i, frame->y) = (struct cell){
			tb_holder_symbol(map, holder), tb_holder_color(holder)
		};
	}
	if (tb_core_kind(node->topology, frame->core) == TB_EFFICIENCY)
		find_cell(canvas, frame->x + threads, frame->y)->character =
			'\'';
}

static int get_color(const struct cell *cell, const struct tb_map_style *style)
{
	return style->color && cell->character >= PIECES ? cell->color : -1;
}

static void print_row(struct canvas *canvas, unsigned y,
		      const struct tb_map_style *style, FILE *out)
{
	const char *const *pieces = style->utf8 ? utf8_pieces : ascii_pieces;
	unsigned width = canvas->w;
	int color = -1;

	while (width && !find_cell(canvas, width - 1, y)->character)
		width--;
	for (unsigned x = 0; x < width; x++) {
		const struct cell *cell = find_cell(canvas, x, y);

		if (get_color(cell, style) != color) {
			color = get_color(cell, style);
			tb_color_print(color, out);
		}
		if (cell->character >= PIECES)
			fputc(cell->character, out);
		else
			fputs(cell->character
				      ? pieces[(unsigned char)cell->character]
				      : " ",
			      out);
	}
	if (color != -1)
		tb_color_print(-1, out);
	fputc('\n', out);
}

static int draw_boxes(const struct tb_map *map, const struct tb_map_node *node,
		      const struct tb_map_style *style, FILE *out)
{
	const struct tb_layout_sizes sizes = {
		.width = style->width,
		.thread_width = 1,
		.core_height = 1,
		.efficiency_width = 1,
		.left = 1,
		.right = 1,
		.top = 1,
		.bottom = 1,
		.core_gap_x = 1,
		.letter_width = 1,
		.label_margin = 4,
	};
	struct tb_layout *layout = tb_layout_create(node->topology, &sizes);
	struct canvas canvas = { .w = layout ? layout->w : 0 };

	canvas.h = layout ? layout->h : 0;
	canvas.cells = calloc((size_t)canvas.w * canvas.h + 1,
			      sizeof(*canvas.cells));
	if (!layout || !canvas.cells) {
		tb_layout_destroy(layout);
		free(canvas.cells);
		return -1;
	}
	for (size_t i = 0; i < (size_t)canvas.w * canvas.h; i++)
		canvas.cells[i].color = -1;
	for (unsigned i = 0; i < layout->nframes; i++)
		if (layout->frames[i].is_core)
			draw_core(&canvas, &layout->frames[i], map, node);
		else
			draw_box(&canvas, &layout->frames[i]);
	for (unsigned y = 0; y < canvas.h; y++)
		print_row(&canvas, y, style, out);
	tb_layout_destroy(layout);
	free(canvas.cells);
	return 0;
}

void tb_map_count_busy(const struct tb_map_node *node, unsigned *cores,
		       unsigned *threads)
{
	const struct tb_topology *topology = node->topology;

	*cores = *threads = 0;
	for (unsigned i = 0; i < tb_topology_cores(topology); i++) {
		unsigned first = tb_core_first_thread(topology, i);
		unsigned count = tb_core_threads(topology, i);
		unsigned busy = 0;

		for (unsigned j = first; j < first + count; j++)
			busy += node->holders[j] != TB_HOLDER_NONE &&
				node->holders[j] != TB_HOLDER_FILTERED &&
				node->holders[j] != TB_HOLDER_RESERVED;
		*cores += busy > 0;
		*threads += busy;
	}
}

static void print_header(const struct tb_map_node *node, FILE *out)
{
	unsigned cores = tb_topology_cores(node->topology);
	unsigned threads = tb_topology_threads(node->topology);
	unsigned busy_cores, busy_threads;

	tb_map_count_busy(node, &busy_cores, &busy_threads);
	fprintf(out, "%s: %u of %u %s", node->name, busy_cores, cores,
		tb_count_word(cores, "core", "cores"));
	if (threads != cores)
		fprintf(out, " and %u of %u %s", busy_threads, threads,
			tb_count_word(threads, "thread", "threads"));
	fputs(" in use", out);
	if (tb_map_node_trouble(node))
		fprintf(out, ", %s", tb_map_node_trouble(node));
	if (node->memory.count) {
		fputs(", MB free on NUMA nodes: ", out);
		tb_node_memory_print(&node->memory, out);
	}
}

static int draw_header(const struct tb_map_node *node, FILE *out)
{
	char *text = NULL;
	size_t size;
	FILE *words = open_memstream(&text, &size);

	if (!words)
		return -1;
	print_header(node, words);
	return tb_print_stream(out, words, &text);
}

static int draw_node(const struct tb_map *map, const struct tb_map_node *node,
		     const struct tb_map_style *style, FILE *out)
{
	if (node->topology)
		return draw_header(node, out) ||
				       draw_boxes(map, node, style, out)
			       ? -1
			       : 0;
	tb_text_print(node->name, out);
	fputs(": no topology is known", out);
	if (tb_map_node_trouble(node)) {
		fputs(", ", out);
		tb_text_print(tb_map_node_trouble(node), out);
	}
	fputc('\n', out);
	return 0;
}

int tb_map_draw(const struct tb_map *map, const struct tb_map_style *style,
		FILE *out)
{
	for (unsigned i = 0; i < map->nnodes; i++) {
		if (draw_node(map, &map->nodes[i], style, out))
			return -1;
		fputc('\n', out);
	}
	return tb_legend_draw(map, style, out);
}

struct tb_map_style tb_map_style_here(bool color)
{
	setlocale(LC_CTYPE, "");
	return (struct tb_map_style){
		.width = tb_terminal_width(),
		.color = color,
		.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8"),
	};
}
