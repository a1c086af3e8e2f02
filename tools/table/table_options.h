/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_options.h - the options of subcommands that print a table
 *
 * -N (--Node), -o (--format), -O (--Format), -S (--sort), -h (--noheader); see
 * table.h.
 */
#ifndef TB_TOOLS_TABLE_TABLE_OPTIONS_H
#define TB_TOOLS_TABLE_TABLE_OPTIONS_H

#include "command.h"
#include "table.h"

/* All zero is right before the first option. */
struct tb_table_options {
	struct tb_columns *columns; /* NULL: none are asked for */
	const char *sort;	    /* NULL: as they are */
	bool by_node;
	bool no_headings;
};

/* For struct tb_command_line. */
extern const struct tb_command_option tb_table_options_list[];

/* Take one of these letters, its value from optarg.  -1 with a sentence. */
int tb_table_option(struct tb_table_options *options,
		    const struct tb_table_kind *kind, int option,
		    struct tb_error *err);
void tb_table_options_clear(struct tb_table_options *options);

/* Print rows, each of so many bytes, as asked for.  -1 when out of memory. */
int tb_table_show(const struct tb_table_options *options,
		  const struct tb_table_kind *kind,
		  const struct tb_columns *columns, const void *rows,
		  size_t size, unsigned nrows);

#endif
