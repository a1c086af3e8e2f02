/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which tasks of a step may be moved, to which nodes, and their numbers then.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "step_layout.h"

#include "src/common/xmalloc.h"

#define NODES 3
#define TASKS 8
#define NO_PLANE NO_VAL16

struct freedom {
	uint32_t distribution;
	uint16_t ports;
	char *tres_per_task;
	bool is_free;
};

static const struct freedom freedoms[] = {
	{ SLURM_DIST_BLOCK, NO_VAL16, NULL, true },
	{ SLURM_DIST_CYCLIC, NO_VAL16, NULL, true },
	{ SLURM_DIST_CYCLIC_CYCLIC, NO_VAL16, NULL, true },
	{ SLURM_DIST_BLOCK, 0, NULL, true },
	{ SLURM_DIST_BLOCK, NO_VAL16, "cpu:2", true },
	{ SLURM_DIST_ARBITRARY, NO_VAL16, NULL, false },
	{ SLURM_DIST_PLANE, NO_VAL16, NULL, false },
	{ SLURM_DIST_PLANE | SLURM_DIST_NO_PACK_NODES, NO_VAL16, NULL, false },
	{ SLURM_DIST_BLOCK, 1, NULL, false },
	{ SLURM_DIST_BLOCK, NO_VAL16, "gres:gpu:1", false },
	{ SLURM_DIST_BLOCK, NO_VAL16, "cpu:2,gres:gpu:1", false },
};

static void tasks_that_may_be_moved(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(freedoms) / sizeof(*freedoms); i++) {
		slurm_step_layout_t layout = {
			.task_dist = freedoms[i].distribution,
		};
		step_record_t step = {
			.step_layout = &layout,
			.resv_port_cnt = freedoms[i].ports,
			.tres_per_task = freedoms[i].tres_per_task,
		};

		print_message("freedoms[%zu]\n", i);
		assert_int_equal(tb_step_layout_is_free(&step),
				 freedoms[i].is_free);
	}
}

struct fitting {
	uint16_t tasks[NODES]; /* where Slurm put them */
	uint32_t slots[NODES];
	uint16_t plane_size;
	bool fits;
	uint16_t wanted[NODES];
};

static const struct fitting fittings[] = {
	/* They stay where they fit, */
	{ { 2, 1, 1 }, { 2, 1, 1 }, NO_PLANE, true, { 2, 1, 1 } },
	{ { 2, 1, 1 }, { 4, 4, 4 }, NO_PLANE, true, { 2, 1, 1 } },
	/* the others go to the nodes in turns, */
	{ { 3, 1, 1 }, { 2, 1, 2 }, NO_PLANE, true, { 2, 1, 2 } },
	{ { 5, 1, 1 }, { 2, 4, 4 }, NO_PLANE, true, { 2, 3, 2 } },
	{ { 1, 1, 4 }, { 3, 1, 2 }, NO_PLANE, true, { 3, 1, 2 } },
	/* up to --ntasks-per-node. */
	{ { 4, 1, 1 }, { 4, 4, 4 }, 2, true, { 2, 2, 2 } },
	{ { 5, 1, 1 }, { 4, 4, 4 }, 2, false, { 0 } },
	/* Too few slots, or a node without. */
	{ { 3, 1, 1 }, { 2, 1, 1 }, NO_PLANE, false, { 0 } },
	{ { 1, 1, 1 }, { 0, 2, 2 }, NO_PLANE, false, { 0 } },
	{ { 1, 1, 1 }, { 2, 2, 0 }, NO_PLANE, false, { 0 } },
	{ { 1, 0, 1 }, { 2, 2, 2 }, NO_PLANE, false, { 0 } },
	{ { 3, 0, 1 }, { 2, 2, 2 }, NO_PLANE, false, { 0 } },
};

static void tasks_where_slots_are(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(fittings) / sizeof(*fittings); i++) {
		struct fitting fitting = fittings[i];
		slurm_step_layout_t layout = {
			.node_cnt = NODES,
			.plane_size = fitting.plane_size,
			.tasks = fitting.tasks,
		};
		uint16_t tasks[NODES];

		print_message("fittings[%zu]\n", i);
		assert_int_equal(tb_step_layout_fit(&layout, fitting.slots,
						    tasks),
				 fitting.fits);
		if (fitting.fits)
			assert_memory_equal(tasks, fitting.wanted,
					    sizeof(tasks));
	}
}

struct numbering {
	uint32_t distribution;
	uint16_t tasks[NODES];
	uint32_t wanted[TASKS]; /* of the first node's tasks, the second's, ... */
};

static const struct numbering numberings[] = {
	{ SLURM_DIST_BLOCK, { 3, 1, 4 }, { 0, 1, 2, 3, 4, 5, 6, 7 } },
	{ SLURM_DIST_BLOCK_CYCLIC, { 3, 1, 4 }, { 0, 1, 2, 3, 4, 5, 6, 7 } },
	{ SLURM_DIST_CYCLIC, { 3, 1, 4 }, { 0, 3, 5, 1, 2, 4, 6, 7 } },
	{ SLURM_DIST_CYCLIC_BLOCK, { 3, 1, 4 }, { 0, 3, 5, 1, 2, 4, 6, 7 } },
	{ SLURM_DIST_CYCLIC, { 1, 5, 2 }, { 0, 1, 3, 5, 6, 7, 2, 4 } },
};

static void check_numbers(const struct numbering *numbering,
			  const slurm_step_layout_t *layout)
{
	const uint32_t *wanted = numbering->wanted;

	for (uint32_t i = 0; i < NODES; i++) {
		assert_int_equal(layout->tasks[i], numbering->tasks[i]);
		for (uint32_t j = 0; j < numbering->tasks[i]; j++)
			assert_int_equal(layout->tids[i][j], *wanted++);
	}
}

/* From one task on each node to what is wanted. */
static void numbers_of_moved_tasks(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(numberings) / sizeof(*numberings); i++) {
		uint16_t tasks[NODES] = { 1, 1, 1 };
		uint32_t *numbers[NODES];
		slurm_step_layout_t layout = {
			.node_cnt = NODES,
			.task_cnt = TASKS,
			.task_dist = numberings[i].distribution,
			.tasks = tasks,
			.tids = numbers,
		};

		print_message("numberings[%zu]\n", i);
		for (uint32_t n = 0; n < NODES; n++)
			numbers[n] = xcalloc(1, sizeof(*numbers[n]));
		tb_step_layout_set(&layout, numberings[i].tasks);
		check_numbers(&numberings[i], &layout);
		for (uint32_t n = 0; n < NODES; n++)
			xfree(numbers[n]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_that_may_be_moved),
		cmocka_unit_test(tasks_where_slots_are),
		cmocka_unit_test(numbers_of_moved_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
