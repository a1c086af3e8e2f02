/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map_svg.c - a map as a picture; see map_markup.h
 *
 * Colours stand for jobs.  What they are is told without colours, too: a letter
 * for each bound or soft-bound job, stripes under soft-bound ones, dots under
 * plain ones, a cross over what is filtered.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "map_draw.h"
#include "map_layout.h"
#include "map_legend.h"
#include "map_markup.h"
#include "terminal/svg.h"

#define PAGE_WIDTH 1000
#define NODE_WIDTH 640
#define MARGIN 20
#define HEADER_HEIGHT 26
#define LINE_HEIGHT 22
/* So long a job's line in the legend may be; elsewhere nothing is cut. */
#define NAME_LETTERS 40
#define REQUEST_LETTERS 60
#define ALL_LETTERS 2000

static const struct tb_layout_sizes sizes = {
	/* clang-format off */
	.width = NODE_WIDTH,
	.thread_width = 18, .core_margin = 4, .core_height = 24,
	.left = 8, .right = 8, .top = 22, .bottom = 8,
	.core_gap_x = 4, .core_gap_y = 4, .gap_x = 8, .gap_y = 8,
	.letter_width = 8, .label_margin = 20,
	/* clang-format on */
};

static const char style[] =
	"svg{background:#fff}"
	"text{font:13px 'DejaVu Sans',Verdana,sans-serif;fill:#1a1a1a}"
	".name{font-weight:bold;font-size:15px}"
	".label{font-size:12px;fill:#555}"
	".frame{fill:none;stroke:#8a8a8a}"
	".core{fill:#f4f4f4;stroke:#555}"
	".unit rect{stroke:#777;stroke-width:.5}"
	".unit text{font:bold 12px 'DejaVu Sans Mono',Menlo,monospace;"
	"text-anchor:middle;fill:#000;pointer-events:none}"
	".free rect,.filtered rect,.reserved rect{fill:#fff}"
	".soft text{font-style:italic}"
	".unit:hover rect{stroke:#000;stroke-width:2}"
	"@media (prefers-color-scheme:dark){"
	"svg{background:#16181c}text{fill:#e8e8e8}"
	".label{fill:#aaa}.frame{stroke:#777}"
	".core{fill:#24272d;stroke:#999}"
	".free rect,.filtered rect,.reserved rect{fill:#16181c}"
	".free text,.filtered text,.reserved text{fill:#aaa}"
	".unit:hover rect{stroke:#fff}}"
	"@media print{svg{background:#fff;print-color-adjust:exact;"
	"-webkit-print-color-adjust:exact}}";

static const char patterns[] =
	"<pattern id=\"stripes\" width=\"6\" height=\"6\" "
	"patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
	"<path d=\"M0 0V6\" stroke=\"#000\" stroke-opacity=\".45\" "
	"stroke-width=\"3\"/></pattern>\n"
	"<pattern id=\"dots\" width=\"5\" height=\"5\" "
	"patternUnits=\"userSpaceOnUse\">"
	"<circle cx=\"2\" cy=\"2\" r=\"1\" fill=\"#000\" "
	"fill-opacity=\".5\"/></pattern>\n"
	"<pattern id=\"cross\" width=\"6\" height=\"6\" "
	"patternUnits=\"userSpaceOnUse\">"
	"<path d=\"M0 0L6 6M6 0L0 6\" stroke=\"#999\"/></pattern>\n";

/* ---- text ---- */

/* What a thread is: "bound", "soft", "free"... */
static const char *get_holder_name(const struct tb_map *map, int holder)
{
	switch (holder) {
	case TB_HOLDER_NONE:
		return "free";
	case TB_HOLDER_FILTERED:
		return "filtered";
	case TB_HOLDER_RESERVED:
		return "reserved";
	case TB_HOLDER_PLAIN:
		return "hidden";
	case TB_HOLDER_MANY:
		return "shared";
	default:
		return tb_map_kind_name(map->jobs[holder].kind);
	}
}

