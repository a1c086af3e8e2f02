/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory policy of a process, as the kernel tells it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hwloc/machine.h"
#include "hwloc/membind.h"

/* Does the policy of some memory of this process begin like that? */
static bool kernel_says(const char *policy)
{
	FILE *maps = fopen("/proc/self/numa_maps", "r");
	char *line = NULL;
	size_t size = 0;
	bool found = false;

	if (!maps)
		fail_msg(
			"no /proc/self/numa_maps: this test needs a kernel with NUMA");
	while (getline(&line, &size, maps) > 0) {
		const char *blank = strchr(line, ' ');

		if (blank && strncmp(blank + 1, policy, strlen(policy)) == 0)
			found = true;
	}
	free(line);
	fclose(maps);
	return found;
}

static void test_prefers(void **state)
{
	struct tb_error err = { "" };
	struct tb_machine *machine = tb_machine_load_live(&err);
	struct tb_bitset *nodes;
	struct tb_membind *membind;

	(void)state;
	assert_non_null(machine);
	nodes = tb_machine_memory(machine, TB_MEMORY_ALL);
	membind = tb_membind_create(nodes, &err);
	assert_non_null(membind);
	assert_false(kernel_says("prefer"));
	assert_int_equal(tb_membind_prefer(membind, nodes, &err), 0);
	assert_true(kernel_says("prefer"));
	tb_membind_destroy(membind);
	tb_bitset_destroy(nodes);
	tb_machine_destroy(machine);
}

/* Nodes that hwloc was told of, but the kernel does not have; and the reverse. */
static void test_nodes_that_are_not_there(void **state)
{
	struct tb_bitset *all = tb_bitset_create(1001);
	struct tb_bitset *far = tb_bitset_create(1001);
	struct tb_bitset *other = tb_bitset_create(1001);
	struct tb_error err = { "" };
	struct tb_membind *membind;

	(void)state;
	tb_bitset_set(all, 0);
	tb_bitset_set(all, 1000);
	tb_bitset_set(far, 1000);
	tb_bitset_set(other, 7);
	membind = tb_membind_create(all, &err);
	assert_non_null(membind);
	assert_int_equal(tb_membind_prefer(membind, far, &err), -1);
	assert_string_not_equal(err.text, "");
	err.text[0] = '\0';
	assert_int_equal(tb_membind_prefer(membind, other, &err), -1);
	assert_string_not_equal(err.text, "");
	tb_membind_destroy(membind);
	tb_membind_destroy(NULL);
	tb_bitset_destroy(all);
	tb_bitset_destroy(far);
	tb_bitset_destroy(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prefers),
		cmocka_unit_test(test_nodes_that_are_not_there),
	};

	return cmocka_run_group_tests_name("membind", tests, NULL, NULL);
}
