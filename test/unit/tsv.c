/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tsv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tsv {
	char *bytes;
	size_t columns, lines, room;
	size_t header; /* lines of it */
	char **fields; /* columns * lines */
};

static void die(const char *name, const char *what)
{
	fprintf(stderr, "%s: %s\n", name, what);
	exit(1);
}

static void *must(void *memory)
{
	if (!memory)
		die("tsv", "out of memory");
	return memory;
}

static char *read_file(const char *name)
{
	const char *srcdir = getenv("srcdir");
	char path[4096];
	size_t length = 0, room = 1 << 16;
	char *bytes = must(malloc(room));
	FILE *file;

	snprintf(path, sizeof(path), "%s/test/%s", srcdir ? srcdir : ".", name);
	file = fopen(path, "r");
	if (!file)
		die(path, "cannot be opened");
	for (;;) {
		size_t got = fread(bytes + length, 1, room - length - 1, file);

		if (!got)
			break;
		length += got;
		if (length + 1 == room) {
			room *= 2;
			bytes = must(realloc(bytes, room));
		}
	}
	fclose(file);
	bytes[length] = '\0';
	return bytes;
}

static void add_field(struct tsv *table, char *field, size_t *count)
{
	if (*count == table->room) {
		table->room = table->room ? table->room * 2 : 256;
		table->fields = must(
			realloc(table->fields,
				table->room * sizeof(*table->fields)));
	}
	table->fields[(*count)++] = field;
}

static void split(struct tsv *table, const char *name)
{
	char *at = table->bytes;
	size_t count = 0;

	while (*at) {
		size_t length = strcspn(at, "\t\n");
		char ended_by = at[length];

		at[length] = '\0';
		add_field(table, at, &count);
		at += length + (ended_by != '\0');
		if (ended_by == '\t')
			continue;
		table->lines++;
		if (table->lines == 1)
			table->columns = count;
		if (count != table->lines * table->columns)
			die(name, "a row has another number of fields");
	}
}

static struct tsv *open_table(const char *name, size_t header)
{
	struct tsv *table = must(calloc(1, sizeof(*table)));

	table->header = header;
	table->bytes = read_file(name);
	split(table, name);
	if (table->lines <= header)
		die(name, "has no rows");
	return table;
}

struct tsv *tsv_open(const char *name)
{
	return open_table(name, 1);
}

struct tsv *tsv_open_plain(const char *name)
{
	return open_table(name, 0);
}

void tsv_close(struct tsv *table)
{
	free(table->fields);
	free(table->bytes);
	free(table);
}

size_t tsv_rows(const struct tsv *table)
{
	return table->lines - table->header;
}

const char *tsv_field(const struct tsv *table, size_t row, size_t column)
{
	return table->fields[(row + table->header) * table->columns + column];
}

const char *tsv_get(const struct tsv *table, size_t row, const char *column)
{
	for (size_t i = 0; i < table->columns; i++)
		if (strcmp(table->fields[i], column) == 0)
			return tsv_field(table, row, i);
	return NULL;
}