/*
 * "job 12 (cfd) of alice, bound, 1:00:00 left", with so much of its name; -1: no
 * memory.
 */
static int print_job(const struct tb_map *map, const struct tb_map_job *job,
		     unsigned letters, FILE *out)
{
	int64_t left = tb_map_time_left(map, job);
	char *duration;

	fputs("job ", out);
	tb_svg_text(job->id, ALL_LETTERS, out);
	fputs(" (", out);
	tb_svg_text(job->name, letters, out);
	fputs(") of ", out);
	tb_svg_text(job->user, letters, out);
	fprintf(out, ", %s", tb_map_kind_name(job->kind));
	if (left < 0)
		return 0;
	duration = tb_duration_print(left);
	if (!duration)
		return -1;
	fprintf(out, ", %s left", duration);
	free(duration);
	return 0;
}

/* All that have the thread, or what it is without. */
static int print_holders(const struct tb_map *map,
			 const struct tb_map_node *node, unsigned thread,
			 FILE *out)
{
	bool any = false;

	for (unsigned i = 0; i < node->njobs; i++) {
		if (!tb_bitset_test(node->jobs[i].threads, thread))
			continue;
		fputs(any ? "; " : "", out);
		if (print_job(map, &map->jobs[node->jobs[i].job], ALL_LETTERS,
			      out))
			return -1;
		any = true;
	}
	if (!any)
		fputs(node->holders[thread] == TB_HOLDER_PLAIN
			      ? "in use by a job that is not shown"
			      : get_holder_name(map, node->holders[thread]),
		      out);
	return 0;
}

/* ---- units ---- */

static const char *get_pattern(const struct tb_map *map, int holder)
{
	if (holder == TB_HOLDER_FILTERED)
		return "cross";
	if (holder == TB_HOLDER_PLAIN)
		return "dots";
	if (holder < 0)
		return NULL;
	switch (map->jobs[holder].kind) {
	case TB_MAP_SOFT:
		return "stripes";
	case TB_MAP_PLAIN:
		return "dots";
	default:
		return NULL;
	}
}

static void print_square(const struct tb_map *map, int holder, unsigned x,
			 unsigned y, FILE *out)
{
	unsigned w = sizes.thread_width, h = sizes.core_height - 4;
	const char *pattern = get_pattern(map, holder);
	int color = tb_holder_color(holder);

	fprintf(out, "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"", x, y,
		w, h);
	if (color >= 0)
		fprintf(out, " fill=\"#%06x\"", tb_color_rgb(color));
	fputs("/>", out);
	if (pattern)
		fprintf(out,
			"<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" style=\"fill:url(#%s)\"/>",
			x, y, w, h, pattern);
	if (holder != TB_HOLDER_NONE)
		fprintf(out, "<text x=\"%u\" y=\"%u\">&#%d;</text>", x + w / 2,
			y + h / 2 + 5, tb_holder_symbol(map, holder));
}

static int print_thread(const struct tb_map *map,
			const struct tb_map_node *node, unsigned core,
			unsigned thread, unsigned x, unsigned y, FILE *out)
{
	int holder = node->holders[thread];

	fprintf(out, "<g class=\"unit %s\" data-thread=\"%u\"><title>",
		get_holder_name(map, holder), thread);
	tb_svg_text(node->name, ALL_LETTERS, out);
	fprintf(out, ", core %u, thread %u: ", core, thread);
	if (print_holders(map, node, thread, out))
		return -1;
	fputs("</title>", out);
	print_square(map, holder, x, y, out);
	fputs("</g>\n", out);
	return 0;
}

