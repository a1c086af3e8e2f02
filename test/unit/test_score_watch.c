/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a policy of the site's own may not go on. */
#include "unit_test.h"

#include <math.h>

#include "core/policy/score_watch.h"

static int add(struct tb_score_watch *watch, double score, uint64_t time)
{
	struct tb_error why = { .text = "" };
	int rc = tb_score_watch_add(watch, score, "n1", time, &why);

	assert_int_equal(rc, why.text[0] ? -1 : 0);
	return rc;
}

static void wants_numbers(void **state)
{
	struct tb_score_watch watch = { .calls = 0 };

	(void)state;
	assert_int_equal(add(&watch, 0, 100), 0);
	assert_int_equal(add(&watch, -1e300, 100), 0);
	assert_int_equal(add(&watch, NAN, 100), -1);
	assert_int_equal(add(&watch, INFINITY, 100), -1);
	assert_int_equal(add(&watch, -INFINITY, 100), -1);
	assert_int_equal(watch.calls, 5);
	assert_int_equal(watch.time, 500);
}

static void forgives_two_long_calls(void **state)
{
	struct tb_score_watch watch = { .calls = 0 };

	(void)state;
	for (int round = 0; round < 2; round++) {
		assert_int_equal(add(&watch, 1, TB_SCORE_LONG), 0);
		assert_int_equal(add(&watch, 1, TB_SCORE_LONG - 1), 0);
		assert_int_equal(add(&watch, 1, TB_SCORE_STUCK - 1), 0);
		while (watch.calls % TB_SCORE_MEAN_CALLS)
			assert_int_equal(add(&watch, 1, 100), 0);
	}
	assert_int_equal(add(&watch, 1, TB_SCORE_LONG), 0);
	assert_int_equal(add(&watch, 1, TB_SCORE_LONG), 0);
	assert_int_equal(add(&watch, 1, TB_SCORE_LONG), -1);
}

static void forgives_no_stuck_call(void **state)
{
	struct tb_score_watch watch = { .calls = 0 };

	(void)state;
	assert_int_equal(add(&watch, 1, TB_SCORE_STUCK - 1), 0);
	assert_int_equal(add(&watch, 1, TB_SCORE_STUCK), -1);
}

/* Each of them is short, all of them are too long; then it begins anew. */
static void counts_all_of_them(void **state)
{
	struct tb_score_watch watch = { .calls = 0 };
	unsigned calls = 0;

	(void)state;
	for (int i = 0; i < 3 * TB_SCORE_MEAN_CALLS; i++)
		assert_int_equal(add(&watch, 1, TB_SCORE_MEAN), 0);
	watch = (struct tb_score_watch){ .calls = 0 };
	while (!add(&watch, 1, 2 * TB_SCORE_MEAN))
		calls++;
	assert_int_equal(calls, TB_SCORE_MEAN_CALLS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wants_numbers),
		cmocka_unit_test(forgives_two_long_calls),
		cmocka_unit_test(forgives_no_stuck_call),
		cmocka_unit_test(counts_all_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
