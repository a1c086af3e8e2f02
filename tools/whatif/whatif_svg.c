/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif_svg.c - see whatif_svg.h */
#include <inttypes.h>
#include <stdlib.h>

#include "over_time.h"
#include "terminal/svg.h"
#include "whatif_svg.h"

#define WIDTH 860
#define LEFT 70
#define PLOT_WIDTH 760
#define PLOT_HEIGHT 180
#define TOP 36 /* of a plot, with its heading */
#define BOTTOM 34
#define LINE_HEIGHT 20
#define COLORS 5
#define DASHES 4
#define TICKS 8 /* of time, at most */
#define NAME_LETTERS 100

static const char style[] =
	"svg{background:#fff}"
	"text{font:13px 'DejaVu Sans',Verdana,sans-serif;fill:#1a1a1a}"
	".head{font-weight:bold}.end{text-anchor:end}"
	".middle{text-anchor:middle}"
	".grid{stroke:#ddd}.axis{stroke:#777}"
	".line{fill:none;stroke-width:2;stroke-linejoin:round}"
	".c0{stroke:#0060a8}.c1{stroke:#c24a00}.c2{stroke:#00795a}"
	".c3{stroke:#a3417c}.c4{stroke:#6b5a00}"
	".d1{stroke-dasharray:8 3}.d2{stroke-dasharray:2 3}"
	".d3{stroke-dasharray:10 3 2 3}"
	"@media (prefers-color-scheme:dark){"
	"svg{background:#16181c}text{fill:#e8e8e8}"
	".grid{stroke:#383c44}.axis{stroke:#999}"
	".c0{stroke:#5db4f5}.c1{stroke:#ff9350}.c2{stroke:#40cfa5}"
	".c3{stroke:#f08cc4}.c4{stroke:#d9c34a}}"
	"@media print{svg{background:#fff}}";

static const char description[] =
	"Above, the part of the cores that jobs have; below, how many jobs wait; both over time, with a line for each configuration.";

/* Both of a configuration. */
struct lines {
	struct tb_over_time used, waiting; /* used: of 1 */
};

/* ---- what happened when ---- */

/* From the first submission to the last end under any configuration. */
static void find_time(const struct tb_whatif_result *list, unsigned count,
		      int64_t *first, int64_t *last)
{
	*first = list[0].whatif.totals.first;
	*last = *first + 1;
	for (unsigned i = 0; i < count; i++)
		if (list[i].whatif.totals.last > *last)
			*last = list[i].whatif.totals.last;
}

static void fill_lines(const struct tb_history *history,
		       const struct tb_whatif *whatif, struct lines *lines)
{
	double all = (double)whatif->totals.cores;

	for (unsigned i = 0; i < history->njobs; i++) {
		const struct tb_past_job *job = &history->jobs[i];
		const struct tb_replay_start *start = &whatif->starts[i];

		if (start->start == TB_REPLAY_NEVER)
			continue;
		tb_over_time_add(&lines->used, start->start,
				 start->start + job->run, start->cores / all);
		tb_over_time_add(&lines->waiting, job->submit, start->start, 1);
	}
}

/* ---- axes ---- */

/* 1, 2 or 5 times a power of ten, and no less than that. */
static uint64_t round_up(double number)
{
	uint64_t round = 1;

	for (unsigned i = 0; (double)round < number; i++)
		round = i % 3 == 1 ? round / 2 * 5 : round * 2;
	return round;
}

static uint64_t find_most_waiting(const struct lines *lines, unsigned count)
{
	double most = 0;

	for (unsigned i = 0; i < count; i++)
		for (unsigned bin = 0; bin < TB_BINS; bin++)
			if (lines[i].waiting.values[bin] > most)
				most = lines[i].waiting.values[bin];
	return round_up(most);
}

/* In quarters from 0 to most; nothing is told between whole numbers. */
static void print_grid(uint64_t most, const char *unit, FILE *out)
{
	for (unsigned i = 0; i <= 4; i++) {
		unsigned y = PLOT_HEIGHT - PLOT_HEIGHT * i / 4;

		fprintf(out, "<path class=\"%s\" d=\"M0 %uH%u\"/>",
			i ? "grid" : "axis", y, PLOT_WIDTH);
		if (most * i % 4 == 0)
			fprintf(out,
				"<text class=\"end\" x=\"-8\" y=\"%u\">%" PRIu64
				"%s</text>",
				y + 5, most * i / 4, unit);
		fputc('\n', out);
	}
}

struct time_unit {
	const char *name;
	unsigned seconds;
};