static int print_core(const struct tb_map *map, const struct tb_map_node *node,
		      const struct tb_frame *frame, FILE *out)
{
	const struct tb_topology *topology = node->topology;
	bool efficiency = tb_core_kind(topology, frame->core) == TB_EFFICIENCY;
	unsigned first = tb_core_first_thread(topology, frame->core);

	fprintf(out,
		"<rect class=\"core\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"%s/>\n",
		frame->x, frame->y, frame->w, frame->h,
		efficiency ? " rx=\"8\" stroke-dasharray=\"3 2\"" : "");
	for (unsigned i = 0; i < tb_core_threads(topology, frame->core); i++)
		if (print_thread(map, node, frame->core, first + i,
				 frame->x + sizes.core_margin / 2 +
					 i * sizes.thread_width,
				 frame->y + 2, out))
			return -1;
	return 0;
}

static void print_frame(const struct tb_frame *frame, FILE *out)
{
	fprintf(out,
		"<rect class=\"frame\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" rx=\"3\"/>"
		"<text class=\"label\" x=\"%u\" y=\"%u\">%s</text>\n",
		frame->x, frame->y, frame->w, frame->h, frame->x + 8,
		frame->y + 16, frame->label);
}

/* ---- nodes ---- */

/* Where the next node goes: beside the last one, or below. */
struct place {
	unsigned x, y, row_height;
};

static void print_header(const struct tb_map_node *node, FILE *out)
{
	unsigned busy, cores, threads;

	fputs("<text y=\"15\"><tspan class=\"name\">", out);
	tb_svg_text(node->name, NAME_LETTERS, out);
	fputs("</tspan>  ", out);
	if (node->topology) {
		cores = tb_topology_cores(node->topology);
		tb_map_count_busy(node, &busy, &threads);
		fprintf(out, "%u of %u %s in use", busy, cores,
			tb_count_word(cores, "core", "cores"));
	} else {
		fputs("no topology is known", out);
	}
	if (tb_map_node_trouble(node)) {
		fputs(", ", out);
		tb_svg_text(tb_map_node_trouble(node), NAME_LETTERS, out);
	}
	fputs("</text>\n", out);
}

static int print_boxes(const struct tb_map *map, const struct tb_map_node *node,
		       const struct tb_layout *layout, FILE *out)
{
	fprintf(out, "<g transform=\"translate(0 %u)\">\n", HEADER_HEIGHT);
	for (unsigned i = 0; i < layout->nframes; i++)
		if (!layout->frames[i].is_core)
			print_frame(&layout->frames[i], out);
		else if (print_core(map, node, &layout->frames[i], out))
			return -1;
	fputs("</g>\n", out);
	return 0;
}

static void find_place(struct place *place, unsigned w, unsigned h)
{
	if (place->x > MARGIN && place->x + w > PAGE_WIDTH) {
		place->x = MARGIN;
		place->y += place->row_height + MARGIN;
		place->row_height = 0;
	}
	if (h > place->row_height)
		place->row_height = h;
}

static int print_node(const struct tb_map *map, const struct tb_map_node *node,
		      struct place *place, FILE *out)
{
	struct tb_layout *layout = NULL;
	unsigned w = 300, h = HEADER_HEIGHT;
	int rc = 0;

	if (node->topology) {
		layout = tb_layout_create(node->topology, &sizes);
		if (!layout)
			return -1;
		w = layout->w > w ? layout->w : w;
		h += layout->h;
	}
	find_place(place, w, h);
	fprintf(out, "<g class=\"node\" transform=\"translate(%u %u)\">\n",
		place->x, place->y);
	print_header(node, out);
	if (layout)
		rc = print_boxes(map, node, layout, out);
	fputs("</g>\n", out);
	place->x += w + MARGIN;
	tb_layout_destroy(layout);
	return rc;
}

/* ---- the legend ---- */

static void print_sign(const struct tb_map *map, int holder, unsigned y,
		       FILE *out)
{
	fprintf(out, "<g class=\"unit %s\">", get_holder_name(map, holder));
	print_square(map, holder, MARGIN, y, out);
	fputs("</g>", out);
}

