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

#include "step_gpus.h"
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

/* ---- memory of GPUs, on a POWER9 with six of them ---- */

#define GPUS 6
#define GPU TB_MEMORY_BIT(TB_MEMORY_GPU)

/* By the minor number of its device file, as NVIDIA's driver could number them. */
static const struct {
	const char *address;
	unsigned os_node;
} gpu_of[GPUS] = {
	{ "0002:01:00.0", 255 }, { "0002:02:00.0", 254 },
	{ "0003:01:00.0", 253 }, { "0012:01:00.0", 252 },
	{ "0012:02:00.0", 251 }, { "0013:01:00.0", 250 },
};

static void make_driver(const char *root)
{
	char command[256];

	for (unsigned i = 0; i < GPUS; i++) {
		snprintf(command, sizeof(command),
			 "D=%s/proc/driver/nvidia/gpus/%s && mkdir -p $D && echo 'Device Minor: \t %u' >$D/information",
			 root, gpu_of[i].address, i);
		assert_int_equal(system(command), 0);
	}
}

/* What a step has of whose granted GPUs are the set bits. */
static void check_granted(const char *root, struct tb_step_node *node,
			  unsigned granted)
{
	struct tb_step_gpu list[GPUS];
	const struct tb_step_gpus gpus = { GPUS, list, granted != 0 };
	unsigned count = tb_topology_threads(tb_step_node_topology(node));
	struct tb_bitset *threads = tb_bitset_create(count), *os_nodes;
	struct tb_error err = { "" };

	for (unsigned i = 0; i < GPUS; i++)
		list[i] = (struct tb_step_gpu){ "/dev/nvidia",
						true,
						{ false, 195, i },
						granted >> i & 1 };
	node->gpu_memory = tb_step_gpus_memory(&gpus, root, node->machine,
					       TB_GPU_MEMORY_OF_ANY, &err);
	if (node->gpu_memory == NULL)
		fail_msg("%s", err.text);
	/* Wherever its threads are. */
	tb_bitset_set(threads, granted % 2 ? 0 : count - 1);
	os_nodes = tb_step_node_os_nodes(node, (struct tb_near){ threads,
								 MAIN | GPU });
	for (unsigned i = 0; i < GPUS; i++)
		assert_int_equal(tb_bitset_test(os_nodes, gpu_of[i].os_node),
				 granted >> i & 1);
	assert_int_equal(tb_bitset_test(os_nodes, 0), granted % 2);
	assert_int_equal(tb_bitset_test(os_nodes, 8), granted % 2 == 0);
	tb_bitset_destroy(os_nodes);
	/* Who does not name it has none of it. */
	os_nodes = tb_step_node_os_nodes(node,
					 (struct tb_near){ threads, MAIN });
	assert_int_equal(tb_bitset_count(os_nodes), 1);
	tb_bitset_destroy(os_nodes);
	tb_bitset_destroy(threads);
	tb_bitset_destroy(node->gpu_memory);
	node->gpu_memory = NULL;
}

static void check_wish(const struct tb_step_node *node,
		       const struct tb_step_gpus *gpus,
		       enum tb_gpu_memory_wish wish, const char *sentence)
{
	struct tb_error err = { "" };
	struct tb_bitset *os_nodes = tb_step_gpus_memory(gpus, "/nonexistent",
							 node->machine, wish,
							 &err);

	assert_int_equal(os_nodes == NULL, sentence != NULL);
	if (sentence != NULL)
		assert_non_null(strstr(err.text, sentence));
	else
		assert_true(tb_bitset_is_empty(os_nodes));
	tb_bitset_destroy(os_nodes);
}

/* Who may be without, and who not. */
static void check_wishes(const struct tb_step_node *node)
{
	struct tb_step_gpu gpu = { "/dev/x", false, { false, 0, 0 }, true };
	struct tb_step_gpus gpus = { 0, &gpu, false };

	check_wish(node, &gpus, TB_GPU_MEMORY_IF_KNOWN, NULL);
	check_wish(node, &gpus, TB_GPU_MEMORY_OF_ANY, NULL);
	check_wish(node, &gpus, TB_GPU_MEMORY_OF_SOME, "has no GPUs");
	gpus.any = true;
	check_wish(node, &gpus, TB_GPU_MEMORY_IF_KNOWN, NULL);
	check_wish(node, &gpus, TB_GPU_MEMORY_OF_ANY, "no device file");
	check_wish(node, &gpus, TB_GPU_MEMORY_OF_SOME, "no device file");
	gpus.count = 1;
	check_wish(node, &gpus, TB_GPU_MEMORY_IF_KNOWN, NULL);
	check_wish(node, &gpus, TB_GPU_MEMORY_OF_ANY, "/dev/x");
	check_wish(node, &gpus, TB_GPU_MEMORY_OF_SOME, "/dev/x");
}

static void gives_gpu_memory(void **state)
{
	char root[] = "/tmp/topobind-gpus-XXXXXX", command[64];
	struct tb_error err = { "" };
	struct tb_machine *machine =
		tb_machine_load_xml(TEST_DATA_DIR "/memory/power9-sparse.xml",
				    &err);
	struct tb_step_node_input input = { .machine_file = file,
					    .sockets = 2,
					    .threads = 1 };
	struct tb_step_node node;

	(void)state;
	if (machine == NULL || tb_machine_save(machine, file, &err) < 0)
		fail_msg("%s", err.text);
	input.cores = tb_topology_cores(tb_machine_topology(machine)) / 2;
	tb_machine_destroy(machine);
	assert_non_null(mkdtemp(root));
	make_driver(root);
	/* Saved and read back. */
	if (tb_step_node_open(&node, &input, &err) < 0)
		fail_msg("%s", err.text);
	for (unsigned granted = 0; granted < 1u << GPUS; granted++)
		check_granted(root, &node, granted);
	check_wishes(&node);
	tb_step_node_close(&node);
	snprintf(command, sizeof(command), "rm -r '%s'", root);
	assert_int_equal(system(command), 0);
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
		cmocka_unit_test(gives_gpu_memory), /* last: saves another one */
	};

	return cmocka_run_group_tests_name("node", tests, save_machine,
					   remove_machine);
}
