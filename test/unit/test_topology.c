/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topology strings: what is read, what is refused and where, what is printed.
 */
#include "unit_test.h"

#include "core/topology/topology.h"
#include "random_case.h"
#include "tsv.h"

static struct tb_topology *parse(const char *text, struct tb_bitset **lower)
{
	struct tb_error err;
	struct tb_topology *topology = tb_topology_parse(text, lower, &err);

	if (!topology)
		fail_msg("%s: %s", text, err.text);
	return topology;
}

/* Reading what is printed gives the same tree and the same threads. */
static void check_round_trip(const char *text,
			     char *(*print)(const struct tb_topology *,
					    const struct tb_bitset *))
{
	struct tb_bitset *lower, *lower_again;
	struct tb_topology *topology = parse(text, &lower);
	char *printed = print(topology, lower);
	struct tb_topology *again = parse(printed, &lower_again);

	assert_true(tb_topology_same_shape(topology, again));
	assert_int_equal(lower->nbits, lower_again->nbits);
	assert_true(tb_bitset_equal(lower, lower_again));
	free(printed);
	tb_topology_destroy(topology);
	tb_topology_destroy(again);
	tb_bitset_destroy(lower);
	tb_bitset_destroy(lower_again);
}

static void check_prints(const char *text, const char *expected)
{
	struct tb_bitset *lower;
	struct tb_topology *topology = parse(text, &lower);
	char *printed = tb_topology_print(topology, lower);

	assert_string_equal(printed, expected);
	free(printed);
	tb_topology_destroy(topology);
	tb_bitset_destroy(lower);
}

