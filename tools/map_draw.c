/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_draw.c - the cells of the nodes; see map_draw.h */
#include <stdlib.h>
#include <string.h>

#include "map_draw.h"
#include "map_legend.h"

/* A container that heads a line: N, S or X and its number on the node. */
struct head {
	char letter;
	unsigned index;
};

/* A line: consecutive cores under the same heads. */
struct line {
	struct head *heads;
	unsigned nheads;
	unsigned first_core, cores;
};

struct drawing {
	const struct tb_map_style *style;
	const struct tb_map_node *node;
	FILE *out;
	struct line *lines;
	unsigned nlines;
	unsigned label_width;    /* of the widest line */
	bool *opens, *closes;    /* per core: first or last of a shared L2 */
	int color;               /* of the last character, -1: none */
};

static void drawing_clear(struct drawing *drawing)
{
	for (unsigned i = 0; i < drawing->nlines; i++)
		free(drawing->lines[i].heads);
	free(drawing->lines);
	free(drawing->opens);
	free(drawing->closes);
}

/* ---- which cores are on a line ---- */

static bool is_head(char letter)
{
	return letter == 'N' || letter == 'S' || letter == 'X';
}

static bool same_heads(const struct line *line, const struct head *heads,
		       unsigned nheads)
{
	if (line->nheads != nheads)
		return false;
	for (unsigned i = 0; i < nheads; i++)
		if (line->heads[i].letter != heads[i].letter ||
		    line->heads[i].index != heads[i].index)
			return false;
	return true;
}

/* Put the next core on the last line, or on a new one. */
static int add_core(struct drawing *drawing, const struct head *heads,
		    unsigned nheads, unsigned core)
{
	struct line *line = NULL;

	if (drawing->nlines)
		line = &drawing->lines[drawing->nlines - 1];
	if (!line || !same_heads(line, heads, nheads)) {
		struct head *copy = calloc(nheads + 1, sizeof(*copy));
		struct line *lines;

		lines = reallocarray(drawing->lines, drawing->nlines + 1,
				     sizeof(*lines));
		if (lines)
			drawing->lines = lines;
		if (!lines || !copy) {
			free(copy);
			return -1;
		}
		memcpy(copy, heads, nheads * sizeof(*heads));
		line = &lines[drawing->nlines++];
		*line = (struct line) { copy, nheads, core, 0 };
	}
	line->cores++;
	return 0;
}

/*
 * The structured string is the tree in writing: walk it with the open objects
 * on one stack and those of them that head lines on another.
 */
static int walk(struct drawing *drawing, const char *text, char *open,
		struct head *heads)
{
	unsigned index[3] = { 0, 0, 0 };
	unsigned depth = 0, nheads = 0, cores = 0;

	for (; *text; text++) {
		if (*text == ')') {
			if (is_head(open[--depth]))
				nheads--;
			continue;
		}
		if (*text == '(')
			continue;
		open[depth++] = *text;
		if (is_head(*text)) {
			unsigned *next = &index[*text == 'N' ? 0 :
						*text == 'S' ? 1 : 2];

			heads[nheads++] = (struct head) { *text, (*next)++ };
		}
		if ((*text == 'C' || *text == 'E') &&
		    add_core(drawing, heads, nheads, cores++))
			return -1;
	}
	return 0;
}

static int make_lines(struct drawing *drawing)
{
	char *text = tb_topology_print_structured(drawing->node->topology,
						  NULL);
	size_t length = text ? strlen(text) : 0;
	char *open = malloc(length + 1);
	struct head *heads = calloc(length + 1, sizeof(*heads));
	int rc = -1;

	if (text && open && heads)
		rc = walk(drawing, text, open, heads);
	free(text);
	free(open);
	free(heads);
	return rc;
}

/* Brackets go around the cores of every L2 cache that has several. */
static int make_brackets(struct drawing *drawing)
{
	const struct tb_topology *topology = drawing->node->topology;
	unsigned cores = tb_topology_cores(topology);

	drawing->opens = calloc(cores, sizeof(*drawing->opens));
	drawing->closes = calloc(cores, sizeof(*drawing->closes));
	if (!drawing->opens || !drawing->closes)
		return -1;
	for (unsigned i = 0; i < tb_topology_count(topology, 'Y'); i++) {
		unsigned first, last;

		if (!tb_map_shared_cache(topology, i, &first, &last))
			continue;
		drawing->opens[first] = true;
		drawing->closes[last] = true;
	}
	return 0;
}

/* ---- labels ---- */

static unsigned digits(unsigned number)
{
	return number < 10 ? 1 : 1 + digits(number / 10);
}

/* Columns for a head and the blank after it, the same for all of a letter. */
static unsigned head_width(const struct drawing *drawing, char letter)
{
	unsigned count = tb_topology_count(drawing->node->topology, letter);

	return 1 + digits(count ? count - 1 : 0) + 1;
}

static void measure_labels(struct drawing *drawing)
{
	for (unsigned i = 0; i < drawing->nlines; i++) {
		unsigned width = 0;

		for (unsigned j = 0; j < drawing->lines[i].nheads; j++)
			width += head_width(drawing,
					    drawing->lines[i].heads[j].letter);
		if (width > drawing->label_width)
			drawing->label_width = width;
	}
}

