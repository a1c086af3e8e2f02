/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cores that select/cons_tres gives a job without a binding, as measured. */
#include "unit_test.h"

#include "core/replay/plain.h"

/* A character for each thread: "u" is in use, "x" is what the job gets. */
static void check_cores(const char *text, const char *in_use,
			struct tb_plain_tasks tasks, const char *expected)
{
	struct tb_topology *topology = tb_topology_parse(text, NULL, NULL);
	unsigned threads = tb_topology_threads(topology);
	struct tb_bitset *used = tb_bitset_create(threads);
	struct tb_bitset *taken = tb_bitset_create(threads);
	bool fits;

	for (unsigned i = 0; in_use[i]; i++)
		if (in_use[i] != '.')
			tb_bitset_set_range(used, i, 1);
	fits = tb_plain_cores(topology, 1, used, &tasks, taken);
	assert_int_equal(fits, expected != NULL);
	for (unsigned i = 0; expected && i < threads; i++)
		if (tb_bitset_test(taken, i) != (expected[i] == 'x'))
			fail_msg("%s, %s in use: thread %u", text, in_use, i);
	tb_bitset_destroy(used);
	tb_bitset_destroy(taken);
	tb_topology_destroy(topology);
}

static void test_cores_of_sockets_in_turn(void **state)
{
	(void)state;
	check_cores("SCCCCSCCCC", "........",
		    (struct tb_plain_tasks){ 3, 1, 0 }, "xx..x...");
	check_cores("SCCCCSCCCC", "uuu.....",
		    (struct tb_plain_tasks){ 4, 1, 0 }, "...xxxx.");
	check_cores("SCCCCSCCCC", "uuuuuu..",
		    (struct tb_plain_tasks){ 3, 1, 0 }, NULL);
}

static void test_tasks_in_one_socket(void **state)
{
	(void)state;
	check_cores("SCCCCSCCCC", "........",
		    (struct tb_plain_tasks){ 2, 2, 0 }, "xxxx....");
	check_cores("SCCCCSCCCC", "u.......",
		    (struct tb_plain_tasks){ 2, 2, 0 }, ".xx.xx..");
	check_cores("SCCCCSCCCC", "u...u...",
		    (struct tb_plain_tasks){ 3, 2, 0 }, ".xxx.xxx");
}

/* Of five free cores two tasks of two CPUs need the first four only. */
static void test_cores_of_whole_tasks(void **state)
{
	(void)state;
	check_cores("SCCCCSCCCC", "uu.....u",
		    (struct tb_plain_tasks){ 2, 2, 1 }, "..xxxx..");
	check_cores("SCCCCSCCCC", "u....uuu",
		    (struct tb_plain_tasks){ 2, 2, 1 }, ".xxxx...");
}

static void test_no_sockets(void **state)
{
	(void)state;
	check_cores("CCCC", "u...", (struct tb_plain_tasks){ 2, 1, 0 }, ".xx.");
	check_cores("CCCC", "u...", (struct tb_plain_tasks){ 1, 2, 1 }, ".xx.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cores_of_sockets_in_turn),
		cmocka_unit_test(test_tasks_in_one_socket),
		cmocka_unit_test(test_cores_of_whole_tasks),
		cmocka_unit_test(test_no_sockets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