static void test_print(void **state)
{
	static const struct {
		const char *in, *out;
	} table[] = {
		{ "C", "C" },
		{ "E", "E" },
		{ "CT", "C" },
		{ "Ct", "c" },
		{ "cT", "c" },
		{ "CTT", "CTT" },
		{ "cTT", "ctt" },
		{ "CtT", "CtT" },
		{ "Ctt", "ctt" },
		{ "nSXCC", "nsxcc" },
		{ "NSXcc", "nsxcc" },
		{ "NsxccXCC", "nsxccxcc" },
		{ "NSxccXCC", "NSxccXCC" },
		{ "(N(S(X(Y(C(T)(T)))(E(T)))))",
		  "(N(S(X(Y(C(T)(T)))(E(T)))))" },
		{ "(S(C(T))(C(t)))", "SCc" },
		{ "(s(C(T))(C(T)))", "scc" },
		{ "(C(T)(t))", "CTt" },
		/* the last Y would fall into X */
		{ "(S(X(Y(C(T))))(Y(C(t))))", "(S(X(Y(C(T))))(y(c(t))))" },
		/* S does not follow N, the order N S X Y says it is inside */
		{ "SCNC", "SCNC" },
		{ "(S(C(T)))(N(C(T)))", "SCNC" },
		{ "(S(C(T))(N(C(T))))", "(S(C(T))(N(C(T))))" },
		{ "(N(C(T))(S(C(T))))", "NCSC" },
		/* the same letter: directly repeated it nests */
		{ "NNCCNCC", "NNCCNCC" },
		{ "(N(N(C(T))(C(T)))(N(C(T))(C(T))))", "NNCCNCC" },
		{ "(N(N(C(T))))(N(N(C(T))))", "(N(N(C(T))))(N(N(C(T))))" },
		{ "NnNCcNC", "nnnccnc" },
		{ "NNNCcNcC", "NNNCcNcC" },
		/* contradictions that only brackets can express */
		{ "(N(S(C(T))))(S(N(C(T))))", "(N(S(C(T))))(S(N(C(T))))" },
		{ "(N(S(N(C(T)))))", "(N(S(N(C(T)))))" },
		{ "SNXYCTTYCTTNXYCTTYCTT", "SNXYCTTYCTTNXYCTTYCTT" },
		{ "SXNYCTTSXNYCTT", "SXNYCTTSXNYCTT" },
		{ "NSXYCTTTTTTTTYETTE", "NSXYCTTTTTTTTYETTE" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		check_prints(table[i].in, table[i].out);
}

static void test_print_compact(void **state)
{
	struct tb_topology *topology = parse("(S(X(Y(C(T))))(Y(C(T)(T))))",
					     NULL);
	char *text = tb_topology_print_compact(topology, NULL);

	(void)state;
	assert_string_equal(text, "SXYCYCTT");
	free(text);
	tb_topology_destroy(topology);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *says; /* part of the message */
	} table[] = {
		{ "", "empty" },
		{ "Q", "column 1: unexpected 'Q'" },
		{ "NSXC C", "column 5: unexpected ' '" },
		{ "NS\x01"
		  "C",
		  "column 3: unexpected '?'" },
		{ "NS\xc3\xa9", "column 3: unexpected '?'" },
		{ "NSC0", "column 4" },
		{ "NSC,C", "column 4" },
		{ "NS(C)", "column 3" },
		{ "N", "column 1: 'N' is empty" },
		{ "NSC"
		  "X",
		  "column 4: 'X' is empty" },
		{ "NST", "column 2: 'S' is empty" },
		{ "T", "column 1: a thread outside of a core" },
		{ "TC", "column 1: a thread outside of a core" },
		{ "NSCSNC", "column 5: N lies in S here" },
		{ "NSXCXNC", "column 6: N lies in X here" },
		{ "(", "column 2" },
		{ ")", "column 1" },
		{ "()", "column 2: a letter" },
		{ "(N)", "column 3: an empty object" },
		{ "(C)", "column 3: an empty object" },
		{ "(C(T)", "column 6: the string ends" },
		{ "(C(T", "column 5: the string ends" },
		{ "(C(T)))", "column 7: a ')' without" },
		{ "(C(T))C", "column 7: a bracket is expected" },
		{ "(NC(T))", "column 3: a bracket is expected" },
		{ "(T)", "column 2: a thread outside" },
		{ "(N(T))", "column 4: a thread outside" },
		{ "(C(C(T)))", "column 4: something other than a thread" },
		{ "(C(N(C(T))))", "column 4: something other than a thread" },
		{ "(C(T(T)))", "column 5: something in a thread" },
		{ "((C(T)))", "column 2: a letter" },
	};
	struct tb_error err;
	struct tb_bitset *lower = (struct tb_bitset *)1;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (tb_topology_parse(table[i].text, &lower, &err))
			fail_msg("%s was read", table[i].text);
		if (!strstr(err.text, table[i].says))
			fail_msg("%s: %s", table[i].text, err.text);
	}
	assert_null(tb_topology_parse("Q", NULL, NULL));
}

/* 'count' times a pattern, the whole limited to the given length. */
static char *repeat(const char *pattern, size_t length)
{
	char *text = malloc(length + 1);
	size_t size = strlen(pattern);

	assert_non_null(text);
	for (size_t i = 0; i < length; i++)
		text[i] = pattern[i % size];
	text[length] = '\0';
	return text;
}

static void test_long_rubbish(void **state)
{
	static const char *const patterns[] = {
		"(",   ")",    "()",   "(N",	"(N(",	  "N",	"NS",	"T",
		"(T)", "\xff", "(N(S", "((N))", "NSXYC(", "\n", "%s%n", "SXNY"
	};
	static const size_t lengths[] = { 65, 1000, TB_TOPOLOGY_TEXT_MAX,
					  TB_TOPOLOGY_TEXT_MAX + 1, 200000 };
	struct tb_error err;

	(void)state;
	for (size_t p = 0; p < sizeof(patterns) / sizeof(patterns[0]); p++)
		for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]);
		     l++) {
			char *text = repeat(patterns[p], lengths[l]);

			assert_null(tb_topology_parse(text, NULL, &err));
			assert_true(strlen(err.text) > 0);
			assert_true(strlen(err.text) < 300);
			assert_null(strpbrk(err.text, "\n\xff"));
			free(text);
		}
}

