/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.c - see table.h */
#define _GNU_SOURCE /* open_memstream, qsort_r */
#include "table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "terminal/text_stream.h"

#define WIDTH_MAX 65535

/* A column where it was asked for. */
struct field {
	char *before; /* text in front of it */
	unsigned column;
	unsigned width; /* 0: as wide as what is in it... */
	bool tight;	/* ...in each row */
	bool right;
};

struct tb_columns {
	struct field *fields;
	unsigned nfields;
	char *after; /* text behind the last one */
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
		if (layout->fields[i].column == column)
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
static int read_width(const char **text, struct field *field)
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
static int add_field(struct tb_columns *layout, struct field field)
{
	struct field *fields = reallocarray(layout->fields, layout->nfields + 1,
					    sizeof(*fields));

	if (!fields || !field.before) {
		free(field.before);
		layout->fields = fields ? fields : layout->fields;
		return -1;
	}
	layout->fields = fields;
	fields[layout->nfields++] = field;
	return 0;
}

static int read_letter(const struct tb_table_kind *kind,
		       struct tb_columns *layout, const char **text,
		       struct field field, struct tb_error *err)
{
	if (read_width(text, &field)) {
		free(field.before);
		return tb_fail(err,
			       "--format: a width is a number from 1 to %d",
			       WIDTH_MAX);
	}
	field.column = find_letter(kind, **text);
	if (field.column == kind->ncolumns) {
		free(field.before);
		return fail_for_column(kind, true, "--format", *text,
				       **text != '\0', err);
	}
	field.right |= kind->columns[field.column].right;
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
		struct field field = {
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
	struct field field = { .column = find_name(kind, text, name) };

	if (field.column == kind->ncolumns)
		return fail_for_column(kind, false, "--Format", text, name,
				       err);
	if (*rest == ':') {
		rest++;
		if (read_width(&rest, &field) || rest != text + length)
			return tb_fail(
				err,
				"--Format: \"%.*s\" is no column with a width; write for example %s:10",
				(int)(length < 40 ? length : 40), text,
				kind->columns[field.column].name);
	}
	field.right |= kind->columns[field.column].right;
	field.before = strdup(layout->nfields ? " " : "");
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

/* All cells, row by row; the headings are the first row. */
static char **make_cells(const struct tb_table_kind *kind,
			 const struct tb_columns *layout, const void **rows,
			 unsigned nrows)
{
	unsigned width = layout->nfields;
	char **cells = calloc((size_t)(nrows + 1) * width, sizeof(*cells));

	for (unsigned f = 0; cells && f < width; f++) {
		unsigned column = layout->fields[f].column;

		cells[f] = strdup(kind->columns[column].heading);
		for (unsigned i = 0; i < nrows; i++)
			cells[(i + 1) * width + f] = make_cell(kind, rows[i],
							       column);
	}
	return cells;
}

/* The widths of all columns; -1 when a cell is missing: no memory. */
static int measure_columns(const struct tb_columns *layout, char **cells,
			   unsigned nrows, bool headings, unsigned *widths)
{
	for (unsigned f = 0; f < layout->nfields; f++) {
		widths[f] = layout->fields[f].width;
		for (unsigned i = 0; i <= nrows; i++) {
			const char *cell = cells[i * layout->nfields + f];

			if (!cell)
				return -1;
			if (!layout->fields[f].width && (i || headings) &&
			    strlen(cell) > widths[f])
				widths[f] = (unsigned)strlen(cell);
		}
	}
	return 0;
}

static void print_line(const struct tb_columns *layout, char **cells,
		       const unsigned *widths, FILE *out)
{
	for (unsigned f = 0; f < layout->nfields; f++) {
		const struct field *field = &layout->fields[f];
		/* No blanks at the end of a line. */
		bool last = f + 1 == layout->nfields && !*layout->after &&
			    !field->right;
		int width = last || field->tight ? 0 : (int)widths[f];

		fprintf(out, "%s%*.*s", field->before,
			field->right ? width : -width, (int)widths[f],
			cells[f]);
	}
	fprintf(out, "%s\n", layout->after);
}

int tb_table_print(const struct tb_table_kind *kind,
		   const struct tb_columns *layout, const void **rows,
		   unsigned nrows, bool headings, FILE *out)
{
	unsigned count = (nrows + 1) * layout->nfields;
	unsigned *widths = calloc(layout->nfields, sizeof(*widths));
	char **cells = make_cells(kind, layout, rows, nrows);
	int rc = -1;

	if (widths && cells)
		rc = measure_columns(layout, cells, nrows, headings, widths);
	for (unsigned i = headings ? 0 : 1; !rc && i <= nrows; i++)
		print_line(layout, cells + i * layout->nfields, widths, out);
	for (unsigned i = 0; cells && i < count; i++)
		free(cells[i]);
	free(cells);
	free(widths);
	return rc;
}
