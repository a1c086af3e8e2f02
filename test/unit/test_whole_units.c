/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole units of a job: a table, a second count that looks at nothing but the text of a
 * topology, and that the sum over jobs is never more than the node.
 */
#include "unit_test.h"

#include <ctype.h>

#include "random_case.h"

#include "core/topology/whole_units.h"

/* --- a table -------------------------------------------------------------------- */

static const struct row {
	const char *granted, *masked, *others; /* lower case; NULL: none */
	unsigned sockets, numa, l3, l2;
} rows[] = {
	{ "NSXCCXCC", NULL, NULL, 0, 0, 0, 0 },
	{ "NSXccXCC", NULL, NULL, 0, 0, 1, 0 },
	{ "nsxccxcc", NULL, NULL, 1, 1, 2, 0 },
	{ "NSXcCXCc", NULL, NULL, 0, 0, 0, 0 },
	/* Caches of one core; half a core. */
	{ "NSXYcttYCTT", NULL, NULL, 0, 0, 0, 1 },
	{ "NSXYCtTYctt", NULL, NULL, 0, 0, 0, 1 },
	/* Who has the power cores does not have the cache. */
	{ "SXccEE", NULL, NULL, 0, 0, 0, 0 },
	{ "sxccee", NULL, NULL, 1, 0, 1, 0 },
	/* No task runs on the first core of each cache. */
	{ "SXCcXCC", "SXcCXcC", NULL, 0, 0, 1, 0 },
	{ "SXCcXCc", "SXcCXcC", NULL, 1, 0, 2, 0 },
	{ "SXCCXCC", "sxccxcc", NULL, 0, 0, 0, 0 },
	/* Two jobs have it: it is of neither. */
	{ "sxccxcc", NULL, "SXccXCC", 0, 0, 1, 0 },
	{ "SXCcXCC", "SXcCXCC", "SXcCXCC", 0, 0, 0, 0 },
	/* Inside each other: the innermost. */
	{ "(N(n(s(c(t))))(N(S(C(T)))))", NULL, NULL, 1, 1, 0, 0 },
	{ "(n(n(s(c(t))))(n(s(c(t)))))", NULL, NULL, 2, 2, 0, 0 },
};

static struct tb_bitset *read_lower(const char *text)
{
	struct tb_bitset *lower = NULL;
	struct tb_error err;

	if (text)
		tb_topology_destroy(tb_topology_parse(text, &lower, &err));
	if (text && !lower)
		fail_msg("%s: %s", text, err.text);
	return lower;
}

static void counts_whole_units(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct tb_topology *topology = tb_topology_parse(row->granted,
								 NULL, NULL);
		struct tb_bitset *granted = read_lower(row->granted);
		struct tb_bitset *masked = read_lower(row->masked);
		struct tb_bitset *others = read_lower(row->others);
		struct tb_unit_holding holding = { granted, masked, others };
		struct tb_unit_counts seen = tb_whole_units(topology, &holding);

		if (seen.of[0] != row->sockets || seen.of[1] != row->numa ||
		    seen.of[2] != row->l3 || seen.of[3] != row->l2)
			fail_msg("row %zu, %s: %u %u %u %u", i, row->granted,
				 seen.of[0], seen.of[1], seen.of[2],
				 seen.of[3]);
		tb_bitset_destroy(granted);
		tb_bitset_destroy(masked);
		tb_bitset_destroy(others);
		tb_topology_destroy(topology);
	}
}

/* --- what a node has ------------------------------------------------------------ */