/* Print the heads that the line before does not have, blanks for others. */
static void draw_label(const struct drawing *drawing, unsigned index)
{
	const struct line *line = &drawing->lines[index];
	const struct line *before = index ? line - 1 : NULL;
	unsigned width = 0;
	bool same = before;

	for (unsigned i = 0; i < line->nheads; i++) {
		const struct head *head = &line->heads[i];
		unsigned columns = head_width(drawing, head->letter);

		same = same && i < before->nheads &&
		       before->heads[i].letter == head->letter &&
		       before->heads[i].index == head->index;
		if (same)
			fprintf(drawing->out, "%*s", (int) columns, "");
		else
			fprintf(drawing->out, "%c%-*u", head->letter,
				(int) columns - 1, head->index);
		width += columns;
	}
	fprintf(drawing->out, "%*s", (int) (drawing->label_width - width), "");
}

/* ---- cells ---- */

static void draw_thread(struct drawing *drawing, unsigned thread)
{
	int holder = drawing->node->holders[thread];
	int color = drawing->style->color ? tb_holder_color(holder) : -1;

	if (color != drawing->color)
		tb_color_print(color, drawing->out);
	drawing->color = color;
	fputc(tb_holder_symbol(holder), drawing->out);
}

static void draw_core(struct drawing *drawing, unsigned core)
{
	const struct tb_topology *topology = drawing->node->topology;
	unsigned first = tb_core_first_thread(topology, core);

	if (drawing->opens[core])
		fputc('[', drawing->out);
	for (unsigned i = 0; i < tb_core_threads(topology, core); i++)
		draw_thread(drawing, first + i);
	if (drawing->color != -1)
		tb_color_print(-1, drawing->out);
	drawing->color = -1;
	if (tb_core_kind(topology, core) == TB_EFFICIENCY)
		fputc('\'', drawing->out);
	if (drawing->closes[core])
		fputc(']', drawing->out);
}

/* Columns of a core's cell and the blank before it. */
static unsigned core_width(const struct drawing *drawing, unsigned core)
{
	const struct tb_topology *topology = drawing->node->topology;

	return 1 + drawing->opens[core] + tb_core_threads(topology, core) +
	       (tb_core_kind(topology, core) == TB_EFFICIENCY) +
	       drawing->closes[core];
}

static void draw_line(struct drawing *drawing, unsigned index)
{
	const struct line *line = &drawing->lines[index];
	unsigned column = drawing->label_width;

	draw_label(drawing, index);
	for (unsigned i = 0; i < line->cores; i++) {
		unsigned core = line->first_core + i;
		unsigned width = core_width(drawing, core);

		if (i && column + width > drawing->style->width) {
			fprintf(drawing->out, "\n%*s",
				(int) drawing->label_width, "");
			column = drawing->label_width;
		}
		fputc(' ', drawing->out);
		draw_core(drawing, core);
		column += width;
	}
	fputc('\n', drawing->out);
}

/* ---- a node ---- */

static void draw_header(const struct tb_map_node *node, FILE *out)
{
	const struct tb_topology *topology = node->topology;
	unsigned cores = tb_topology_cores(topology);
	unsigned threads = tb_topology_threads(topology);
	unsigned busy_cores = 0, busy_threads = 0;

	for (unsigned i = 0; i < cores; i++) {
		unsigned first = tb_core_first_thread(topology, i);
		unsigned count = tb_core_threads(topology, i);
		unsigned busy = 0;

		for (unsigned j = first; j < first + count; j++)
			busy += node->holders[j] != TB_HOLDER_NONE;
		busy_cores += busy > 0;
		busy_threads += busy;
	}
	tb_text_print(node->name, 0, out);
	fprintf(out, ": %u of %u cores", busy_cores, cores);
	if (threads != cores)
		fprintf(out, " and %u of %u threads", busy_threads, threads);
	fputs(" in use\n", out);
}

static int draw_node(const struct tb_map_node *node,
		     const struct tb_map_style *style, FILE *out)
{
	struct drawing drawing = {
		.style = style, .node = node, .out = out, .color = -1,
	};
	int rc = 0;

	if (!node->topology) {
		tb_text_print(node->name, 0, out);
		fputs(": no topology is known\n", out);
		return 0;
	}
	if (make_lines(&drawing) || make_brackets(&drawing)) {
		rc = -1;
	} else {
		draw_header(node, out);
		measure_labels(&drawing);
		for (unsigned i = 0; i < drawing.nlines; i++)
			draw_line(&drawing, i);
	}
	drawing_clear(&drawing);
	return rc;
}

int tb_map_draw(const struct tb_map *map, const struct tb_map_style *style,
		FILE *out)
{
	for (unsigned i = 0; i < map->nnodes; i++) {
		if (draw_node(&map->nodes[i], style, out))
			return -1;
		fputc('\n', out);
	}
	return tb_legend_draw(map, style, out);
}
