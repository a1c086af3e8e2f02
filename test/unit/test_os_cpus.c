/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OS CPU numbers: reading and printing them, and lists of them on nodes.
 */
#include "unit_test.h"

#include <stdbool.h>

#include "core/place/listed.h"
#include "core/place/place.h"
#include "core/topology/os_cpus.h"
#include "random_case.h"

#define TWO "SCTTCTTSCTTCTT"

static void test_read(void **state)
{
	static const struct {
		const char *topology, *text;
		const char *numbers; /* by thread; NULL: it is refused */
	} table[] = {
		{ "SCCCC", "0-3", "0 1 2 3" },
		{ "SCCCC", "0-2:2+1-3:2", "0 2 1 3" },
		{ "SCCCC", "3+2+1+0", "3 2 1 0" },
		{ "SCCCC", "4-7", "4 5 6 7" },
		{ "SCCCC", "0+5-65525:65520+65535", "0 5 65525 65535" },
		/* first all first threads, then all second ones */
		{ TWO, "0-7", "0 4 1 5 2 6 3 7" },
		{ TWO, "0-6:2+1-7:2", "0 1 2 3 4 5 6 7" },
		{ TWO, "0-2:2+1-3:2+4-6:2+5-7:2", "0 4 2 6 1 5 3 7" },
		/* efficiency cores have one thread */
		{ "SCTTCTTEE", "0-2:2+4-5+1-3:2", "0 1 2 3 4 5" },
		{ "SEECTT", "1-3+0", "1 2 3 0" },

		{ "SCCCC", "", NULL },
		{ "SCCCC", "0-2", NULL },
		{ "SCCCC", "0-4", NULL },
		{ "SCCCC", "0-3+", NULL },
		{ "SCCCC", "+0-3", NULL },
		{ "SCCCC", "0-1+1-2", NULL },
		{ "SCCCC", "0,1,2,3", NULL },
		{ "SCCCC", " 0-3", NULL },
		{ "SCCCC", "0-3 ", NULL },
		{ "SCCCC", "3-0", NULL },
		{ "SCCCC", "0-0+1-3", NULL },
		{ "SCCCC", "0-7:2+", NULL },
		{ "SCCCC", "0-7:2", NULL },
		{ "SCCCC", "0-6:0", NULL },
		{ "SCCCC", "0-6:-2", NULL },
		{ "SCCCC", "0-6:2:2", NULL },
		{ "SCCCC", "0-6:", NULL },
		{ "SCCCC", "0-", NULL },
		{ "SCCCC", "-3", NULL },
		{ "SCCCC", "0x0-3", NULL },
		{ "SCCCC", "65533-65536", NULL },
		{ "SCCCC", "4294967296-4294967299", NULL },
		{ "SC", "0-65535", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tb_topology *topology =
			tb_topology_parse(table[i].topology, NULL, NULL);
		struct tb_error err = { "" };
		unsigned *numbers = tb_os_cpus_parse(table[i].text, topology,
						     &err);
		char text[256] = "";

		for (unsigned t = 0;
		     numbers && t < tb_topology_threads(topology); t++)
			snprintf(text + strlen(text),
				 sizeof(text) - strlen(text), "%s%u",
				 t ? " " : "", numbers[t]);
		if (!numbers != !table[i].numbers ||
		    (numbers && strcmp(text, table[i].numbers) != 0))
			fail_msg("%s of %s: \"%s\" %s", table[i].text,
				 table[i].topology, text, err.text);
		assert_int_equal(!numbers, err.text[0] != '\0');
		free(numbers);
		tb_topology_destroy(topology);
	}
}

static void check_prints(const char *string, const unsigned *numbers,
			 const char *expected)
{
	struct tb_topology *topology = tb_topology_parse(string, NULL, NULL);
	char *text = tb_os_cpus_print(numbers, topology, NULL);

	assert_string_equal(text, expected);
	free(text);
	tb_topology_destroy(topology);
}

static void test_print(void **state)
{
	static const unsigned in_order[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	static const unsigned by_thread[] = { 0, 4, 1, 5, 2, 6, 3, 7 };
	static const unsigned by_socket[] = { 0, 4, 2, 6, 1, 5, 3, 7 };
	static const unsigned pairs[] = { 0, 8, 9, 3, 5, 20, 21, 22 };
	static const unsigned down[] = { 7, 6, 5, 4, 3, 2, 1, 0 };

	(void)state;
	check_prints("SCCCCCCCC", in_order, "0-7");
	check_prints(TWO, in_order, "0-6:2+1-7:2");
	check_prints(TWO, by_thread, "0-7");
	check_prints(TWO, by_socket, "0+2+1+3-4+6+5+7");
	check_prints("SCCCCCCCC", pairs, "0+8-9+3+5+20-22");
	check_prints("SCCCCCCCC", down, "7+6+5+4+3+2+1+0");
	check_prints("SC", down, "7");
}

/* A machine with numbers in any order; one in three in the order of threads. */
static unsigned *shuffle(struct random *random, unsigned count)
{
	unsigned *numbers = calloc(count, sizeof(*numbers));
	bool keep = !random_below(random, 3);

	assert_non_null(numbers);
	for (unsigned i = 0; i < count; i++) {
		unsigned other = keep ? i : random_below(random, i + 1);

		numbers[i] = numbers[other];
		numbers[other] = i;
	}
	return numbers;
}

/*
 * A list of OS numbers takes what the same threads take as logical numbers: what
 * they are is looked up here one by one.
 */
static void check_list(struct random *random, struct tb_topology *topology,
		       const unsigned *numbers)
{
	unsigned count = tb_topology_threads(topology);
	struct tb_bitset *os = tb_bitset_create(count + 1);
	struct tb_bitset *threads = tb_bitset_create(count + 1);
	struct tb_bitset *used = tb_bitset_create(count);
	struct tb_placer *placer = tb_placer_create(topology);
	struct tb_request by_os, logical;
	char *text, *list;

	for (unsigned i = 0; i < 3; i++) {
		unsigned thread = random_below(random, count);

		tb_bitset_set(threads, thread);
		tb_bitset_set(os, numbers[thread]);
		if (i)
			tb_bitset_set(used, random_below(random, count));
	}
	/* Sometimes one that the node does not have. */
	if (!random_below(random, 4)) {
		tb_bitset_set(threads, count);
		tb_bitset_set(os, count);
	}
	tb_request_init(&by_os);
	tb_request_init(&logical);
	list = tb_bitset_print_list(threads);
	assert_int_equal(tb_request_set(&logical, "bcpus", list, NULL), 0);
	free(list);
	list = tb_bitset_print_list(os);
	text = malloc(strlen(list) + 4);
	sprintf(text, "os:%s", list);
	assert_int_equal(tb_request_set(&by_os, "bcpus", text, NULL), 0);
	free(text);
	free(list);
	list = NULL;
	if (tb_place(placer, &logical, used, 1))
		list = tb_bitset_print_list(tb_placed_threads(placer));
	assert_int_equal(tb_place(placer, &by_os, used, 1), list != NULL);
	if (list) {
		char *own = tb_bitset_print_list(tb_placed_threads(placer));

		assert_string_equal(own, list);
		free(own);
	}
	free(list);
	tb_request_clear(&by_os);
	tb_request_clear(&logical);
	tb_placer_destroy(placer);
	tb_bitset_destroy(used);
	tb_bitset_destroy(threads);
	tb_bitset_destroy(os);
}

static void test_random(void **state)
{
	static const struct random_shape shape = { 64, true };
	struct random random = { 11 };
	char string[RANDOM_TEXT];

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		struct tb_topology *topology;
		unsigned count, *numbers, *again;
		char *text;

		random_topology(&random, &shape, string);
		topology = tb_topology_parse(string, NULL, NULL);
		count = tb_topology_threads(topology);
		numbers = shuffle(&random, count);
		text = tb_os_cpus_print(numbers, topology, NULL);
		assert_non_null(text);
		again = tb_os_cpus_parse(text, topology, NULL);
		assert_non_null(again);
		assert_memory_equal(again, numbers, count * sizeof(*numbers));
		assert_int_equal(tb_topology_set_os_cpus(topology, numbers,
							 NULL),
				 0);
		check_list(&random, topology, numbers);
		free(again);
		free(text);
		free(numbers);
		tb_topology_destroy(topology);
	}
}

/* A node whose numbers are not known. */
static void test_unknown(void **state)
{
	struct tb_topology *topology = tb_topology_parse(TWO, NULL, NULL);
	struct tb_placer *placer = tb_placer_create(topology);
	struct tb_bitset *threads = tb_bitset_create(8);
	struct tb_request request;

	(void)state;
	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, "bcpus=os:0-1", NULL), 0);
	assert_int_equal(tb_listed_threads(&request, topology, threads),
			 TB_LISTED_UNKNOWN);
	assert_true(tb_bitset_is_empty(threads));
	assert_int_equal(tb_place(placer, &request, NULL, 1), 0);
	/* What was granted for the list is all of it. */
	tb_bitset_set_range(threads, 2, 3);
	assert_int_equal(tb_place_again(placer, &request, threads), 1);
	assert_true(tb_bitset_equal(tb_placed_threads(placer), threads));
	tb_request_clear(&request);
	tb_bitset_destroy(threads);
	tb_placer_destroy(placer);
	tb_topology_destroy(topology);
}

/* Numbers without any order, of more threads than there is room for. */
static void test_too_long(void **state)
{
	enum { CORES = 4000 };
	char *string = calloc(1, CORES + 2);
	unsigned *numbers = calloc(CORES, sizeof(*numbers));
	struct tb_topology *topology;
	struct tb_error err;

	(void)state;
	memset(string, 'C', CORES + 1);
	string[0] = 'S';
	topology = tb_topology_parse(string, NULL, NULL);
	assert_non_null(topology);
	for (unsigned i = 0; i < CORES; i++)
		numbers[i] = i;
	check_prints(string, numbers, "0-3999");
	for (unsigned i = 0; i < CORES; i++)
		numbers[i] = CORES - i;
	assert_null(tb_os_cpus_print(numbers, topology, &err));
	assert_non_null(strstr(err.text, "4000 threads need more than 8192"));
	free(numbers);
	free(string);
	tb_topology_destroy(topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),	 cmocka_unit_test(test_print),
		cmocka_unit_test(test_random),	 cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_too_long),
	};

	return cmocka_run_group_tests_name("OS CPUs", tests, NULL, NULL);
}
