/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many slots a job needs and where, against all ways to deal out its tasks.
 */
#include "unit_test.h"

#include "core/plan/asked.h"

#define MOST 5

/* Of all deals of the tasks: the most and the fewest that a node has. */
struct deals {
	uint32_t most, fewest, count;
	uint32_t hosts; /* fewest nodes */
};

static void deal_rest(struct deals *deals, uint32_t tasks, uint32_t limit,
		      uint32_t nodes, uint32_t of_first, uint32_t all)
{
	if (!nodes) {
		if (tasks)
			return;
		deals->count++;
		deals->most = of_first > deals->most ? of_first : deals->most;
		deals->fewest = of_first < deals->fewest ? of_first
							 : deals->fewest;
		deals->hosts = all < deals->hosts ? all : deals->hosts;
		return;
	}
	for (uint32_t here = 1; here <= limit && here <= tasks; here++)
		deal_rest(deals, tasks - here, limit, nodes - 1,
			  of_first ? of_first : here, all);
}

/* Each node has a task, and no more than --ntasks-per-node. */
static struct deals deal_all(const struct tb_asked *asked, uint32_t most_nodes)
{
	uint32_t limit = asked->tasks_per_node ? asked->tasks_per_node : MOST;
	struct deals deals = { .fewest = UINT32_MAX, .hosts = UINT32_MAX };

	for (uint32_t nodes = asked->min_nodes; nodes <= most_nodes; nodes++)
		deal_rest(&deals, asked->tasks, limit, nodes, 0, nodes);
	return deals;
}

static void check_deals(struct tb_asked *asked)
{
	struct deals deals = deal_all(asked, asked->max_nodes ? asked->max_nodes
							      : MOST);

	if (!deals.count)
		return;
	assert_int_equal(tb_asked_slots(asked), asked->tasks);
	assert_int_equal(tb_asked_slots_of_node(asked), deals.most);
	if (!asked->tasks_per_node)
		return;
	asked->task_cpus = 3;
	asked->node_cpus = 3 * asked->tasks_per_node;
	assert_int_equal(tb_asked_cpus_of_node(asked), 3 * deals.fewest);
	assert_in_range(tb_asked_least_hosts(asked), 1, deals.hosts);
	if (asked->min_nodes == 1)
		assert_int_equal(tb_asked_least_hosts(asked), deals.hosts);
}

/*
 * What is known before a start is so for each number of nodes on which the tasks can be:
 * each has one.
 */
static void check_known(struct tb_asked asked)
{
	uint32_t most = asked.max_nodes ? asked.max_nodes : MOST;
	uint32_t nodes, slots, numbers = 0, last = 0;

	asked.tasks_are_given = true;
	nodes = tb_asked_known_nodes(&asked);
	slots = tb_asked_known_slots(&asked);
	for (uint32_t i = asked.min_nodes; i <= most && i <= asked.tasks; i++) {
		numbers++;
		last = i;
	}
	if (!numbers)
		return;
	if (nodes)
		assert_true(numbers == 1 && nodes == last);
	if (slots)
		assert_int_equal(slots, asked.tasks);
	if (asked.tasks_per_node)
		return;
	assert_int_equal(nodes != 0, numbers == 1);
	assert_int_equal(slots, asked.tasks);
	asked.overcommit = true;
	/* The tasks of a node share a slot. */
	assert_int_equal(tb_asked_known_slots(&asked),
			 tb_asked_known_nodes(&asked));
}

static void test_known(void **state)
{
	struct tb_asked asked = { .min_nodes = 1, .tasks = 1 };

	(void)state;
	/* Nothing is said: one node.  Then how many at most. */
	assert_int_equal(tb_asked_known_nodes(&asked), 1);
	assert_int_equal(tb_asked_known_slots(&asked), 1);
	asked.max_nodes = 2;
	assert_int_equal(tb_asked_known_nodes(&asked), 0);
	assert_int_equal(tb_asked_known_slots(&asked), 0);
	asked.min_nodes = 2;
	assert_int_equal(tb_asked_known_nodes(&asked), 2);
	assert_int_equal(tb_asked_known_slots(&asked), 2);
	asked.tasks_per_node = 3;
	asked.tasks = 6;
	assert_int_equal(tb_asked_known_slots(&asked), 6);
	asked = (struct tb_asked){ .min_nodes = 1, .required = 3, .tasks = 3 };
	assert_int_equal(tb_asked_known_nodes(&asked), 3);
}

