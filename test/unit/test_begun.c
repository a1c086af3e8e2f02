/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which jobs began since a node told of its load. */
#include "unit_test.h"

#include "core/policy/allocation.h"
#include "core/policy/begun.h"

#define JOBS 40

static void counts_what_began_since(void **state)
{
	struct tb_begun_jobs jobs = { NULL };
	struct tb_begun first = { .at = 100, .cpus = 4 };
	struct tb_begun second = { .at = 110, .cpus = 2 };
	struct tb_begun third = { .at = 110, .cpus = 1 };

	(void)state;
	assert_int_equal(tb_begun_since(&jobs, 0), 0);
	tb_begun_add(&jobs, &first);
	tb_begun_add(&jobs, &second);
	tb_begun_add(&jobs, &third);
	assert_int_equal(tb_begun_since(&jobs, 0), 7);
	/* In the second of the report: it can be before or after it. */
	assert_int_equal(tb_begun_since(&jobs, 100), 7);
	assert_int_equal(tb_begun_since(&jobs, 101), 3);
	assert_int_equal(tb_begun_since(&jobs, 110), 3);
	assert_int_equal(tb_begun_since(&jobs, 111), 0);
	tb_begun_remove(&jobs, &second);
	assert_int_equal(tb_begun_since(&jobs, 101), 1);
	tb_begun_remove(&jobs, &third);
	tb_begun_remove(&jobs, &first);
	assert_int_equal(tb_begun_since(&jobs, 0), 0);
}

static uint64_t add_up(const struct tb_begun *list, const bool *in,
		       int64_t since)
{
	uint64_t cpus = 0;

	for (unsigned i = 0; i < JOBS; i++)
		if (in[i] && list[i].at >= since)
			cpus += list[i].cpus;
	return cpus;
}

/* As when the job list is read again, and as jobs begin and end. */
static void any_order_is_the_same(void **state)
{
	struct tb_begun_jobs jobs = { NULL };
	struct tb_begun list[JOBS];
	bool in[JOBS] = { false };

	(void)state;
	for (unsigned i = 0; i < JOBS; i++)
		list[i] = (struct tb_begun){
			.at = (int64_t)(20 * tb_allocation_chance(1, i)),
			.cpus = 1 + i,
		};
	for (unsigned turn = 0; turn < 2000; turn++) {
		unsigned i = (unsigned)(JOBS * tb_allocation_chance(2, turn));
		int64_t since = turn % 22;

		if (in[i])
			tb_begun_remove(&jobs, &list[i]);
		else
			tb_begun_add(&jobs, &list[i]);
		in[i] = !in[i];
		assert_int_equal(tb_begun_since(&jobs, since),
				 add_up(list, in, since));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_what_began_since),
		cmocka_unit_test(any_order_is_the_same),
	};

	return cmocka_run_group_tests_name("begun", tests, NULL, NULL);
}
