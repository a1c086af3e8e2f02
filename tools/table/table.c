/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.c - see table.h */
#define _GNU_SOURCE /* open_memstream, qsort_r */
#include "table.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "grid.h"
#include "terminal/terminal.h"
#include "terminal/text_stream.h"

#define WIDTH_MAX 65535

/* Where they were asked for; of is the kind's column. */
struct tb_columns {
	struct tb_grid_column *fields;
	unsigned nfields;
	char *after; /* text behind the last one */
	bool whole;  /* rows are as the user wrote them, however wide */
};

void tb_columns_destroy(struct tb_columns *layout)
{
	if (!layout)
		return;
	for (unsigned i = 0; i < layout->nfields; i++)
		free(layout->fields[i].before);
	free(layout->fields);
	free(layout->after);
	free(layout);
}

bool tb_columns_has(const struct tb_columns *layout, unsigned column)
{
	for (unsigned i = 0; i < layout->nfields; i++)
		if (layout->fields[i].of == column)
			return true;
	return false;
}

/* ---- which column is meant ---- */

/* ncolumns when there is none. */
static unsigned find_name(const struct tb_table_kind *kind, const char *name,
			  size_t length)
{
	unsigned i = 0;

	while (i < kind->ncolumns &&
	       (strncasecmp(kind->columns[i].name, name, length) ||
		kind->columns[i].name[length]))
		i++;
	return i;
}

static unsigned find_letter(const struct tb_table_kind *kind, char letter)
{
	unsigned i = 0;

	while (i < kind->ncolumns &&
	       (!letter || kind->columns[i].letter != letter))
		i++;
	return i;
}

/* The names, or the letters, for messages: cut where a sentence ends. */
static void list_columns(const struct tb_table_kind *kind, bool letters,
			 char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < kind->ncolumns && length < size; i++) {
		const struct tb_column *column = &kind->columns[i];

		if (letters && column->letter)
			length += (size_t)snprintf(text + length, size - length,
						   "%s%%%c", length ? " " : "",
						   column->letter);
		else if (!letters && column->letter)
			length += (size_t)snprintf(text + length, size - length,
						   "%s%s", length ? " " : "",
						   column->name);
	}
}

static int fail_for_column(const struct tb_table_kind *kind, bool letters,
			   const char *option, const char *what, size_t length,
			   struct tb_error *err)
{
	char all[300];

	list_columns(kind, letters, all, sizeof(all));
	return tb_fail(
		err,
		"%s: there is no column \"%.*s\"; there are %s, and --help has all",
		option, (int)(length < 40 ? length : 40), what, all);
}

/* ---- reading ---- */

/* "[.]WIDTH", as far as it goes; -1 for a width that cannot be meant. */
static int read_width(const char **text, struct tb_grid_column *field)
{
	unsigned long width;
	char *end;

	field->right |= **text == '.';
	*text += **text == '.';
	if (!isdigit((unsigned char)**text))
		return 0;
	width = strtoul(*text, &end, 10);
	*text = end;
	field->width = (unsigned)width;
	return width > 0 && width <= WIDTH_MAX ? 0 : -1;
}

/* The text before it becomes the layout's. */
static int add_field(struct tb_columns *layout, struct tb_grid_column field)
{
	struct tb_grid_column *fields = reallocarray(layout->fields,
						     layout->nfields + 1,
						     sizeof(*fields));

	if (!fields || !field.before) {
		free(field.before);
		layout->fields = fields ? fields : layout->fields;
		return -1;
	}
	layout->fields = fields;
	layout->whole |= field.width || field.tight;
	fields[layout->nfields++] = field;
	return 0;
}

static int read_letter(const struct tb_table_kind *kind,
		       struct tb_columns *layout, const char **text,
		       struct tb_grid_column field, struct tb_error *err)
{
	if (read_width(text, &field)) {
		free(field.before);
		return tb_fail(err,
			       "--format: a width is a number from 1 to %d",
			       WIDTH_MAX);
	}
	field.of = find_letter(kind, **text);
	if (field.of == kind->ncolumns) {
		free(field.before);
		return fail_for_column(kind, true, "--format", *text,
				       **text != '\0', err);
	}
	field.right |= kind->columns[field.of].right;
	field.tight = !field.width;
	(*text)++;
	return add_field(layout, field) ? tb_fail(err, "out of memory") : 0;
}

static int read_letters(const struct tb_table_kind *kind,
			struct tb_columns *layout, const char *format,
			struct tb_error *err)
{
	const char *percent;

