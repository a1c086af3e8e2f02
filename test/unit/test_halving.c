/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Halving, against asking all numbers one by one; and how often it asks.
 */
#include "unit_test.h"

#include "core/plan/halving.h"

#define LAST 70u

struct question {
	uint32_t limit;
	bool above; /* fits from limit on, else up to it */
	unsigned asked;
};

static bool fits(void *arg, uint32_t number)
{
	struct question *question = arg;

	question->asked++;
	return question->above ? number >= question->limit
			       : number <= question->limit;
}

static uint32_t find_least_of_all(struct question question, uint32_t first,
				  uint32_t last)
{
	while (first < last && !fits(&question, first))
		first++;
	return first;
}

static uint32_t find_most_of_all(struct question question, uint32_t first,
				 uint32_t last)
{
	while (last > first && !fits(&question, last))
		last--;
	return last;
}

static unsigned log2_up(uint32_t number)
{
	unsigned log = 0;

	while (1u << log < number)
		log++;
	return log;
}

static void test_least(void **state)
{
	(void)state;
	for (uint32_t first = 0; first < LAST; first++)
		for (uint32_t last = first; last < LAST; last++)
			for (uint32_t limit = 0; limit <= last; limit++) {
				struct question question = { limit, true, 0 };

				assert_int_equal(tb_halve_least(fits, &question,
								first, last,
								UINT32_MAX),
						 find_least_of_all(question,
								   first,
								   last));
				assert_true(question.asked <=
					    log2_up(last - first + 1));
			}
}

/* After too few questions it fits, and is not less than the least. */
static void test_few_questions(void **state)
{
	(void)state;
	for (uint32_t limit = 0; limit < LAST; limit++)
		for (uint32_t questions = 0; questions < 8; questions++) {
			struct question question = { limit, true, 0 };
			uint32_t found = tb_halve_least(fits, &question, 0,
							LAST, questions);

			assert_true(question.asked <= questions);
			assert_true(found >= limit);
			assert_true(found - limit <= LAST >> questions);
		}
}

static void test_most(void **state)
{
	(void)state;
	for (uint32_t first = 0; first < LAST; first++)
		for (uint32_t last = first; last < LAST; last++)
			for (uint32_t limit = first; limit < LAST; limit++) {
				struct question question = { limit, false, 0 };

				assert_int_equal(tb_halve_most(fits, &question,
							       first, last),
						 find_most_of_all(question,
								  first, last));
				assert_true(question.asked <=
					    1 + log2_up(last - first + 1));
				/* What mostly fits costs one question. */
				if (limit >= last)
					assert_true(question.asked <= 1);
			}
}

/* Fits for even numbers: the result fits, and the next one does not. */
static bool is_even(void *arg, uint32_t number)
{
	(void)arg;
	return number % 2 == 0;
}

static void test_not_monotone(void **state)
{
	(void)state;
	for (uint32_t last = 0; last < LAST; last++)
		assert_int_equal(tb_halve_most(is_even, NULL, 0, last) % 2, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_least),
		cmocka_unit_test(test_few_questions),
		cmocka_unit_test(test_most),
		cmocka_unit_test(test_not_monotone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