static void test_all_deals(void **state)
{
	(void)state;
	for (uint32_t tasks = 1; tasks <= MOST; tasks++)
		for (uint32_t each = 0; each <= MOST; each++)
			for (uint32_t least = 1; least <= MOST; least++)
				for (uint32_t most = 0; most <= MOST; most++) {
					struct tb_asked asked = {
						.tasks = tasks,
						.tasks_per_node = each,
						.min_nodes = least,
						.max_nodes = most,
					};

					check_deals(&asked);
					check_known(asked);
				}
}

static void test_no_number_of_tasks(void **state)
{
	struct tb_asked asked = { .min_nodes = 3 };

	(void)state;
	assert_int_equal(tb_asked_slots(&asked), 3);
	asked.tasks_per_node = 2;
	assert_int_equal(tb_asked_slots(&asked), 6);
	assert_int_equal(tb_asked_slots_of_node(&asked), 2);
	assert_int_equal(tb_asked_slots_of_each(&asked), 2);
	assert_int_equal(tb_asked_exact_slots(&asked), 0);
	/* Fewer tasks than nodes: each has one all the same. */
	asked = (struct tb_asked){ .min_nodes = 3, .tasks = 2 };
	assert_int_equal(tb_asked_slots(&asked), 3);
	asked = (struct tb_asked){ .required = 4, .tasks = 2 };
	assert_int_equal(tb_asked_slots(&asked), 4);
}

static void test_exact_number(void **state)
{
	struct tb_asked asked = { .min_nodes = 1,
				  .tasks = 5,
				  .tasks_per_node = 2,
				  .tasks_are_given = true };

	(void)state;
	assert_int_equal(tb_asked_exact_slots(&asked), 5);
	assert_int_equal(tb_asked_slots_of_each(&asked), 2);
	asked.may_be_fewer = true;
	assert_int_equal(tb_asked_slots_of_each(&asked), 0);
	assert_int_equal(tb_asked_most_nodes(&asked, 9), 5);
	assert_int_equal(tb_asked_most_nodes(&asked, 4), 4);
	/* What clients make of -N3 --ntasks-per-node=2. */
	asked.tasks = 6;
	asked.min_nodes = 3;
	assert_int_equal(tb_asked_exact_slots(&asked), 0);
	assert_int_equal(tb_asked_slots_of_each(&asked), 2);
	assert_int_equal(tb_asked_most_nodes(&asked, 9), 9);
}

static void test_overcommit(void **state)
{
	struct tb_asked asked = { .min_nodes = 2,
				  .tasks = 9,
				  .tasks_per_node = 4,
				  .overcommit = true };

	(void)state;
	assert_int_equal(tb_asked_slots(&asked), 2);
	assert_int_equal(tb_asked_slots_of_node(&asked), 1);
	assert_int_equal(tb_asked_slots_of_each(&asked), 0);
	assert_int_equal(tb_asked_least_hosts(&asked), 0);
	assert_int_equal(tb_asked_cpus_on_one(&asked, 1), UINT32_MAX);
}

static void test_one_node(void **state)
{
	struct tb_asked asked = { .min_nodes = 1, .tasks = 4, .task_cpus = 3 };

	(void)state;
	assert_int_equal(tb_asked_cpus_on_one(&asked, 1), 12);
	assert_int_equal(tb_asked_cpus_on_one(&asked, 2), UINT32_MAX);
	/* --mincpus is not what Slurm makes of tasks. */
	asked.node_cpus = 7;
	assert_int_equal(tb_asked_cpus_of_node(&asked), 7);
}

static void test_asked_in_part(void **state)
{
	struct tb_asked asked = { .min_nodes = 2, .tasks = 9, .in_part = true };

	(void)state;
	assert_int_equal(tb_asked_slots(&asked), 2);
	asked.tasks_per_node = 3;
	assert_int_equal(tb_asked_slots(&asked), 6);
	assert_int_equal(tb_asked_least_hosts(&asked), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_deals),
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_no_number_of_tasks),
		cmocka_unit_test(test_exact_number),
		cmocka_unit_test(test_overcommit),
		cmocka_unit_test(test_one_node),
		cmocka_unit_test(test_asked_in_part),
	};

	return cmocka_run_group_tests_name("asked", tests, NULL, NULL);
}
