/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "step_node.h"
#include "step_plan.h"
#include "variables.h"

#define MAIN TB_MEMORY_BIT(TB_MEMORY_MAIN)

/* The machine of these tests: one socket, two L3 caches, four cores. */
#define SYNTHETIC "pack:1 l3:2 core:2 pu:1"

static char *directory, *file;

static int save_machine(void **state)
{
	char template[] = "/tmp/topobind-test-XXXXXX";
	struct tb_error err;
	struct tb_machine *machine;

	(void)state;
	if (geteuid() != 0)
		fail_msg("a saved machine belongs to root: run this test as "
			 "root");
	directory = strdup(mkdtemp(template));
	assert_true(asprintf(&file, "%s/machine", directory) > 0);
	machine = tb_machine_load_synthetic(SYNTHETIC, &err);
	if (machine == NULL || tb_machine_save(machine, file, &err) < 0)
		fail_msg("%s", err.text);
	tb_machine_destroy(machine);
	return 0;
}

static int remove_machine(void **state)
{
	(void)state;
	unlink(file);
	rmdir(directory);
	free(file);
	free(directory);
	return 0;
}

enum kind { REAL, VIRTUAL, REFUSED };

struct opening {
	bool saved; /* slurmd has saved the machine */
	const char *configured;
	unsigned sockets, cores, threads;
	bool overrides;
	enum kind kind;
	unsigned topology_threads;
};

static const struct opening openings[] = {
	{ true, NULL, 1, 4, 1, false, REAL, 4 },
	{ true, NULL, 2, 2, 1, false, REAL, 4 },
	{ true, NULL, 1, 4, 1, true, REAL, 4 },
	{ true, "NSXCCXCC", 1, 4, 1, false, REAL, 4 },
	{ true, "NSXCCXCC", 1, 4, 1, true, REAL, 4 },
	{ true, "SCCCC", 1, 4, 1, false, REFUSED, 0 },
	{ true, "SCCCC", 1, 4, 1, true, VIRTUAL, 4 },
	{ true, "SCCCCSCCCC", 2, 4, 1, true, VIRTUAL, 8 },
	/* Of another count of cores: as if it were not there. */
	{ true, "SC", 1, 4, 1, false, REAL, 4 },
	{ true, "SC", 2, 4, 1, false, REFUSED, 0 },
	{ true, "SC", 2, 4, 1, true, VIRTUAL, 8 },
	{ true, "rubbish", 2, 4, 1, true, REFUSED, 0 },
	{ true, NULL, 2, 4, 1, false, REFUSED, 0 },
	{ true, NULL, 2, 4, 2, true, VIRTUAL, 16 },
	{ false, NULL, 1, 4, 1, false, REFUSED, 0 },
	{ false, NULL, 1, 4, 1, true, REFUSED, 0 },
	{ false, "SXCCXCC", 1, 4, 1, false, REFUSED, 0 },
};

static void open_one(const struct opening *opening, size_t row)
{
	const struct tb_step_node_input input = {
		.machine_file = opening->saved ? file : "/nonexistent/machine",
		.configured = opening->configured,
		.sockets = opening->sockets,
		.cores = opening->cores,
		.threads = opening->threads,
		.overrides = opening->overrides,
	};
	struct tb_error err = { "" };
	struct tb_step_node node;
	int rc = tb_step_node_open(&node, &input, &err);

	if (opening->kind == REFUSED) {
		if (rc != -1)
			fail_msg("row %zu was opened", row);
		assert_string_not_equal(err.text, "");
	} else {
		if (rc != 0)
			fail_msg("row %zu: %s", row, err.text);
		if (tb_step_node_is_virtual(&node) !=
		    (opening->kind == VIRTUAL))
			fail_msg("row %zu is of the wrong kind", row);
		assert_int_equal(tb_topology_threads(
					 tb_step_node_topology(&node)),
				 opening->topology_threads);
	}
	tb_step_node_close(&node);
}

static void opens_a_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(openings) / sizeof(openings[0]); i++)
		open_one(&openings[i], i);
}

static void assert_variable(const struct tb_variables *variables,
			    const char *name, const char *value)
{
	for (int i = 0; i < TB_VARIABLES; i++) {
		if (strcmp(variables->name[i], name) != 0)
			continue;
		if (value == NULL)
			assert_null(variables->value[i]);
		else
			assert_string_equal(variables->value[i], value);
		return;
	}
	fail_msg("there is no variable %s", name);
}

