/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search for the first end after which a request fits, against asking about all
 * of them; and how often it asks.
 */
#include "unit_test.h"

#include "core/plan/ends.h"

#define MOST (TB_ENDS_ONE_BY_ONE + 40u)

struct table {
	bool fits[MOST + 1];
	unsigned asked;
};

static bool fits(void *arg, uint32_t number)
{
	struct table *table = arg;

	table->asked++;
	return table->fits[number];
}

/* MOST + 1: after none of so many ends. */
static uint32_t find_first(const struct table *table, uint32_t count)
{
	for (uint32_t number = 0; number <= count; number++)
		if (table->fits[number])
			return number;
	return MOST + 1;
}

static void assert_found(const struct tb_request *request, struct table *table,
			 uint32_t count)
{
	uint32_t ended, wanted = find_first(table, count);
	bool found = tb_ends_find(request, fits, table, count, &ended);

	assert_int_equal(found, wanted <= MOST);
	if (found)
		assert_int_equal(ended, wanted);
}

/* What fits after some ends fits after more. */
static void test_no_window(void **state)
{
	struct tb_request request;

	(void)state;
	tb_request_init(&request);
	for (uint32_t count = 0; count <= MOST; count++)
		for (uint32_t first = 0; first <= count + 1; first++) {
			struct table table = { .asked = 0 };

			for (uint32_t i = first; i <= count; i++)
				table.fits[i] = true;
			assert_found(&request, &table, count);
			assert_true(table.asked <= 2 + 8);
		}
}

/* A window can be there after some ends only. */
static void test_window(void **state)
{
	struct tb_request request;
	unsigned random = 1;

	(void)state;
	tb_request_init(&request);
	for (unsigned round = 0; round < 4000; round++) {
		struct table table = { .asked = 0 };
		uint32_t count = round % (TB_ENDS_ONE_BY_ONE + 1);

		request.start = round % 3 ? 'n' : '\0';
		request.stop = round % 3 == 1 ? '\0' : 'c';
		for (uint32_t i = 0; i <= count; i++) {
			random = random * 1103515245 + 12345;
			table.fits[i] = random >> 16 & 1 && i > round % 71;
		}
		assert_found(&request, &table, count);
		assert_true(table.asked <= TB_ENDS_ONE_BY_ONE + 1);
	}
}

/* Behind those that are looked at one by one: in a bounded number of questions. */
static void test_many_ends(void **state)
{
	struct tb_request request;

	(void)state;
	tb_request_init(&request);
	request.start = 'c';
	for (uint32_t first = 0; first <= MOST + 1; first++) {
		struct table table = { .asked = 0 };

		for (uint32_t i = first; i <= MOST; i++)
			table.fits[i] = true;
		assert_found(&request, &table, MOST);
		assert_true(table.asked <= TB_ENDS_ONE_BY_ONE + 10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_window),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_many_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