static void test_largest(void **state)
{
	char *text = repeat("C", TB_TOPOLOGY_TEXT_MAX);
	struct tb_topology *topology = parse(text, NULL);
	char *printed = tb_topology_print(topology, NULL);

	(void)state;
	assert_int_equal(tb_topology_cores(topology), TB_TOPOLOGY_TEXT_MAX);
	assert_string_equal(printed, text);
	free(printed);
	free(text);
	tb_topology_destroy(topology);
}

/* 64 objects deep is read, 65 is refused, in both forms. */
static void test_depth(void **state)
{
	char *compact = repeat("N", 65);
	char structured[1024] = "";
	struct tb_error err;

	(void)state;
	compact[63] = 'C';
	compact[64] = '\0';
	tb_topology_destroy(parse(compact, NULL));
	compact[63] = 'N';
	compact[64] = 'C';
	assert_null(tb_topology_parse(compact, NULL, &err));
	assert_non_null(strstr(err.text, "column 65"));
	free(compact);
	for (int i = 0; i < 64; i++)
		strcat(structured, "(S");
	strcat(structured, "(C(T))");
	for (int i = 0; i < 64; i++)
		strcat(structured, ")");
	assert_null(tb_topology_parse(structured, NULL, &err));
	assert_non_null(strstr(err.text, "nested deeper"));
	structured[strlen(structured) - 1] = '\0';
	tb_topology_destroy(parse(structured + 2, NULL));
}

static void test_questions(void **state)
{
	struct tb_topology *t = parse("NSXYCTTYCTTXYEEYEENSYCTT", NULL);
	unsigned first, count;

	(void)state;
	assert_int_equal(tb_topology_threads(t), 10);
	assert_int_equal(tb_topology_cores(t), 7);
	assert_int_equal(tb_topology_count(t, 'N'), 2);
	assert_int_equal(tb_topology_count(t, 'X'), 2);
	assert_int_equal(tb_topology_count(t, 'Y'), 5);
	assert_int_equal(tb_topology_count(t, 'C'), 3);
	assert_int_equal(tb_topology_count(t, 'E'), 4);
	assert_int_equal(tb_topology_count(t, 'T'), 10);
	assert_int_equal(tb_topology_count(t, 'x'), 0);
	tb_topology_object(t, 'N', 1, &first, &count);
	assert_int_equal(first, 8);
	assert_int_equal(count, 2);
	tb_topology_object(t, 'X', 1, &first, &count);
	assert_int_equal(first, 4);
	assert_int_equal(count, 4);
	tb_topology_object(t, 'C', 2, &first, &count);
	assert_int_equal(first, 8);
	assert_int_equal(count, 2);
	tb_topology_object(t, 'E', 3, &first, &count);
	assert_int_equal(first, 7);
	assert_int_equal(count, 1);
	assert_int_equal(tb_core_first_thread(t, 2), 4);
	assert_int_equal(tb_core_threads(t, 0), 2);
	assert_int_equal(tb_core_kind(t, 1), TB_POWER);
	assert_int_equal(tb_core_kind(t, 2), TB_EFFICIENCY);
	assert_int_equal(tb_core_first_thread(t, 1), 2);
	assert_int_equal(tb_core_first_thread(t, 6), 8);
	tb_topology_destroy(t);
}