static void counts_a_node(void **state)
{
	static const struct {
		const char *text;
		unsigned counts[TB_COUNTED_UNITS];
	} table[] = {
		{ "NSXYCCYCCXYCCYCC", { 1, 1, 2, 4 } },
		{ "SCC", { 1, 0, 0, 0 } },
		{ "nsxccXCC", { 1, 1, 2, 0 } },
		{ "(N(N(S(C(T))))(N(S(C(T)))))", { 2, 2, 0, 0 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tb_topology *topology = tb_topology_parse(table[i].text,
								 NULL, NULL);
		struct tb_unit_counts seen = tb_units_of_node(topology);

		for (unsigned kind = 0; kind < TB_COUNTED_UNITS; kind++)
			assert_int_equal(seen.of[kind], table[i].counts[kind]);
		tb_topology_destroy(topology);
	}
}

/* --- the oracle ----------------------------------------------------------------- */

#define THREADS 128

/*
 * Of a structured string: objects of a letter without such an object inside, of which
 * all threads have the mark.  Threads are the letters without an object inside.
 */
static unsigned count_marked(const char *text, char letter, const bool *mark)
{
	unsigned count = 0;

	for (const char *at = text; *at; at++) {
		unsigned thread = 0, depth = 0;
		bool whole = true, is_outer = false;
		const char *in = at;

		if (toupper(*at) != letter)
			continue;
		for (const char *before = text; before < at; before++)
			thread += isalpha(*before) && before[1] == ')';
		do {
			if (*in == '(')
				depth++;
			else if (*in == ')')
				depth--;
			else if (in != at && toupper(*in) == letter)
				is_outer = true;
			if (isalpha(*in) && in[1] == ')')
				whole = mark[thread++] && whole;
			in++;
		} while (*in != ')' || depth);
		count += whole && !is_outer;
	}
	return count;
}

static void agree(const char *text, struct random *random)
{
	bool mark[THREADS] = { false }, all[THREADS];
	struct tb_error err;
	struct tb_topology *topology = tb_topology_parse(text, NULL, &err);
	unsigned threads = tb_topology_threads(topology);
	struct tb_bitset *granted = tb_bitset_create(threads);
	unsigned first = random_below(random, threads);
	unsigned count = random_below(random, threads - first + 1);
	struct tb_unit_holding holding = { granted, NULL, NULL };
	struct tb_unit_counts seen, node = tb_units_of_node(topology);

	memset(all, true, sizeof(all));
	/* A run, so that units are whole now and then, with a hole or without. */
	for (unsigned i = first; i < first + count; i++)
		if (!random_percent(random, 3)) {
			tb_bitset_set(granted, i);
			mark[i] = true;
		}
	seen = tb_whole_units(topology, &holding);
	for (unsigned kind = 0; kind < TB_COUNTED_UNITS; kind++) {
		char letter = TB_COUNTED_LETTERS[kind];

		if (seen.of[kind] != count_marked(text, letter, mark) ||
		    node.of[kind] != count_marked(text, letter, all))
			fail_msg("%s: %u+%u: %c %u of %u, wanted %u of %u",
				 text, first, count, letter, seen.of[kind],
				 node.of[kind],
				 count_marked(text, letter, mark),
				 count_marked(text, letter, all));
	}
	tb_bitset_destroy(granted);
	tb_topology_destroy(topology);
}

static void agrees_with_the_oracle(void **state)
{
	struct random random = { 24 };
	char text[RANDOM_TEXT];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		const struct random_shape shape = { i % 4 ? 24 : 48, i % 2 };

		random_topology(&random, &shape, text);
		agree(text, &random);
	}
}

/* Each thread is of one of a few jobs, or of two. */
static void never_sums_to_more_than_the_node(void **state)
{
	enum { JOBS = 3 };
	struct random random = { 42 };
	char text[RANDOM_TEXT];

	(void)state;
	for (int i = 0; i < 5000; i++) {
		const struct random_shape shape = { 24, i % 2 };
		struct tb_bitset *of[JOBS], *others[JOBS];
		struct tb_topology *topology;
		struct tb_unit_counts node;
		unsigned sum[TB_COUNTED_UNITS] = { 0 }, threads;

		random_topology(&random, &shape, text);
		topology = tb_topology_parse(text, NULL, NULL);
		threads = tb_topology_threads(topology);
		node = tb_units_of_node(topology);
		for (unsigned job = 0; job < JOBS; job++) {
			of[job] = tb_bitset_create(threads);
			others[job] = tb_bitset_create(threads);
		}
		for (unsigned thread = 0, job = 0; thread < threads; thread++) {
			if (random_percent(&random, 20))
				job = random_below(&random, JOBS);
			tb_bitset_set(of[job], thread);
			if (random_percent(&random, 2))
				tb_bitset_set(of[random_below(&random, JOBS)],
					      thread);
		}
		for (unsigned job = 0; job < JOBS; job++)
			for (unsigned other = 0; other < JOBS; other++)
				if (other != job)
					tb_bitset_or(others[job], of[other]);
		for (unsigned job = 0; job < JOBS; job++) {
			struct tb_unit_holding holding = { of[job], NULL,
							   others[job] };
			struct tb_unit_counts seen = tb_whole_units(topology,
								    &holding);

			for (unsigned k = 0; k < TB_COUNTED_UNITS; k++)
				sum[k] += seen.of[k];
		}
		for (unsigned k = 0; k < TB_COUNTED_UNITS; k++)
			assert_true(sum[k] <= node.of[k]);
		for (unsigned job = 0; job < JOBS; job++) {
			tb_bitset_destroy(of[job]);
			tb_bitset_destroy(others[job]);
		}
		tb_topology_destroy(topology);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_whole_units),
		cmocka_unit_test(counts_a_node),
		cmocka_unit_test(agrees_with_the_oracle),
		cmocka_unit_test(never_sums_to_more_than_the_node),
	};

	return cmocka_run_group_tests_name("whole_units", tests, NULL, NULL);
}