static void tell_virtual(void **state)
{
	const struct tb_step_node_input input = {
		.machine_file = file,
		.configured = "NSXCCXCCNSXCCXCC",
		.sockets = 2,
		.cores = 4,
		.threads = 1,
		.overrides = true,
	};
	struct tb_variables variables;
	struct tb_bitset *threads = tb_bitset_create(8);
	struct tb_error err;
	struct tb_step_node node;

	(void)state;
	assert_int_equal(tb_step_node_open(&node, &input, &err), 0);
	tb_bitset_set_range(threads, 4, 2);
	assert_int_equal(tb_variables_bound(&variables, &node, threads,
					    (struct tb_near){ 0 }, 1, TB_PE,
					    &err),
			 0);
	assert_variable(&variables, "TOPOBIND_INSTANCE", "pe");
	assert_variable(&variables, "TOPOBIND_TOPOLOGY", "NSXCCXCCNSxccXCC");
	assert_variable(&variables, "TOPOBIND_CPUSET", "0x00000030");
	assert_variable(&variables, "TOPOBIND_CPUS", "4-5");
	assert_variable(&variables, "TOPOBIND_MEMS", "0-1");
	assert_variable(&variables, "TOPOBIND_SLOT", "1");
	assert_variable(&variables, "TOPOBIND_NCPUS", "2");
	assert_variable(&variables, "TOPOBIND_NCORES", "2");
	assert_variable(&variables, "SGE_BINDING_INSTANCE", "pe");
	assert_variable(&variables, "SGE_BINDING_TOPOLOGY", "NSXCCXCCNSxccXCC");
	assert_variable(&variables, "SGE_BINDING_CPUSET", "0x00000030");
	tb_variables_clear(&variables);

	/* Memory near the threads only. */
	assert_int_equal(tb_variables_bound(&variables, &node, threads,
					    (struct tb_near){ threads, MAIN },
					    1, TB_SET, &err),
			 0);
	assert_variable(&variables, "TOPOBIND_MEMS", "1");
	tb_variables_clear(&variables);
	tb_bitset_set(threads, 0);
	assert_int_equal(tb_variables_bound(&variables, &node, threads,
					    (struct tb_near){ threads, MAIN },
					    1, TB_SET, &err),
			 0);
	assert_variable(&variables, "TOPOBIND_MEMS", "0-1");
	tb_variables_clear(&variables);
	tb_bitset_destroy(threads);
	tb_step_node_close(&node);
}

static void tell_real(void **state)
{
	const struct tb_step_node_input input = {
		.machine_file = file,
		.sockets = 1,
		.cores = 4,
		.threads = 1,
	};
	struct tb_variables variables;
	struct tb_bitset *threads = tb_bitset_create(4);
	struct tb_error err;
	struct tb_step_node node;

	(void)state;
	assert_int_equal(tb_step_node_open(&node, &input, &err), 0);
	tb_bitset_set(threads, 3);
	assert_int_equal(tb_variables_bound(&variables, &node, threads,
					    (struct tb_near){ threads, MAIN },
					    TB_NO_SLOT, TB_SET, &err),
			 0);
	assert_variable(&variables, "TOPOBIND_INSTANCE", "set");
	assert_variable(&variables, "TOPOBIND_CPUS", "3");
	assert_variable(&variables, "TOPOBIND_MEMS", "0");
	assert_variable(&variables, "TOPOBIND_PE_HOSTFILE", NULL);
	assert_variable(&variables, "TOPOBIND_RANKFILE", NULL);
	assert_variable(&variables, "TOPOBIND_SLOT", "NONE");
	tb_variables_clear(&variables);
	tb_bitset_destroy(threads);
	tb_step_node_close(&node);
}

static void tell_plain(void **state)
{
	struct tb_variables variables;

	(void)state;
	tb_variables_plain(&variables);
	assert_variable(&variables, "TOPOBIND_INSTANCE", "NONE");
	assert_variable(&variables, "TOPOBIND_TOPOLOGY", "NONE");
	assert_variable(&variables, "TOPOBIND_CPUSET", "0x0");
	assert_variable(&variables, "TOPOBIND_CPUS", NULL);
	assert_variable(&variables, "TOPOBIND_MEMS", NULL);
	assert_variable(&variables, "TOPOBIND_SLOT", NULL);
	assert_variable(&variables, "TOPOBIND_NCPUS", NULL);
	assert_variable(&variables, "TOPOBIND_NCORES", NULL);
	assert_variable(&variables, "SGE_BINDING_CPUSET", "0x0");
	tb_variables_clear(&variables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_a_table),
		cmocka_unit_test(tell_virtual),
		cmocka_unit_test(tell_real),
		cmocka_unit_test(tell_plain),
	};

	return cmocka_run_group_tests_name("node", tests, save_machine,
					   remove_machine);
}
