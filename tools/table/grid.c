/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grid.c - see grid.h */
#include "grid.h"

#include <stdlib.h>
#include <string.h>

#include "terminal/line.h"

/* Of the lines below a row's first ones. */
#define INDENT 2
/* Text does not become narrower to stay beside other columns. */
#define TEXT_MIN 16

struct place {
	unsigned widest,
		narrowest; /* the least it takes with, without breaks */
	unsigned width;	   /* what it gets */
	bool first;	   /* of its line */
};

struct tb_grid_fit {
	const struct tb_grid *grid;
	struct place *places; /* of each column */
	const char **rest;    /* of each cell of a row, while it is printed */
};

void tb_grid_fit_destroy(struct tb_grid_fit *fit)
{
	if (!fit)
		return;
	free(fit->places);
	free(fit->rest);
	free(fit);
}

/* ---- widths ---- */

static unsigned get_more(unsigned a, size_t b)
{
	return a > b ? a : (unsigned)b;
}

static unsigned get_less(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static void measure_column(const struct tb_grid *grid, unsigned column,
			   struct place *place)
{
	if (grid->columns[column].width) {
		place->widest = place->narrowest = grid->columns[column].width;
		return;
	}
	for (unsigned row = 0; row < grid->nrows; row++) {
		const char *cell = grid->cells[row * grid->ncolumns + column];

		place->widest = get_more(place->widest, tb_line_widest(cell));
		place->narrowest = get_more(place->narrowest,
					    tb_line_narrowest(cell));
	}
	place->narrowest = get_more(place->narrowest,
				    get_less(place->widest, TEXT_MIN));
}

/* What is in front of a column: that before it, or of its line. */
static unsigned get_margin(const struct tb_grid *grid,
			   const struct place *places, unsigned column)
{
	if (column && places[column].first)
		return INDENT;
	return (column ? 0 : grid->taken) +
	       (unsigned)strlen(grid->columns[column].before);
}

/* A word that is wider than a line does not make its column as wide. */
static void limit_column(const struct tb_grid *grid, struct place *places,
			 unsigned column, unsigned width)
{
	struct place *place = &places[column];
	unsigned margin;

	place->first = true;
	margin = get_margin(grid, places, column);
	place->narrowest = get_less(place->narrowest,
				    width > margin ? width - margin : 1);
}

/* Which columns begin a line: those that do not fit beside the ones before. */
static void break_row(const struct tb_grid *grid, struct place *places,
		      unsigned width)
{
	size_t used = 0;

	for (unsigned i = 0; i < grid->ncolumns; i++) {
		places[i].first = !i;
		used += get_margin(grid, places, i) + places[i].narrowest;
		if (!i || used <= width)
			continue;
		places[i].first = true;
		used = get_margin(grid, places, i) + places[i].narrowest;
	}
}

/* Of a column that is at most so wide, if it can be. */
static unsigned get_width(const struct place *place, unsigned most)
{
	return get_more(get_less(place->widest, most), place->narrowest);
}

/* The columns from first to end, of one line, share it: the widest give. */
static void share_line(const struct tb_grid *grid, struct place *places,
		       unsigned first, unsigned end, unsigned width)
{
	unsigned most = 0;
	size_t used;

	for (unsigned i = first; i < end; i++)
		most = get_more(most, places[i].widest);
	do {
		used = 0;
		for (unsigned i = first; i < end; i++)
			used += get_margin(grid, places, i) +
				get_width(&places[i], most);
	} while (used > width && most-- > 1);
	for (unsigned i = first; i < end; i++)
		places[i].width = get_width(&places[i], most);
}

static unsigned find_line_end(const struct tb_grid *grid,
			      const struct place *places, unsigned first)
{
	unsigned end = first + 1;

	while (end < grid->ncolumns && !places[end].first)
		end++;
	return end;
}

struct tb_grid_fit *tb_grid_fit(const struct tb_grid *grid, unsigned width)
{
	struct tb_grid_fit *fit = calloc(1, sizeof(*fit));
	unsigned end;

	if (!fit)
		return NULL;
	fit->grid = grid;
	fit->places = calloc(grid->ncolumns, sizeof(*fit->places));
	fit->rest = calloc(grid->ncolumns, sizeof(*fit->rest));
	if (!fit->places || !fit->rest) {
		tb_grid_fit_destroy(fit);
		return NULL;
	}
	for (unsigned i = 0; i < grid->ncolumns; i++) {
		measure_column(grid, i, &fit->places[i]);
		limit_column(grid, fit->places, i, width);
	}
	break_row(grid, fit->places, width);
	for (unsigned first = 0; first < grid->ncolumns; first = end) {
		end = find_line_end(grid, fit->places, first);
		share_line(grid, fit->places, first, end, width);
	}
	return fit;
}

/* ---- printing ---- */

/* Blanks are printed when there is something behind them. */
struct pen {
	FILE *out;
	size_t at; /* so much of the line is printed */
	size_t x;  /* here goes on what comes */
};

static void print_text(struct pen *pen, const char *text, size_t length)
{
	if (length) {
		fprintf(pen->out, "%*s%.*s", (int)(pen->x - pen->at), "",
			(int)length, text);
		pen->at = pen->x + length;
	}
	pen->x += length;
}

static void print_between(struct pen *pen, const char *text)
{
	size_t length = strlen(text);

	if (strspn(text, " ") == length)
		pen->x += length;
	else
		print_text(pen, text, length);
}

/* A cell's first line that is left; it moves on to the next, or is NULL. */
static void print_cell(struct pen *pen, const struct tb_grid_column *column,
		       unsigned width, const char **rest)
{
	bool whole = column->width || column->tight;
	const char *text = *rest ? *rest : "";
	size_t length = whole ? strlen(text) : tb_line_measure(text, width);

	if (column->width && length > width)
		length = width;
	if (column->tight)
		width = 0;
	if (column->right && length < width)
		pen->x += width - length;
	print_text(pen, text, length);
	if (!column->right && length < width)
		pen->x += width - length;
	*rest = *rest && !whole ? tb_line_next(*rest, length) : NULL;
}

/* One line of the columns from first to end; whether another one follows. */
static bool print_line(const struct tb_grid_fit *fit, unsigned first,
		       unsigned end, unsigned taken, FILE *out)
{
	const struct tb_grid *grid = fit->grid;
	struct pen pen = { out, taken, first ? INDENT : grid->taken };
	bool more = false;

	for (unsigned i = first; i < end; i++) {
		if (!i || i > first)
			print_between(&pen, grid->columns[i].before);
		print_cell(&pen, &grid->columns[i], fit->places[i].width,
			   &fit->rest[i]);
		more |= fit->rest[i] != NULL;
	}
	if (end == grid->ncolumns)
		print_text(&pen, grid->after, strlen(grid->after));
	fputc('\n', out);
	return more;
}

void tb_grid_print_row(const struct tb_grid_fit *fit, unsigned row, FILE *out)
{
	const struct tb_grid *grid = fit->grid;
	unsigned taken = grid->taken, end;

	for (unsigned i = 0; i < grid->ncolumns; i++)
		fit->rest[i] = grid->cells[row * grid->ncolumns + i];
	for (unsigned first = 0; first < grid->ncolumns; first = end) {
		end = find_line_end(grid, fit->places, first);
		while (print_line(fit, first, end, taken, out))
			taken = 0;
		taken = 0;
	}
}