static void test_cores_and_threads(void **state)
{
	struct tb_topology *t = parse("SCTTCTTEECTTT", NULL);
	struct tb_bitset *cores = tb_bitset_create(5);
	struct tb_bitset *threads = tb_bitset_create(9);
	char *list;

	(void)state;
	tb_bitset_set(cores, 1);
	tb_bitset_set(cores, 4);
	tb_bitset_set(threads, 0);
	tb_threads_of_cores(t, cores, threads);
	list = tb_bitset_print_list(threads);
	assert_string_equal(list, "2-3,6-8");
	free(list);
	tb_bitset_clear(threads, 2);
	tb_bitset_set(threads, 4);
	tb_cores_of_threads(t, threads, cores);
	list = tb_bitset_print_list(cores);
	assert_string_equal(list, "1-2,4");
	free(list);
	tb_bitset_set_range(threads, 0, 9);
	tb_bitset_clear(threads, 2);
	tb_limit_threads(t, 1, threads);
	list = tb_bitset_print_list(threads);
	assert_string_equal(list, "0,3-6");
	free(list);
	tb_bitset_destroy(cores);
	tb_bitset_destroy(threads);
	tb_topology_destroy(t);
}

static void test_distances_refused(void **state)
{
	const unsigned distances[9] = { 0 };
	struct tb_topology *t = parse("NSCCNSCC", NULL);
	struct tb_error err;

	(void)state;
	assert_int_equal(tb_topology_set_distances(t, distances, 3, &err), -1);
	assert_non_null(strstr(err.text, "3 NUMA nodes"));
	assert_int_equal(tb_topology_set_distances(t, distances, 2, &err), 0);
	/* Again: the old ones are replaced. */
	assert_int_equal(tb_topology_set_distances(t, distances, 2, &err), 0);
	tb_topology_destroy(t);
}

/* These strings are canonical: they come out as they went in. */
static void check_column(struct tsv *table, size_t column, size_t rows)
{
	assert_int_equal(tsv_rows(table), rows);
	for (size_t row = 0; row < rows; row++) {
		const char *text = tsv_field(table, row, column);

		check_round_trip(text, tb_topology_print);
		check_round_trip(text, tb_topology_print_structured);
		check_prints(text, text);
	}
	tsv_close(table);
}

static void test_strings_of_vectors(void **state)
{
	(void)state;
	check_column(tsv_open("data/binding_vectors.tsv"), 2, 1193);
	check_column(tsv_open("data/seed_examples.tsv"), 1, 47);
}

static void test_strings_of_machines(void **state)
{
	(void)state;
	check_column(tsv_open_plain("data/topologies/expected.tsv"), 1, 24);
}

static void test_random_trees(void **state)
{
	struct random random = { 7 };
	char text[RANDOM_TEXT];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		const struct random_shape shape = { 1 + i % 100, i % 3 == 0 };

		random_topology(&random, &shape, text);
		random_use(&random, (unsigned)i % 101, text);
		check_round_trip(text, tb_topology_print);
		check_round_trip(text, tb_topology_print_structured);
	}
}

static void test_same_shape(void **state)
{
	static const char *const different[] = {
		"NSCC",	  "SNCC",
		"NSCCC",  "NSCTTC",
		"NSCCTT", "NSEC",
		"NSCE",	  "NSCSC",
		"NCSC",	  "NSXCC",
		"NNCC",	  "NCNC",
		"CC",	  "(S(C(T))(N(C(T))))"
	};
	size_t count = sizeof(different) / sizeof(different[0]);

	(void)state;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++) {
			struct tb_topology *a = parse(different[i], NULL);
			struct tb_topology *b = parse(different[j], NULL);

			assert_int_equal(tb_topology_same_shape(a, b), i == j);
			tb_topology_destroy(a);
			tb_topology_destroy(b);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_print_compact),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_long_rubbish),
		cmocka_unit_test(test_largest),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_questions),
		cmocka_unit_test(test_cores_and_threads),
		cmocka_unit_test(test_distances_refused),
		cmocka_unit_test(test_strings_of_vectors),
		cmocka_unit_test(test_strings_of_machines),
		cmocka_unit_test(test_random_trees),
		cmocka_unit_test(test_same_shape),
	};

	return cmocka_run_group_tests_name("topology", tests, NULL, NULL);
}
