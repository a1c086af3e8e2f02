/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes that hold the slots and the devices of a job, against all ways to give a few
 * nodes a few of them.
 */
#include "unit_test.h"

#include <stdbool.h>

#include "core/plan/reach.h"
#include "core/plan/reach_groups.h"

#define NODES 4
#define DEVICES 3
#define SLOTS 5
#define GROUPS 3
#define ROUNDS 40000

static uint32_t state = 1;

static uint32_t below(uint32_t number)
{
	state = state * 1103515245 + 12345;
	return (state >> 16) % number;
}

struct world {
	uint32_t count;
	struct tb_reach_range with[NODES][DEVICES + 1];
	struct tb_reach_node nodes[NODES];
	struct tb_reach_job job;
};

static void make_world(struct world *world)
{
	memset(world, 0, sizeof(*world));
	world->count = 1 + below(NODES);
	for (uint32_t i = 0; i < world->count; i++) {
		struct tb_reach_node *node = &world->nodes[i];

		node->required = !below(5);
		node->group = below(GROUPS);
		node->devices = below(DEVICES + 1);
		node->with = world->with[i];
		for (uint32_t d = 0; d <= node->devices; d++) {
			uint32_t least = 1 + below(SLOTS);

			if (below(3))
				world->with[i][d] = (struct tb_reach_range){
					least, least + below(SLOTS - least + 1)
				};
		}
	}
	world->job.min_nodes = 1 + below(2);
	world->job.max_nodes = world->job.min_nodes + below(NODES);
	world->job.slots = below(NODES * SLOTS);
	world->job.devices = below(NODES * DEVICES);
}

/* The fewest nodes, from this one on, with the rest; UINT32_MAX: none will do. */
static uint32_t find_fewest(const struct world *world, uint32_t node,
			    uint32_t taken, uint32_t slots, uint32_t devices)
{
	const struct tb_reach_node *own = &world->nodes[node];
	uint32_t fewest = UINT32_MAX, other;

	if (node == world->count)
		return slots == world->job.slots &&
				       devices == world->job.devices &&
				       taken >= world->job.min_nodes &&
				       taken <= world->job.max_nodes
			       ? taken
			       : UINT32_MAX;
	if (!own->required)
		fewest = find_fewest(world, node + 1, taken, slots, devices);
	for (uint32_t d = 0; d <= own->devices; d++)
		for (uint32_t s = own->with[d].least;
		     own->with[d].most && s <= own->with[d].most; s++) {
			other = find_fewest(world, node + 1, taken + 1,
					    world->job.slots ? slots + s : 0,
					    devices + d);
			fewest = other < fewest ? other : fewest;
		}
	return fewest;
}

static void check_nodes(const struct world *world, uint32_t fewest)
{
	uint32_t taken = 0, slots = 0, devices = 0;

	for (uint32_t i = 0; i < world->count; i++) {
		const struct tb_reach_node *node = &world->nodes[i];

		if (!node->slots) {
			assert_false(node->required);
			continue;
		}
		assert_in_range(node->has, 0, node->devices);
		assert_in_range(node->slots, node->with[node->has].least,
				node->with[node->has].most);
		taken++;
		slots += node->slots;
		devices += node->has;
	}
	assert_int_equal(taken, fewest);
	assert_int_equal(devices, world->job.devices);
	if (world->job.slots)
		assert_int_equal(slots, world->job.slots);
}

static void test_all_ways(void **unused)
{
	uint32_t reached = 0;

	(void)unused;
	for (uint32_t i = 0; i < ROUNDS; i++) {
		struct world world;
		uint32_t fewest;

		make_world(&world);
		fewest = find_fewest(&world, 0, 0, 0, 0);
		assert_int_equal(tb_reach(world.nodes, world.count, &world.job),
				 fewest == UINT32_MAX ? TB_NOT_REACHED
						      : TB_REACHED);
		if (fewest == UINT32_MAX)
			continue;
		check_nodes(&world, fewest);
		reached++;
	}
	assert_in_range(reached, ROUNDS / 20, ROUNDS / 2);
}

