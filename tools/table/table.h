/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - tables whose columns and order the user chooses, as squeue has them
 *
 * Which columns there are, and what is in them, is the subcommand's; here is
 * how they are asked for and printed:
 *
 *   --format  "%[[.]WIDTH]LETTER", with any other text between
 *   --Format  "NAME[:[.]WIDTH],..."
 *   --sort    "[+|-]NAME,..."
 *
 * A point aligns to the right.  What is longer than a width is cut.  Without one
 * a column of --Format is as wide as all that is in it, and --format prints each
 * cell as it is.
 *
 * Rows fit into lines of tb_line_width() (grid.h), but with --format, or a width:
 * then they are as the user wrote them.
 */
#ifndef TB_TOOLS_TABLE_TABLE_H
#define TB_TOOLS_TABLE_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "core/base/error.h"

struct tb_column {
	char letter;	  /* of --format; '\0': it has none */
	const char *name; /* of --Format and --sort; the case does not count */
	const char *heading;
	bool right;
};

/* What a table is made of. */
struct tb_table_kind {
	const struct tb_column *columns;
	unsigned ncolumns;
	const char *gap; /* between two columns; NULL: a blank */
	/*
	 * Print what a row has in a column: printable text, in one line, or in
	 * several with newlines between them.
	 */
	void (*print)(const void *row, unsigned column, FILE *out);
	/*
	 * Print what stands in front of a row, in so many columns; NULL:
	 * nothing does.
	 */
	void (*mark)(const void *row, FILE *out);
	unsigned mark_width;
	/* Print lines of their own below a row.  -1: no memory.  NULL: none. */
	int (*below)(const void *row, FILE *out);
	/*
	 * By which number rows are sorted; NULL, or false: by their text.
	 */
	bool (*number)(const void *row, unsigned column, double *number);
};

struct tb_columns;

/* The two ways to ask for some; NULL with a sentence. */
struct tb_columns *tb_columns_of_letters(const struct tb_table_kind *kind,
					 const char *format,
					 struct tb_error *err);
struct tb_columns *tb_columns_of_names(const struct tb_table_kind *kind,
				       const char *names, struct tb_error *err);
void tb_columns_destroy(struct tb_columns *columns); /* NULL is fine */

/* Is the column in it? */
bool tb_columns_has(const struct tb_columns *columns, unsigned column);

/* Are keys for the sort right?  -1 with a sentence. */
int tb_table_check_sort(const struct tb_table_kind *kind, const char *keys,
			struct tb_error *err);
/*
 * Sort rows; equal ones keep their order.  keys were checked.  -1 when out of
 * memory.
 */
int tb_table_sort(const struct tb_table_kind *kind, const char *keys,
		  const void **rows, unsigned nrows);

/* -1 when out of memory. */
int tb_table_print(const struct tb_table_kind *kind,
		   const struct tb_columns *columns, const void **rows,
		   unsigned nrows, bool headings, FILE *out);

/* The same for columns that are always these; each row has so many bytes. */
int tb_table_print_names(const struct tb_table_kind *kind, const char *names,
			 const void *rows, size_t size, unsigned nrows,
			 bool headings, FILE *out);

#endif
