/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_grid.c - where text is broken into lines, and how tables fit into them
 */
#define _GNU_SOURCE /* open_memstream */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "table/grid.h"
#include "terminal/line.h"

#define COLUMNS_MOST 4
#define CELLS_MOST 12

/* ---- lines ---- */

static void check_line(const char *text, size_t room, const char *line,
		       const char *rest)
{
	size_t length = tb_line_measure(text, room);
	const char *next = tb_line_next(text, length);

	assert_int_equal(length, strlen(line));
	assert_memory_equal(text, line, length);
	if (rest)
		assert_string_equal(next, rest);
	else
		assert_null(next);
}

static void test_lines(void **state)
{
	(void)state;
	check_line("", 5, "", NULL);
	check_line("one two", 7, "one two", NULL);
	check_line("one two", 6, "one", "two");
	check_line("one two", 3, "one", "two");
	check_line("one two", 1, "one", "two");
	check_line("one two", 0, "one", "two");
	check_line("one\ntwo", 20, "one", "two");
	check_line("one  two", 5, "one ", "two");
	check_line("a b c d", 4, "a b", "c d");
	/* Lists are broken only where no line has room for them. */
	check_line("on n[1,3,5]", 8, "on", "n[1,3,5]");
	check_line("n[1,3,5]", 8, "n[1,3,5]", NULL);
	check_line("n[1,3,5]", 7, "n[1,3,", "5]");
	check_line("n[1,3,5]", 5, "n[1,", "3,5]");
	check_line("n[1,3,5]", 1, "n[1,", "3,5]");
	check_line("n[1,3,5] is", 7, "n[1,3,", "5] is");
	check_line("bcpus=0+2,btype=host", 12, "bcpus=0+2,", "btype=host");
	check_line("bcpus=0+2,btype=host", 9, "bcpus=0+", "2,btype=host");
	check_line("NSXCCXCC", 4, "NSXCCXCC", NULL);
}

static void test_widths_of_text(void **state)
{
	(void)state;
	assert_int_equal(tb_line_widest(""), 0);
	assert_int_equal(tb_line_widest("one two"), 7);
	assert_int_equal(tb_line_widest("one\nthree\ntwo"), 5);
	assert_int_equal(tb_line_narrowest(""), 0);
	assert_int_equal(tb_line_narrowest("one three\ntwo"), 5);
	assert_int_equal(tb_line_narrowest("n[1,30,5]"), 4);
	assert_int_equal(tb_line_narrowest("  a,bc  "), 2);
}

/* ---- grids ---- */

struct example {
	struct tb_grid_column columns[COLUMNS_MOST];
	unsigned ncolumns;
	const char *cells[CELLS_MOST];
	unsigned nrows, taken;
	const char *after;
};

