/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices of tasks, on nodes that have some, against all ways to deal a few tasks out
 * over a few nodes.
 */
#include "unit_test.h"

#include <stdbool.h>

#include "core/plan/device_counts.h"
#include "random_case.h"

#define NODES 4
#define TASKS 8
#define ROUNDS 40000

static struct random chance = { 1 };

static uint32_t below(uint32_t number)
{
	return random_below(&chance, number);
}

struct world {
	struct tb_asked asked;
	struct tb_devices_asked devices;
	uint32_t count;
	struct tb_devices_node nodes[NODES];
};

static void make_world(struct world *world)
{
	memset(world, 0, sizeof(*world));
	world->asked = (struct tb_asked){ .tasks = 1 + below(TASKS),
					  .min_nodes = 1 + below(2),
					  .tasks_are_given = true,
					  .overcommit = below(2) };
	world->asked.max_nodes = world->asked.min_nodes + below(NODES);
	if (world->asked.tasks < world->asked.min_nodes)
		world->asked.tasks = world->asked.min_nodes;
	world->devices.per_task = 1 + below(3);
	world->count = 1 + below(NODES);
	for (uint32_t i = 0; i < world->count; i++)
		world->nodes[i] = (struct tb_devices_node){
			.tasks = world->asked.overcommit
					 ? below(4) ? world->asked.tasks : 0
					 : below(TASKS),
			.free = below(8),
			.required = !below(6),
		};
}

/* Can the nodes from this one on have the tasks, when so many have some already? */
static bool can_hold(const struct world *world, uint32_t node, uint32_t tasks,
		     uint32_t used)
{
	const struct tb_devices_node *own = &world->nodes[node];

	if (node == world->count)
		return !tasks && used >= world->asked.min_nodes &&
		       used <= world->asked.max_nodes;
	for (uint32_t here = own->required; here <= tasks && here <= own->tasks;
	     here++)
		if (here * world->devices.per_task <= own->free &&
		    can_hold(world, node + 1, tasks - here, used + (here > 0)))
			return true;
	return false;
}

static void test_tasks_have_devices_of_their_own(void **unused)
{
	uint32_t held = 0, overcommitted = 0;
	struct tb_reach_job job;
	struct world world;
	uint32_t each;
	bool expected;

	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		make_world(&world);
		job = tb_devices_job(&world.asked, false, &world.devices,
				     world.asked.min_nodes,
				     world.asked.max_nodes, &each);
		expected = can_hold(&world, 0, world.asked.tasks, 0);
		assert_int_equal(each, 0);
		assert_int_equal(tb_devices_suffice(&world.devices, &job, each,
						    world.nodes, world.count),
				 expected);
		held += expected;
		overcommitted += expected && world.asked.overcommit;
	}
	assert_true(held > ROUNDS / 20 && held < ROUNDS / 20 * 19);
	assert_true(overcommitted > ROUNDS / 50);
}

static void test_whose_tasks_are_counted(void **unused)
{
	const struct tb_devices_asked own = { .per_task = 1 },
				      together = { .per_job = 4 };
	struct tb_asked asked = { .tasks = 4, .overcommit = true };

	(void)unused;
	assert_true(tb_devices_count_tasks(&own, &asked));
	assert_false(tb_devices_count_tasks(&together, &asked));
	asked.overcommit = false;
	assert_false(tb_devices_count_tasks(&own, &asked));
}

static void test_tasks_of_each_device(void **unused)
{
	(void)unused;
	assert_int_equal(tb_devices_tasks_each(4, 2, 8, false), 2);
	assert_int_equal(tb_devices_tasks_each(4, 2, 7, false), 0);
	assert_int_equal(tb_devices_tasks_each(4, 2, 8, true), 0);
}

/* More nodes than devices for the job: each that has some can be the job's, with one. */
static void test_one_each(void **unused)
{
	const struct tb_devices_asked two = { .per_job = 2 };
	const struct tb_reach_range with[] = { { 1, 0 }, { 1, 4 }, { 1, 4 } };
	struct tb_reach_node nodes[3];
	struct tb_reach_job job = { .min_nodes = 3,
				    .max_nodes = 3,
				    .slots = 5,
				    .devices = 2 };

	(void)unused;
	for (int i = 0; i < 3; i++)
		nodes[i] = (struct tb_reach_node){ .devices = 2, .with = with };
	assert_int_equal(tb_reach(nodes, 3, &job), TB_NOT_REACHED);
	assert_true(tb_devices_ask_one_each(&two, nodes, 3, &job));
	assert_int_equal(job.devices, 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(nodes[i].devices, 0);
	assert_int_equal(tb_reach(nodes, 3, &job), TB_REACHED);
	assert_int_equal(nodes[0].slots + nodes[1].slots + nodes[2].slots, 5);
	job.max_nodes = 2;
	assert_false(tb_devices_ask_one_each(&two, nodes, 3, &job));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tasks_have_devices_of_their_own),
		cmocka_unit_test(test_whose_tasks_are_counted),
		cmocka_unit_test(test_tasks_of_each_device),
		cmocka_unit_test(test_one_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
