/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NUMA distances: reading and printing them, and whether they differ.
 */
#include "unit_test.h"

#include <stdbool.h>

#include "core/topology/distances.h"

static void test_read(void **state)
{
	static const struct {
		const char *text;
		unsigned count;
		bool right;
	} table[] = {
		{ "10", 1, true },
		{ "10,21;21,10", 2, true },
		{ "0,65535;007,1", 2, true },
		{ "10,16,22;16,10,16;22,16,10", 3, true },
		{ "", 0, false },
		{ "", 1, false },
		{ "10", 0, false },
		{ "10", 2, false },
		{ "10,21;21,10", 1, false },
		{ "10,21;21,10", 3, false },
		{ "10,21;21,10;", 2, false },
		{ "10,21;21,10 ", 2, false },
		{ " 10,21;21,10", 2, false },
		{ "10, 21;21,10", 2, false },
		{ "10,21,21,10", 2, false },
		{ "10;21;21;10", 2, false },
		{ "10,21;21,", 2, false },
		{ ",21;21,10", 2, false },
		{ "10,+21;21,10", 2, false },
		{ "10,-1;21,10", 2, false },
		{ "10,0x15;21,10", 2, false },
		{ "10,65536;21,10", 2, false },
		{ "10,4294967306;21,10", 2, false },
		{ "10,21;21,10", 65535, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tb_error err = { "" };
		unsigned *distances = tb_distances_parse(table[i].text,
							 table[i].count, &err);

		if (!distances != !table[i].right)
			fail_msg("\"%s\" for %u: %s", table[i].text,
				 table[i].count, err.text);
		assert_int_equal(!distances, err.text[0] != '\0');
		free(distances);
	}
}

static void test_nothing_between_none(void **state)
{
	struct tb_error err = { "" };

	(void)state;
	assert_null(tb_distances_parse("10", 0, &err));
	assert_non_null(strstr(err.text, "has no NUMA nodes"));
}

static void test_print(void **state)
{
	static const unsigned two[] = { 10, 21, 32, 10 };
	unsigned *again;
	char *text = tb_distances_print(two, 2, NULL);

	(void)state;
	assert_string_equal(text, "10,21;32,10");
	again = tb_distances_parse(text, 2, NULL);
	assert_memory_equal(again, two, sizeof(two));
	free(again);
	free(text);
	assert_null(tb_distances_print((const unsigned[]){ 65536 }, 1, NULL));
}

/* A matrix with one number everywhere. */
static char *print_large(unsigned count, unsigned distance)
{
	size_t total = (size_t)count * count;
	unsigned *distances = calloc(total, sizeof(*distances));
	char *text;

	assert_non_null(distances);
	for (size_t i = 0; i < total; i++)
		distances[i] = distance;
	text = tb_distances_print(distances, count, NULL);
	free(distances);
	return text;
}

static void test_large(void **state)
{
	char *text = print_large(64, 255);

	(void)state;
	assert_non_null(text);
	assert_true(strlen(text) <= TB_DISTANCES_TEXT_MAX);
	free(text);
	assert_null(print_large(64, 65535));
	assert_null(print_large(1024, 10));
}

static void test_differ(void **state)
{
	static const unsigned equal[] = { 10, 20, 20, 20, 11, 20, 20, 20, 9 };
	static const unsigned near[] = { 10, 20, 20, 20, 10, 12, 20, 12, 10 };

	(void)state;
	assert_false(tb_distances_differ(near, 0));
	assert_false(tb_distances_differ(near, 1));
	assert_false(tb_distances_differ((unsigned[]){ 10, 21, 21, 10 }, 2));
	assert_true(tb_distances_differ((unsigned[]){ 10, 21, 22, 10 }, 2));
	/* How far a node is from itself does not count. */
	assert_false(tb_distances_differ(equal, 3));
	assert_true(tb_distances_differ(near, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_nothing_between_none),
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