	while ((percent = strchr(format, '%'))) {
		struct tb_grid_column field = {
			.before = strndup(format, (size_t)(percent - format)),
		};

		format = percent + 1;
		if (read_letter(kind, layout, &format, field, err))
			return -1;
	}
	if (!layout->nfields)
		return tb_fail(
			err,
			"--format=\"%.40s\" has no column; write for example \"%%N %%D\"",
			format);
	layout->after = strdup(format);
	return layout->after ? 0 : tb_fail(err, "out of memory");
}

static int read_name(const struct tb_table_kind *kind,
		     struct tb_columns *layout, const char *text, size_t length,
		     struct tb_error *err)
{
	size_t name = strcspn(text, ":,");
	const char *rest = text + name;
	struct tb_grid_column field = { .of = find_name(kind, text, name) };

	if (field.of == kind->ncolumns)
		return fail_for_column(kind, false, "--Format", text, name,
				       err);
	if (*rest == ':') {
		rest++;
		if (read_width(&rest, &field) || rest != text + length)
			return tb_fail(
				err,
				"--Format: \"%.*s\" is no column with a width; write for example %s:10",
				(int)(length < 40 ? length : 40), text,
				kind->columns[field.of].name);
	}
	field.right |= kind->columns[field.of].right;
	field.before = strdup(!layout->nfields ? ""
			      : kind->gap      ? kind->gap
					       : " ");
	return add_field(layout, field) ? tb_fail(err, "out of memory") : 0;
}

static int read_names(const struct tb_table_kind *kind,
		      struct tb_columns *layout, const char *names,
		      struct tb_error *err)
{
	for (;;) {
		size_t length = strcspn(names, ",");

		if (read_name(kind, layout, names, length, err))
			return -1;
		if (!names[length])
			break;
		names += length + 1;
	}
	layout->after = strdup("");
	return layout->after ? 0 : tb_fail(err, "out of memory");
}

typedef int (*reader_t)(const struct tb_table_kind *kind,
			struct tb_columns *layout, const char *text,
			struct tb_error *err);

static struct tb_columns *read_layout(reader_t reader,
				      const struct tb_table_kind *kind,
				      const char *text, struct tb_error *err)
{
	struct tb_columns *layout = calloc(1, sizeof(*layout));

	if (!layout)
		tb_fail(err, "out of memory");
	else if (reader(kind, layout, text, err)) {
		tb_columns_destroy(layout);
		layout = NULL;
	}
	return layout;
}

struct tb_columns *tb_columns_of_letters(const struct tb_table_kind *kind,
					 const char *format,
					 struct tb_error *err)
{
	return read_layout(read_letters, kind, format, err);
}

struct tb_columns *tb_columns_of_names(const struct tb_table_kind *kind,
				       const char *names, struct tb_error *err)
{
	return read_layout(read_names, kind, names, err);
}

/* ---- sorting ---- */

/* What a row has in a column; malloc()ed, NULL when out of memory. */
static char *make_cell(const struct tb_table_kind *kind, const void *row,
		       unsigned column)
{
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	kind->print(row, column, out);
	return tb_text_stream_close(out, &text);
}

/* The next key, where it ends and which way; ncolumns: there is none such. */
static unsigned read_key(const struct tb_table_kind *kind, const char **keys,
			 bool *down)
{
	const char *key = *keys;
	size_t length;

	*down = *key == '-';
	key += *key == '-' || *key == '+';
	length = strcspn(key, ",");
	*keys = key + length + (key[length] == ',');
	return find_name(kind, key, length);
}

int tb_table_check_sort(const struct tb_table_kind *kind, const char *keys,
			struct tb_error *err)
{
	bool down;

	do {
		const char *key = keys;

		key += *key == '-' || *key == '+';
		if (read_key(kind, &keys, &down) == kind->ncolumns)
			return fail_for_column(kind, false, "--sort", key,
					       strcspn(key, ","), err);
	} while (*keys);
	return 0;
}

/* A row by one key. */
struct keyed {
	const void *row;
	double number;
	char *text;
	unsigned place; /* equal rows keep their order */
};

static int compare_rows(const void *one, const void *other, void *arg)
{
	const struct keyed *a = one, *b = other;
	const bool *down = arg;
	int order;

	if (a->text && b->text)
		order = strcmp(a->text, b->text);
	else
		order = (a->number > b->number) - (a->number < b->number);
	if (order)
		return *down ? -order : order;
	return a->place < b->place ? -1 : 1;
}

