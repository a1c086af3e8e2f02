/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_job_devices.c - GRES as Slurm tells them, of several releases
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/job_devices.h"

/* ---- what there is ---- */

static void check_count(const char *list, const char *name, uint32_t typed,
			uint32_t rest)
{
	uint32_t untyped;

	assert_int_equal(tb_devices_in_list(list, name, &untyped), typed);
	assert_int_equal(untyped, rest);
}

static void test_counts(void **state)
{
	static const char node[] = "gpu:a:4(S:0-1),gpu:b:2(S:2),shard:8(S:0)";

	(void)state;
	check_count(node, "gpu", 6, 0);
	check_count(node, "gpu:a", 4, 0);
	check_count(node, "shard", 8, 0);
	check_count(node, "nic", 0, 0);
	check_count(NULL, "gpu", 0, 0);
	check_count("gpu:(null):3(IDX:0-2),nic:0", "gpu:a", 0, 3);
	check_count("shard:(null):4(0/2,2/2,2/2)", "shard", 4, 0);
}

static void check_list(struct tb_bitset *numbers, const char *wanted)
{
	struct tb_bitset *list = tb_bitset_parse_list(wanted, numbers->nbits,
						      NULL);

	if (*wanted)
		assert_true(list && tb_bitset_equal(numbers, list));
	else
		assert_true(tb_bitset_is_empty(numbers));
	tb_bitset_destroy(list);
	tb_bitset_destroy(numbers);
}

static void check_parts(const char *list, const char *wanted)
{
	struct tb_bitset *numbers = tb_bitset_create(16);

	tb_devices_add_parts(list, numbers);
	check_list(numbers, wanted);
}

static void check_numbers(const char *list, const char *wanted)
{
	struct tb_bitset *numbers = tb_bitset_create(16);

	tb_devices_add_numbers(list, "gpu", numbers);
	check_list(numbers, wanted);
}

static void test_numbers(void **state)
{
	(void)state;
	check_numbers("gpu:a:2(IDX:0-1),gpu:b:1(IDX:5),shard:1(IDX:3)",
		      "0-1,5");
	check_numbers("gpu:b:0(IDX:N/A),nic:1(IDX:2)", "");
	check_parts("gpu:(null):1(IDX:2),nic:0,shard:(null):2(IDX:0,3)", "0,3");
	check_parts("gpu:1(IDX:1),shard:(null):4(0/2,0/2,2/2,1/2)", "2-3");
	check_parts("shard:1(0/2,0/2,0/2,1/2)", "3");
	check_parts("mps:50(IDX:1),shard:a:1(1/2)", "0-1");
	check_parts("shard:0,mps:0", "");
	check_parts("shard:0(0/2,0/2)", "");
	check_parts("shard:2(1/2,", "0");
	check_parts("shard:2(1/2", "0");
	check_parts(NULL, "");
}

/* ---- what is asked for ---- */

static void test_asked(void **state)
{
	struct tb_job_devices devices = { 0 };

	(void)state;
	assert_int_equal(tb_job_devices_add(&devices, "gres:gpu:a:2,gres/nic:1",
					    TB_DEVICES_FOR_NODE, NULL),
			 0);
	assert_int_equal(devices.count, 2);
	assert_string_equal(devices.names[0], "gpu:a");
	assert_int_equal(devices.asked[0].per_node, 2);
	assert_false(devices.more || devices.parts);
	assert_int_equal(tb_job_devices_add(&devices, "gres/shard:3",
					    TB_DEVICES_FOR_NODE, NULL),
			 0);
	assert_true(devices.parts);
	assert_false(devices.more);
	assert_string_equal(devices.names[2], "shard");
	assert_int_equal(devices.asked[2].per_node, 3);
	assert_int_equal(tb_job_devices_add(&devices, "gres:gpu:1",
					    TB_DEVICES_FOR_SOCKET, NULL),
			 0);
	assert_true(devices.more);
	assert_int_equal(devices.count, 3);
	tb_job_devices_clear(&devices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