/* The largest that fits twice. */
static struct time_unit find_unit(int64_t seconds)
{
	static const struct time_unit units[] = { { "days", 86400 },
						  { "h", 3600 },
						  { "min", 60 } };

	for (unsigned i = 0; i < 3; i++)
		if (seconds >= 2 * (int64_t)units[i].seconds)
			return units[i];
	return (struct time_unit){ "s", 1 };
}

static void print_time(int64_t seconds, FILE *out)
{
	struct time_unit unit = find_unit(seconds);
	uint64_t whole = (uint64_t)seconds / unit.seconds;
	uint64_t step = round_up((double)whole / TICKS);

	for (uint64_t at = 0; at <= whole; at += step)
		fprintf(out,
			"<text class=\"middle\" x=\"%" PRIu64
			"\" y=\"%u\">%" PRIu64 " %s</text>\n",
			at * unit.seconds * PLOT_WIDTH / (uint64_t)seconds,
			PLOT_HEIGHT + 20, at, unit.name);
}

/* ---- lines ---- */

static void print_style(unsigned index, FILE *out)
{
	fprintf(out, "class=\"line c%u d%u\"", index % COLORS, index % DASHES);
}

static void print_line(const struct tb_over_time *line, double most,
		       unsigned index, const char *name, FILE *out)
{
	fputs("<path ", out);
	print_style(index, out);
	for (unsigned bin = 0; bin < TB_BINS; bin++)
		fprintf(out, "%s%u %u", bin ? "L" : " d=\"M",
			(2 * bin + 1) * PLOT_WIDTH / (2 * TB_BINS),
			(unsigned)(PLOT_HEIGHT -
				   line->values[bin] / most * PLOT_HEIGHT +
				   0.5));
	fputs("\"><title>", out);
	tb_svg_text(name, NAME_LETTERS, out);
	fputs("</title></path>\n", out);
}

static void print_name(const char *name, unsigned index, unsigned y, FILE *out)
{
	fputs("<path ", out);
	print_style(index, out);
	fprintf(out, " d=\"M%u %uh40\"/><text x=\"%u\" y=\"%u\">", LEFT, y,
		LEFT + 50, y + 5);
	tb_svg_text(name, NAME_LETTERS, out);
	fputs("</text>\n", out);
}

/* ---- the picture ---- */

static void begin_plot(unsigned y, const char *heading, FILE *out)
{
	fprintf(out,
		"<text class=\"head\" x=\"%u\" y=\"%u\">%s</text>\n<g transform=\"translate(%u %u)\">\n",
		LEFT, y - 12, heading, LEFT, y);
}

static void print_plots(const struct tb_whatif_result *list,
			const struct lines *lines, unsigned count, FILE *out)
{
	int64_t seconds = lines[0].used.last - lines[0].used.first;
	uint64_t most = find_most_waiting(lines, count);

	begin_plot(TOP, "Cores in use", out);
	print_grid(100, "%", out);
	print_time(seconds, out);
	for (unsigned i = 0; i < count; i++)
		print_line(&lines[i].used, 1, i, list[i].whatif.under->text,
			   out);
	fputs("</g>\n", out);
	begin_plot(2 * TOP + PLOT_HEIGHT + BOTTOM, "Jobs that wait", out);
	print_grid(most, "", out);
	print_time(seconds, out);
	for (unsigned i = 0; i < count; i++)
		print_line(&lines[i].waiting, (double)most, i,
			   list[i].whatif.under->text, out);
	fputs("</g>\n", out);
}

int tb_whatif_svg(const struct tb_history *history,
		  const struct tb_whatif_result *list, unsigned count,
		  FILE *out)
{
	unsigned plots = 2 * (TOP + PLOT_HEIGHT + BOTTOM);
	struct tb_svg svg = {
		.title = "topobind whatif",
		.description = description,
		.width = WIDTH,
		.height = plots + (count + 1) * LINE_HEIGHT,
		.style = style,
	};
	struct lines *lines = calloc(count, sizeof(*lines));

	if (!lines)
		return -1;
	for (unsigned i = 0; i < count; i++) {
		find_time(list, count, &lines[i].used.first,
			  &lines[i].used.last);
		lines[i].waiting.first = lines[i].used.first;
		lines[i].waiting.last = lines[i].used.last;
		fill_lines(history, &list[i].whatif, &lines[i]);
	}
	tb_svg_begin(&svg, out);
	print_plots(list, lines, count, out);
	for (unsigned i = 0; i < count; i++)
		print_name(list[i].whatif.under->text, i,
			   plots + (i + 1) * LINE_HEIGHT - 6, out);
	fputs("</svg>\n", out);
	free(lines);
	return 0;
}
