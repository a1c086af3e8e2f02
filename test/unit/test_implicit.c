/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tasks of implicitly bound jobs, against trying all numbers of them.
 */
#include "unit_test.h"

#include "core/plan/implicit.h"
#include "random_case.h"

#define CASES 2000
#define TASKS 9

struct node {
	char text[RANDOM_TEXT];
	struct tb_topology *topology;
	struct tb_placer *placer;
	struct tb_bitset *used;
	struct tb_request request;
};

static void make_node(struct random *random, struct node *node)
{
	static const char *const units[] = { "C", "E", "S", "X", "Y", "N" };
	struct random_shape shape = { 4 + random_below(random, 28), false };

	random_topology(random, &shape, node->text);
	random_use(random, random_below(random, 60), node->text);
	node->topology = tb_topology_parse(node->text, &node->used, NULL);
	assert_non_null(node->topology);
	node->placer = tb_placer_create(node->topology);
	tb_request_init(&node->request);
	assert_int_equal(tb_request_set(&node->request, "bunit",
					units[random_below(random, 6)], NULL),
			 0);
	assert_int_equal(tb_request_set(&node->request, "bamount", "1", NULL),
			 0);
}

static void clear_node(struct node *node)
{
	tb_request_clear(&node->request);
	tb_placer_destroy(node->placer);
	tb_bitset_destroy(node->used);
	tb_topology_destroy(node->topology);
}

/* With so many units for them together. */
static bool units_fit(struct node *node, uint32_t units)
{
	struct tb_request together = node->request; /* borrows */

	together.type = TB_HOST;
	together.amount = units;
	return tb_place(node->placer, &together, node->used, 1) > 0;
}

/* The CPUs of the first unit, counted up. */
static uint32_t find_units(struct node *node, uint32_t task_cpus)
{
	uint32_t cpus, units = 0;

	if (tb_place(node->placer, &node->request, node->used, 1) < 1)
		return 0;
	cpus = tb_bitset_count(tb_placed_threads(node->placer));
	while (units * cpus < task_cpus)
		units++;
	return units;
}

static void check_node(struct node *node, uint32_t task_cpus, unsigned *some)
{
	/* Each thread is booked by itself. */
	const struct tb_books books = { true, 1, 1 };
	uint32_t units = find_units(node, task_cpus), most = 0, got, placed;

	while (units && most < TASKS && units_fit(node, (most + 1) * units))
		most++;
	placed = tb_implicit_place(node->placer, &node->request, &books,
				   node->used, task_cpus, TASKS, &got);
	assert_int_equal(placed, most);
	assert_int_equal(got, units);
	if (!placed)
		return;
	++*some;
	assert_int_equal(tb_placed_groups(node->placer), 1);
	assert_true(tb_bitset_count(tb_placed_threads(node->placer)) > 0);
	assert_false(tb_bitset_intersects(tb_placed_threads(node->placer),
					  node->used));
}

static void test_all_numbers(void **state)
{
	struct random random = { 2211 };
	unsigned some = 0;

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		struct node node;

		make_node(&random, &node);
		check_node(&node, 1 + random_below(&random, 6), &some);
		clear_node(&node);
	}
	assert_in_range(some, CASES / 5, CASES);
}

/* So many fit together, so many each by itself; what was placed last. */
struct room {
	uint32_t together, apart, placed;
	bool was_apart;
};

static bool fit_together(void *arg, uint32_t tasks)
{
	struct room *room = arg;

	room->placed = tasks;
	room->was_apart = false;
	return tasks <= room->together;
}

static uint32_t fit_apart(void *arg, uint32_t tasks)
{
	struct room *room = arg;

	room->placed = room->apart < tasks ? room->apart : tasks;
	room->was_apart = true;
	return room->placed;
}

static void check_room(struct room room, uint32_t most, bool near,
		       uint32_t tasks)
{
	const struct tb_implicit_tasks how = { .units = 2,
					       .available = 13,
					       .most = most,
					       .near = near,
					       .together = fit_together,
					       .apart = fit_apart,
					       .arg = &room };
	uint32_t wanted = tasks < 6 ? tasks : 6, apart;
	bool is_apart;

	apart = room.apart < tasks ? room.apart : tasks;
	wanted = wanted < room.together ? wanted : room.together;
	wanted = wanted < most ? wanted : most;
	is_apart = near && wanted < most && wanted < (tasks < 6 ? tasks : 6) &&
		   apart > wanted;
	assert_int_equal(tb_implicit_place_tasks(&how, tasks),
			 is_apart ? apart : wanted);
	if (is_apart || wanted) {
		assert_int_equal(room.placed, is_apart ? apart : wanted);
		assert_int_equal(room.was_apart, is_apart);
	}
}

static void test_together_or_apart(void **state)
{
	(void)state;
	for (uint32_t together = 0; together < 8; together++)
		for (uint32_t apart = 0; apart < 8; apart++)
			for (uint32_t tasks = 1; tasks < 8; tasks++)
				for (uint32_t most = 0; most < 8; most++) {
					struct room room = { together, apart, 0,
							     false };

					check_room(room, most, true, tasks);
					check_room(room, UINT32_MAX, false,
						   tasks);
				}
}

static void test_units(void **state)
{
	(void)state;
	assert_int_equal(tb_implicit_units(1, 1), 1);
	assert_int_equal(tb_implicit_units(4, 2), 2);
	assert_int_equal(tb_implicit_units(5, 2), 3);
	assert_int_equal(tb_implicit_units(1, 48), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_numbers),
		cmocka_unit_test(test_together_or_apart),
		cmocka_unit_test(test_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
