/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_options.h - the options of subcommands that print a table
 *
 * -N (--Node), -o (--format), -O (--Format), -S (--sort), -h (--noheader); see
 * table.h.
 */
#ifndef TB_TOOLS_TABLE_OPTIONS_H
#define TB_TOOLS_TABLE_OPTIONS_H

#include "table.h"

/* All zero is right before the first option. */
struct tb_table_options {
	struct tb_columns *columns; /* NULL: none are asked for */
	const char *sort; /* NULL: as they are */
	bool by_node;
	bool no_headings;
};

/* For getopt_long(). */
#define TB_TABLE_LETTERS "No:O:S:h"
#define TB_TABLE_OPTIONS \
	{ "Node", no_argument, NULL, 'N' }, \
	{ "format", required_argument, NULL, 'o' }, \
	{ "Format", required_argument, NULL, 'O' }, \
	{ "sort", required_argument, NULL, 'S' }, \
	{ "noheader", no_argument, NULL, 'h' }

/*
 * Take one of these letters; *taken is false for any other.  -1: an error was
 * printed.
 */
int tb_table_option(struct tb_table_options *options,
		    const struct tb_table_kind *kind, const char *command,
		    int option, bool *taken);
void tb_table_options_clear(struct tb_table_options *options);

/* Print rows, each of so many bytes, as asked for.  -1 when out of memory. */
int tb_table_show(const struct tb_table_options *options,
		  const struct tb_table_kind *kind,
		  const struct tb_columns *columns, const void *rows,
		  size_t size, unsigned nrows);

#endif