static void print_meaning(const struct tb_map *map, int holder,
			  const char *meaning, unsigned *y, FILE *out)
{
	if (!tb_holder_occurs(map, holder))
		return;
	print_sign(map, holder, *y, out);
	fprintf(out, "<text x=\"%u\" y=\"%u\">%s</text>\n", MARGIN + 28,
		*y + 15, meaning);
	*y += LINE_HEIGHT;
}

static int print_job_line(const struct tb_map *map, unsigned job, unsigned y,
			  FILE *out)
{
	const char *request = map->jobs[job].request;

	print_sign(map, job, y, out);
	fprintf(out, "<text x=\"%u\" y=\"%u\">", MARGIN + 28, y + 15);
	if (print_job(map, &map->jobs[job], NAME_LETTERS, out))
		return -1;
	fputs(*request ? ": " : "", out);
	tb_svg_text(request, REQUEST_LETTERS, out);
	fputs("</text>\n", out);
	return 0;
}

static void print_boxes_meaning(const struct tb_map *map, unsigned *y,
				FILE *out)
{
	bool any;

	fprintf(out, "<text x=\"%u\" y=\"%u\">", MARGIN, *y + 15);
	any = tb_legend_boxes(map, out);
	fputs("</text>\n", out);
	*y += any ? LINE_HEIGHT : 0;
}

static void print_waiting(const struct tb_map_waiting *job, unsigned y,
			  FILE *out)
{
	fprintf(out, "<text x=\"%u\" y=\"%u\">job ", MARGIN + 28, y + 15);
	tb_svg_text(job->id, NAME_LETTERS, out);
	fputs(" (", out);
	tb_svg_text(job->name, NAME_LETTERS, out);
	fputs(") of ", out);
	tb_svg_text(job->user, NAME_LETTERS, out);
	fprintf(out, " waits%s", *job->why ? ": " : "");
	tb_svg_text(job->why, REQUEST_LETTERS, out);
	fputs("</text>\n", out);
}

static int print_legend(const struct tb_map *map, unsigned *y, FILE *out)
{
	print_meaning(map, TB_HOLDER_NONE, "free", y, out);
	print_meaning(map, TB_HOLDER_FILTERED,
		      "free, not for jobs with a binding", y, out);
	print_meaning(map, TB_HOLDER_RESERVED, "free, reserved now or later", y,
		      out);
	print_meaning(map, TB_HOLDER_PLAIN, "in use by jobs that are not shown",
		      y, out);
	print_meaning(map, TB_HOLDER_MANY, "shared by several jobs", y, out);
	print_boxes_meaning(map, y, out);
	for (unsigned i = 0; i < map->njobs; i++, *y += LINE_HEIGHT)
		if (print_job_line(map, i, *y, out))
			return -1;
	for (unsigned i = 0; i < map->nwaiting; i++, *y += LINE_HEIGHT)
		print_waiting(&map->waiting[i], *y, out);
	return 0;
}

/* ---- the picture ---- */

/* What is in it, with the height that this takes. */
static int print_body(const struct tb_map *map, unsigned *height, FILE *out)
{
	struct place place = { MARGIN, MARGIN, 0 };

	for (unsigned i = 0; i < map->nnodes; i++)
		if (print_node(map, &map->nodes[i], &place, out))
			return -1;
	*height = place.y + place.row_height + MARGIN;
	if (print_legend(map, height, out))
		return -1;
	*height += MARGIN;
	return 0;
}

int tb_map_svg(const struct tb_map *map, FILE *out)
{
	struct tb_svg svg = { .title = "topobind map",
			      .width = PAGE_WIDTH,
			      .style = style };
	unsigned height = 0;
	char *body = NULL;
	size_t size;
	FILE *memory = open_memstream(&body, &size);
	int rc = memory ? print_body(map, &height, memory) : -1;

	if (memory && fclose(memory))
		rc = -1;
	if (!rc) {
		svg.height = height;
		tb_svg_begin(&svg, out);
		fprintf(out, "<defs>\n%s</defs>\n%s</svg>\n", patterns, body);
	}
	free(body);
	return rc;
}