static int sort_by(const struct tb_table_kind *kind, unsigned column, bool down,
		   const void **rows, unsigned nrows)
{
	struct keyed *keyed = calloc(nrows + 1, sizeof(*keyed));
	int rc = keyed ? 0 : -1;

	for (unsigned i = 0; !rc && i < nrows; i++) {
		keyed[i].row = rows[i];
		keyed[i].place = i;
		if (kind->number &&
		    kind->number(rows[i], column, &keyed[i].number))
			continue;
		keyed[i].text = make_cell(kind, rows[i], column);
		rc = keyed[i].text ? 0 : -1;
	}
	if (!rc)
		qsort_r(keyed, nrows, sizeof(*keyed), compare_rows, &down);
	for (unsigned i = 0; keyed && i < nrows; i++) {
		if (!rc)
			rows[i] = keyed[i].row;
		free(keyed[i].text);
	}
	free(keyed);
	return rc;
}

/* The first key counts most: it is the last to be sorted by. */
int tb_table_sort(const struct tb_table_kind *kind, const char *keys,
		  const void **rows, unsigned nrows)
{
	const char *rest = keys;
	bool down;
	unsigned column = read_key(kind, &rest, &down);

	if (*rest && tb_table_sort(kind, rest, rows, nrows))
		return -1;
	return sort_by(kind, column, down, rows, nrows);
}

/* ---- printing ---- */

static void free_cells(char **cells, unsigned count)
{
	for (unsigned i = 0; cells && i < count; i++)
		free(cells[i]);
	free(cells);
}

/* Row by row, the headings first if there are some.  NULL when out of memory. */
static char **make_cells(const struct tb_table_kind *kind,
			 const struct tb_columns *layout, const void **rows,
			 unsigned nrows, bool headings)
{
	unsigned width = layout->nfields, count = (nrows + headings) * width;
	char **cells = calloc((size_t)count + 1, sizeof(*cells));
	bool failed = !cells;

	for (unsigned i = 0; !failed && i < count; i++) {
		unsigned column = layout->fields[i % width].of;
		unsigned row = i / width;

		cells[i] = headings && !row
				   ? strdup(kind->columns[column].heading)
				   : make_cell(kind, rows[row - headings],
					       column);
		failed = !cells[i];
	}
	if (!failed)
		return cells;
	free_cells(cells, count);
	return NULL;
}

/* row: NULL for the headings. */
static int print_row(const struct tb_table_kind *kind,
		     const struct tb_grid_fit *fit, unsigned line,
		     const void *row, FILE *out)
{
	if (row && kind->mark)
		kind->mark(row, out);
	else
		fprintf(out, "%*s", (int)kind->mark_width, "");
	tb_grid_print_row(fit, line, out);
	return row && kind->below ? kind->below(row, out) : 0;
}

static int print_rows(const struct tb_table_kind *kind,
		      const struct tb_grid *grid, unsigned width,
		      const void **rows, unsigned nrows, FILE *out)
{
	struct tb_grid_fit *fit = tb_grid_fit(grid, width);
	unsigned headings = grid->nrows - nrows;
	int rc = fit ? 0 : -1;

	for (unsigned i = 0; !rc && i < grid->nrows; i++)
		rc = print_row(kind, fit, i,
			       i < headings ? NULL : rows[i - headings], out);
	tb_grid_fit_destroy(fit);
	return rc;
}

int tb_table_print(const struct tb_table_kind *kind,
		   const struct tb_columns *layout, const void **rows,
		   unsigned nrows, bool headings, FILE *out)
{
	const struct tb_grid grid = {
		.columns = layout->fields,
		.ncolumns = layout->nfields,
		.after = layout->after,
		.cells = make_cells(kind, layout, rows, nrows, headings),
		.nrows = nrows + headings,
		.taken = kind->mark_width,
	};
	unsigned width = layout->whole ? UINT_MAX : tb_line_width();
	int rc = grid.cells ? print_rows(kind, &grid, width, rows, nrows, out)
			    : -1;

	free_cells(grid.cells, grid.nrows * grid.ncolumns);
	return rc;
}

int tb_table_print_names(const struct tb_table_kind *kind, const char *names,
			 const void *rows, size_t size, unsigned nrows,
			 bool headings, FILE *out)
{
	struct tb_columns *layout = tb_columns_of_names(kind, names, NULL);
	const void **list = calloc(nrows + 1, sizeof(*list));
	int rc = -1;

	for (unsigned i = 0; list && i < nrows; i++)
		list[i] = (const char *)rows + i * size;
	if (layout && list)
		rc = tb_table_print(kind, layout, list, nrows, headings, out);
	tb_columns_destroy(layout);
	free(list);
	return rc;
}