/* --- groups ------------------------------------------------------------------- */

static uint32_t count_groups(uint32_t set)
{
	uint32_t count = 0;

	for (; set; set >>= 1)
		count += set & 1;
	return count;
}

/* The fewest nodes of these groups alone. */
static uint32_t find_fewest_in(const struct world *world, uint32_t groups)
{
	struct world some = *world;

	some.count = 0;
	for (uint32_t i = 0; i < world->count; i++) {
		bool in = groups >> world->nodes[i].group & 1;

		if (!in && world->nodes[i].required)
			return UINT32_MAX;
		if (!in)
			continue;
		memcpy(some.with[some.count], world->with[i],
		       sizeof(some.with[0]));
		some.nodes[some.count] = world->nodes[i];
		some.nodes[some.count].with = some.with[some.count];
		some.count++;
	}
	return find_fewest(&some, 0, 0, 0, 0);
}

/* So few groups have nodes that suffice; GROUPS + 1: not even all of them. */
static uint32_t find_fewest_groups(const struct world *world)
{
	uint32_t fewest = GROUPS + 1;

	for (uint32_t groups = 1; groups < 1u << GROUPS; groups++)
		if (count_groups(groups) < fewest &&
		    find_fewest_in(world, groups) != UINT32_MAX)
			fewest = count_groups(groups);
	return fewest;
}

static uint32_t groups_of_result(const struct world *world)
{
	uint32_t groups = 0;

	for (uint32_t i = 0; i < world->count; i++)
		if (world->nodes[i].slots)
			groups |= 1u << world->nodes[i].group;
	return groups;
}

static void test_groups(void **unused)
{
	uint32_t reached = 0;

	(void)unused;
	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint32_t most = 1 + below(GROUPS), fewest, groups;
		struct world world;

		make_world(&world);
		fewest = find_fewest_groups(&world);
		assert_int_equal(tb_reach_in_groups(world.nodes, world.count,
						    &world.job, GROUPS, most),
				 fewest <= most ? TB_REACHED : TB_NOT_REACHED);
		if (fewest > most)
			continue;
		groups = groups_of_result(&world);
		assert_int_equal(count_groups(groups), fewest);
		check_nodes(&world, find_fewest_in(&world, groups));
		reached++;
	}
	assert_in_range(reached, ROUNDS / 20, ROUNDS / 2);
}

/* Some nodes of these groups: do they have the job's slots, as many as they can? */
static bool some_suffice(const struct world *world, uint32_t groups)
{
	for (uint32_t set = 0; set < 1u << world->count; set++) {
		uint32_t taken = 0, slots = 0;
		bool all = true;

		for (uint32_t i = 0; i < world->count; i++) {
			const struct tb_reach_node *node = &world->nodes[i];
			bool in = set >> i & 1;

			all = all && (in ? world->with[i][0].most &&
						      groups >> node->group & 1
					 : !node->required);
			taken += in;
			slots += in ? world->with[i][0].most : 0;
		}
		if (all && taken >= world->job.min_nodes &&
		    taken <= world->job.max_nodes && slots >= world->job.slots)
			return true;
	}
	return false;
}

static void test_few_groups(void **unused)
{
	uint32_t reached = 0;

	(void)unused;
	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint32_t most = 1 + below(GROUPS), fewest = GROUPS + 1, groups;
		struct world world;

		make_world(&world);
		for (uint32_t set = 1; set < 1u << GROUPS; set++)
			if (count_groups(set) < fewest &&
			    some_suffice(&world, set))
				fewest = count_groups(set);
		assert_int_equal(tb_reach_few_groups(world.nodes, world.count,
						     &world.job, GROUPS, most),
				 fewest <= most ? TB_REACHED : TB_NOT_REACHED);
		if (fewest > most)
			continue;
		groups = groups_of_result(&world);
		assert_in_range(count_groups(groups), 1, fewest);
		assert_true(some_suffice(&world, groups));
		for (uint32_t k = 0; k < world.count; k++)
			assert_int_equal(world.nodes[k].slots,
					 groups >> world.nodes[k].group & 1
						 ? world.with[k][0].most
						 : 0);
		reached++;
	}
	assert_in_range(reached, ROUNDS / 20, ROUNDS / 2);
}

