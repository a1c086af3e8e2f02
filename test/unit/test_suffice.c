/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many slots nodes hold together, against all sets of nodes.
 */
#include "unit_test.h"

#include "core/plan/suffice.h"
#include "random_case.h"

#define CASES 20000
#define MOST_NODES 7

/* Of all sets with all required nodes and no more than allowed; 0: there is none. */
static uint64_t find_most(const struct tb_node_slots *list, uint32_t count,
			  uint32_t max_nodes)
{
	uint64_t most = 0;

	for (unsigned set = 0; set < 1u << count; set++) {
		uint32_t nodes = 0;
		uint64_t sum = 0;
		bool all = true;

		for (uint32_t i = 0; i < count; i++) {
			bool here = set >> i & 1;

			nodes += here;
			sum += here ? list[i].slots : 0;
			all = all && (here || !list[i].required);
		}
		if (all && nodes <= max_nodes && sum > most)
			most = sum;
	}
	return most;
}

static uint64_t sum_required(const struct tb_node_slots *list, uint32_t count)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += list[i].required ? list[i].slots : 0;
	return sum;
}

static void test_all_sets(void **state)
{
	struct random random = { 20261125 };

	(void)state;
	for (unsigned round = 0; round < CASES; round++) {
		struct tb_node_slots list[MOST_NODES];
		uint32_t count = random_below(&random, MOST_NODES + 1);
		uint32_t required = 0, most_nodes, missing;
		uint64_t wanted;

		for (uint32_t i = 0; i < count; i++) {
			list[i].slots = random_below(&random, 5);
			list[i].required = random_percent(&random, 20);
			required += list[i].required;
		}
		/* slurmctld asks about no fewer nodes than are required. */
		most_nodes = required + random_below(&random, MOST_NODES);
		missing = random_percent(&random, 10);
		wanted = missing ? sum_required(list, count)
				 : find_most(list, count, most_nodes);
		assert_int_equal(tb_most_slots(list, count, required + missing,
					       most_nodes),
				 wanted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
