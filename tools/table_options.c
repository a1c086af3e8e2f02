/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table_options.c - see table_options.h */
#include <getopt.h>
#include <stdlib.h>

#include "command.h"
#include "table_options.h"

/* The last one counts. */
static int set_columns(struct tb_table_options *options,
		       struct tb_columns *columns, const char *command,
		       const struct tb_error *why)
{
	if (!columns) {
		tb_command_fail(command, "%s", why->text);
		return -1;
	}
	tb_columns_destroy(options->columns);
	options->columns = columns;
	return 0;
}

static int set_sort(struct tb_table_options *options,
		    const struct tb_table_kind *kind, const char *command)
{
	struct tb_error why;

	options->sort = optarg;
	if (!tb_table_check_sort(kind, optarg, &why))
		return 0;
	tb_command_fail(command, "%s", why.text);
	return -1;
}

int tb_table_option(struct tb_table_options *options,
		    const struct tb_table_kind *kind, const char *command,
		    int option, bool *taken)
{
	struct tb_error why;

	*taken = true;
	switch (option) {
	case 'N':
		options->by_node = true;
		return 0;
	case 'o':
		return set_columns(options, tb_columns_of_letters(kind, optarg,
								  &why),
				   command, &why);
	case 'O':
		return set_columns(options, tb_columns_of_names(kind, optarg,
								&why),
				   command, &why);
	case 'S':
		return set_sort(options, kind, command);
	case 'h':
		options->no_headings = true;
		return 0;
	default:
		*taken = false;
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