/* malloc()ed */
static char *print_example(const struct example *example, unsigned width)
{
	char *cells[CELLS_MOST];
	const struct tb_grid grid = {
		.columns = example->columns,
		.ncolumns = example->ncolumns,
		.after = example->after ? example->after : "",
		.cells = cells,
		.nrows = example->nrows,
		.taken = example->taken,
	};
	struct tb_grid_fit *fit;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (unsigned i = 0; i < grid.nrows * grid.ncolumns; i++)
		cells[i] = strdup(example->cells[i]);
	fit = tb_grid_fit(&grid, width);
	assert_non_null(fit);
	for (unsigned row = 0; row < grid.nrows; row++) {
		fprintf(out, "%.*s", (int)grid.taken, "****");
		tb_grid_print_row(fit, row, out);
	}
	tb_grid_fit_destroy(fit);
	for (unsigned i = 0; i < grid.nrows * grid.ncolumns; i++)
		free(cells[i]);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void check_grid(const struct example *example, unsigned width,
		       const char *expected)
{
	char *text = print_example(example, width);

	assert_string_equal(text, expected);
	free(text);
}

static char none[] = "", blank[] = " ", blanks[] = "  ";

static const struct example nodes = {
	.columns = { { .before = none },
		     { .before = blank, .right = true },
		     { .before = blanks } },
	.ncolumns = 3,
	.cells = { "NODES", "FREE", "HELD BY, OR WHY NOT", "n[1,3,5,7,9,11,13]",
		   "2", "job 12 of ann until noon\njob 13 of bob", "m", "10",
		   "drained" },
	.nrows = 3,
};

static void test_whole_rows(void **state)
{
	static const char whole[] =
		"NODES              FREE  HELD BY, OR WHY NOT\n"
		"n[1,3,5,7,9,11,13]    2  job 12 of ann until noon\n"
		"                         job 13 of bob\n"
		"m                    10  drained\n";

	(void)state;
	check_grid(&nodes, UINT_MAX, whole);
	check_grid(&nodes, 49, whole);
}

/* The widest gives first, down to what can still be read. */
static void test_narrow_columns(void **state)
{
	(void)state;
	check_grid(&nodes, 48,
		   "NODES              FREE  HELD BY, OR WHY NOT\n"
		   "n[1,3,5,7,9,11,13]    2  job 12 of ann until\n"
		   "                         noon\n"
		   "                         job 13 of bob\n"
		   "m                    10  drained\n");
	check_grid(&nodes, 40,
		   "NODES            FREE  HELD BY, OR WHY\n"
		   "                       NOT\n"
		   "n[1,3,5,7,9,11,     2  job 12 of ann\n"
		   "13]                    until noon\n"
		   "                       job 13 of bob\n"
		   "m                  10  drained\n");
}

/* Then the last ones go below. */
static void test_lines_below(void **state)
{
	(void)state;
	check_grid(&nodes, 30,
		   "NODES              FREE\n"
		   "  HELD BY, OR WHY NOT\n"
		   "n[1,3,5,7,9,11,13]    2\n"
		   "  job 12 of ann until noon\n"
		   "  job 13 of bob\n"
		   "m                    10\n"
		   "  drained\n");
	check_grid(&nodes, 12,
		   "NODES\n"
		   "  FREE\n"
		   "  HELD BY,\n"
		   "  OR WHY NOT\n"
		   "n[1,3,5,7,9,\n"
		   "11,13]\n"
		   "     2\n"
		   "  job 12 of\n"
		   "  ann until\n"
		   "  noon\n"
		   "  job 13 of\n"
		   "  bob\n"
		   "m\n"
		   "    10\n"
		   "  drained\n");
}

/* A word that is too wide stays whole, and widens nothing else. */
static void test_wide_words(void **state)
{
	static const struct example grants = {
		.columns = { { .before = none },
			     { .before = blank },
			     { .before = blank } },
		.ncolumns = 3,
		.cells = { "n1", "NSXCCXCCSXCCXCC", "first", "n2", "NSCC it is",
			   "second" },
		.nrows = 2,
	};

	(void)state;
	check_grid(&grants, 10,
		   "n1\n"
		   "  NSXCCXCCSXCCXCC\n"
		   "  first\n"
		   "n2\n"
		   "  NSCC it\n"
		   "  is\n"
		   "  second\n");
	check_grid(&grants, 1,
		   "n1\n"
		   "  NSXCCXCCSXCCXCC\n"
		   "  first\n"
		   "n2\n"
		   "  NSCC\n"
		   "  it\n"
		   "  is\n"
		   "  second\n");
}

/* What stands before a row counts, but in its first line it is the caller's. */
static void test_taken(void **state)
{
	static const struct example jobs = {
		.columns = { { .before = none }, { .before = blanks } },
		.ncolumns = 2,
		.cells = { "12", "bunit=X,bamount=1,btype=host", "13", "-" },
		.nrows = 2,
		.taken = 3,
	};

	(void)state;
	check_grid(&jobs, 35,
		   "***12  bunit=X,bamount=1,btype=host\n"
		   "***13  -\n");
	check_grid(&jobs, 34,
		   "***12  bunit=X,bamount=1,\n"
		   "       btype=host\n"
		   "***13  -\n");
	check_grid(&jobs, 22,
		   "***12\n"
		   "  bunit=X,bamount=1,\n"
		   "  btype=host\n"
		   "***13\n"
		   "  -\n");
}

/* Widths that the user gave, and cells as they are: nothing is broken. */
static void test_columns_of_users(void **state)
{
	static char left[] = "<", middle[] = "> ", bar[] = "|";
	static const struct example own = {
		.columns = { { .before = left, .width = 4, .right = true },
			     { .before = middle, .width = 4 },
			     { .before = bar, .tight = true } },
		.ncolumns = 3,
		.cells = { "a", "b", "c d,e", "abcdef", "ghi jkl", "m" },
		.nrows = 2,
		.after = "|",
	};

	(void)state;
	check_grid(&own, UINT_MAX,
		   "<   a> b   |c d,e|\n"
		   "<abcd> ghi |m|\n");
}

/* ---- what is true of all ---- */

static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 16 & 0x7fff;
}

/* Words, with one blank or newline between two. */
static void make_random_cell(unsigned *seed, char *cell, size_t size)
{
	size_t length = next_random(seed) % size;

	for (size_t i = 0; i < length; i++) {
		bool inside = i && i + 1 < length && cell[i - 1] != ' ' &&
			      cell[i - 1] != '\n';

		cell[i] =
			"abcdefgh,+ \n"[next_random(seed) % (inside ? 12 : 10)];
	}
	cell[length] = '\0';
}

/* How often each character but blanks and newlines is in the text. */
static void count_characters(const char *text, unsigned counts[128])
{
	for (; *text; text++)
		if (*text != ' ' && *text != '\n')
			counts[(unsigned char)*text]++;
}

/* A line may be wider only by a piece that no line has room for. */
static void check_widths(const char *text, unsigned width)
{
	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");
		size_t first = strspn(line, " ");

		assert_true(!length || line[length - 1] != ' ');
		if (length > width) {
			char *copy = strndup(line, length);

			assert_true(first <= 2);
			assert_int_equal(tb_line_narrowest(copy),
					 length - first);
			free(copy);
		}
		line += length + (line[length] == '\n');
	}
}

static void check_random(unsigned seed)
{
	char texts[CELLS_MOST][40];
	struct example example = {
		.columns = { { .before = none },
			     { .before = blank, .right = seed & 1 },
			     { .before = blanks },
			     { .before = blank } },
		.ncolumns = COLUMNS_MOST,
		.nrows = CELLS_MOST / COLUMNS_MOST,
	};
	unsigned before[128] = { 0 }, after[128] = { 0 };
	unsigned width;
	char *text;

	for (unsigned i = 0; i < CELLS_MOST; i++) {
		make_random_cell(&seed, texts[i], sizeof(texts[i]));
		example.cells[i] = texts[i];
		count_characters(texts[i], before);
	}
	width = 1 + next_random(&seed) % 80;
	text = print_example(&example, width);
	count_characters(text, after);
	assert_memory_equal(before, after, sizeof(before));
	check_widths(text, width);
	free(text);
}

static void test_random_grids(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 5000; seed++)
		check_random(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_widths_of_text),
		cmocka_unit_test(test_whole_rows),
		cmocka_unit_test(test_narrow_columns),
		cmocka_unit_test(test_lines_below),
		cmocka_unit_test(test_wide_words),
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_columns_of_users),
		cmocka_unit_test(test_random_grids),
	};

	return cmocka_run_group_tests_name("grid", tests, NULL, NULL);
}
