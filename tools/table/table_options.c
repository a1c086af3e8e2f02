/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table_options.c - see table_options.h */
#include <stdlib.h>

#include "table_options.h"

const struct tb_command_option tb_table_options_list[] = {
	{ "N", "Node", NULL, 'N', "a row for each node" },
	{ "o", "format", "TEXT", 'o',
	  "these columns, written as for squeue and sinfo, \"%.10N %u\"" },
	{ "O", "Format", "LIST", 'O', "columns by name, \"jobid,node:20\"" },
	{ "S", "sort", "LIST", 'S',
	  "sort by these columns, \"-\" for descending" },
	{ "h", "noheader", NULL, 'h', "no headings" },
	{ 0 },
};

/* The last ones count.  NULL: they were wrong. */
static int set_columns(struct tb_table_options *options,
		       struct tb_columns *columns)
{
	if (!columns)
		return -1;
	tb_columns_destroy(options->columns);
	options->columns = columns;
	return 0;
}

int tb_table_option(struct tb_table_options *options,
		    const struct tb_table_kind *kind, int option,
		    struct tb_error *err)
{
	switch (option) {
	case 'N':
		options->by_node = true;
		return 0;
	case 'o':
		return set_columns(options,
				   tb_columns_of_letters(kind, optarg, err));
	case 'O':
		return set_columns(options,
				   tb_columns_of_names(kind, optarg, err));
	case 'S':
		options->sort = optarg;
		return tb_table_check_sort(kind, optarg, err);
	default:
		options->no_headings = true;
		return 0;
	}
}

void tb_table_options_clear(struct tb_table_options *options)
{
	tb_columns_destroy(options->columns);
}

int tb_table_show(const struct tb_table_options *options,
		  const struct tb_table_kind *kind,
		  const struct tb_columns *columns, const void *rows,
		  size_t size, unsigned nrows)
{
	const void **order = calloc(nrows + 1, sizeof(*order));
	int rc = order ? 0 : -1;

	for (unsigned i = 0; order && i < nrows; i++)
		order[i] = (const char *)rows + i * size;
	if (!rc && options->sort)
		rc = tb_table_sort(kind, options->sort, order, nrows);
	if (!rc)
		rc = tb_table_print(kind, columns, order, nrows,
				    !options->no_headings, stdout);
	free(order);
	return rc;
}