/* More choices than are looked at: nobody knows. */
static void test_many_groups(void **unused)
{
	const struct tb_reach_range with = { 1, 1 };
	struct tb_reach_node nodes[64] = { 0 };
	struct tb_reach_job job = { .min_nodes = 1,
				    .max_nodes = 4,
				    .slots = 4 };

	(void)unused;
	for (uint32_t i = 0; i < 64; i++) {
		nodes[i].with = &with;
		nodes[i].group = i;
	}
	assert_int_equal(tb_reach_in_groups(nodes, 64, &job, 64, 1),
			 TB_NOT_REACHED);
	assert_int_equal(tb_reach_in_groups(nodes, 64, &job, 64, 4),
			 TB_REACH_UNKNOWN);
	nodes[63].group = nodes[62].group = nodes[61].group = 60;
	assert_int_equal(tb_reach_in_groups(nodes, 64, &job, 64, 4),
			 TB_REACHED);
	assert_int_equal(nodes[60].slots, 1);
	assert_int_equal(nodes[0].slots, 0);
}

/* --- limits ------------------------------------------------------------------- */

/* Sums of several words. */
static void test_many_slots(void **unused)
{
	const struct tb_reach_range with[] = { { 1, 60 }, { 40, 60 } };
	struct tb_reach_node nodes[] = { { .devices = 1, .with = with },
					 { .devices = 1, .with = with },
					 { .devices = 1, .with = with } };
	struct tb_reach_job job = { 1, 3, 150, 2 };

	(void)unused;
	assert_int_equal(tb_reach(nodes, 3, &job), TB_REACHED);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(nodes[i].slots, 50);
	job.slots = 181;
	assert_int_equal(tb_reach(nodes, 3, &job), TB_NOT_REACHED);
	job = (struct tb_reach_job){ 3, 3, 80, 2 };
	assert_int_equal(tb_reach(nodes, 3, &job), TB_NOT_REACHED);
	job.slots = 81;
	assert_int_equal(tb_reach(nodes, 3, &job), TB_REACHED);
	assert_int_equal(nodes[0].has + nodes[1].has + nodes[2].has, 2);
}

/* What jobs and clusters have is not too much. */
static void test_many_nodes(void **unused)
{
	enum { COUNT = 100 };
	struct tb_reach_range with[DEVICES + 1];
	struct tb_reach_node nodes[COUNT] = { 0 };
	struct tb_reach_job job = { .min_nodes = 8,
				    .max_nodes = 8,
				    .slots = 56,
				    .devices = 8 * DEVICES };

	(void)unused;
	for (uint32_t d = 0; d <= DEVICES; d++)
		with[d] = (struct tb_reach_range){ 1, 8 };
	for (uint32_t i = 0; i < COUNT; i++) {
		nodes[i].devices = DEVICES;
		nodes[i].with = with;
	}
	assert_int_equal(tb_reach(nodes, COUNT, &job), TB_REACHED);
	for (uint32_t i = 0; i < COUNT; i++)
		assert_int_equal(nodes[i].slots, i < 8 ? 7 : 0);
	job.devices++;
	assert_int_equal(tb_reach(nodes, COUNT, &job), TB_NOT_REACHED);
}

static void test_too_much(void **unused)
{
	const struct tb_reach_range with = { 1, UINT32_MAX };
	struct tb_reach_node node = { .with = &with };
	const struct tb_reach_job job = { 1, 1, UINT32_MAX, 0 };
	const struct tb_reach_job more = { 1, 1, 1, UINT32_MAX };

	(void)unused;
	assert_int_equal(tb_reach(&node, 1, &job), TB_REACH_UNKNOWN);
	assert_int_equal(tb_reach(&node, 1, &more), TB_REACH_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_ways),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_few_groups),
		cmocka_unit_test(test_many_groups),
		cmocka_unit_test(test_many_slots),
		cmocka_unit_test(test_many_nodes),
		cmocka_unit_test(test_too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
