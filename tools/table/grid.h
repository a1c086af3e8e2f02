/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * grid.h - how rows and columns of text are laid out in lines of limited width
 *
 * Where all columns fit beside each other, each is as wide as what is in it.
 * Else the widest become narrower, and what is in them takes several lines
 * (terminal/line.h).  Where that does not suffice the last columns go below the
 * others, in indented lines.  Nothing is lost, and a word that is wider than the
 * lines stays whole.
 */
#ifndef TB_TOOLS_TABLE_GRID_H
#define TB_TOOLS_TABLE_GRID_H

#include <stdbool.h>
#include <stdio.h>

struct tb_grid_column {
	unsigned of;  /* what is in it: for those who make the cells */
	char *before; /* text in front of it */
	/* Cells are cut to this many columns; 0: as wide as what is in it... */
	unsigned width;
	bool tight; /* ...in each row */
	bool right;
};

struct tb_grid {
	const struct tb_grid_column *columns;
	unsigned ncolumns;
	const char *after; /* text behind the last one */
	char **cells;	   /* row by row */
	unsigned nrows;
	unsigned taken; /* the caller prints so much of each row's first line */
};

/* Where each column is.  The grid is the caller's, and must outlive it. */
struct tb_grid_fit;

/* In lines of this width; UINT_MAX: whatever it takes.  NULL when out of memory. */
struct tb_grid_fit *tb_grid_fit(const struct tb_grid *grid, unsigned width);
void tb_grid_fit_destroy(struct tb_grid_fit *fit); /* NULL is fine */

void tb_grid_print_row(const struct tb_grid_fit *fit, unsigned row, FILE *out);

#endif
