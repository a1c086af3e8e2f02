/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_machine.c - machines as hwloc describes them: the topology string, OS
 * CPU numbers, NUMA nodes, distances, memory, core kinds
 */
#define _GNU_SOURCE
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "hwloc/device_address.h"
#include "hwloc/hugepages.h"
#include "hwloc/machine.h"

#define MAIN TB_MEMORY_BIT(TB_MEMORY_MAIN)

#define TOPOLOGIES TEST_DATA_DIR "/topologies/"

static struct tb_machine *load_from(const char *directory, const char *name)
{
	struct tb_error err = { "" };
	struct tb_machine *machine;
	char *path;

	assert_true(asprintf(&path, "%s/%s", directory, name) > 0);
	machine = tb_machine_load_xml(path, &err);
	if (!machine)
		fail_msg("%s: %s", name, err.text);
	free(path);
	return machine;
}

static struct tb_machine *load_file(const char *name)
{
	return load_from(TOPOLOGIES, name);
}

static struct tb_machine *load_synthetic(const char *text)
{
	struct tb_error err = { "" };
	struct tb_machine *machine = tb_machine_load_synthetic(text, &err);

	if (!machine)
		fail_msg("%s: %s", text, err.text);
	return machine;
}

/* Every OS CPU of a machine belongs to one thread. */
static void check_os_cpus(const struct tb_machine *machine)
{
	unsigned threads = tb_topology_threads(tb_machine_topology(machine));
	struct tb_bitset *all = tb_bitset_create(threads);
	struct tb_bitset *os_cpus;
	unsigned largest = 0;

	tb_bitset_set_range(all, 0, threads);
	os_cpus = tb_machine_os_cpus_of_threads(machine, all);
	assert_int_equal(tb_bitset_count(os_cpus), threads);
	for (unsigned i = 0; i < threads; i++) {
		unsigned os_cpu = tb_machine_os_cpu(machine, i);

		assert_true(tb_bitset_test(os_cpus, os_cpu));
		assert_int_equal(tb_topology_os_cpus(
					 tb_machine_topology(machine))[i],
				 os_cpu);
		largest = os_cpu > largest ? os_cpu : largest;
	}
	assert_int_equal(os_cpus->nbits, largest + 1);
	tb_bitset_destroy(all);
	tb_bitset_destroy(os_cpus);
}

/* All machines of the table have their string. */
static void test_table(void **state)
{
	FILE *table = fopen(TOPOLOGIES "expected.tsv", "r");
	char *line = NULL;
	size_t size = 0;
	int rows = 0;

	(void)state;
	assert_non_null(table);
	while (getline(&line, &size, table) > 0) {
		char *name = strtok(line, "\t\n");
		char *expected = strtok(NULL, "\t\n");
		struct tb_machine *machine = load_file(name);

		assert_non_null(expected);
		assert_string_equal(tb_machine_string(machine), expected);
		check_os_cpus(machine);
		tb_machine_destroy(machine);
		rows++;
	}
	assert_true(rows >= 23);
	free(line);
	fclose(table);
}

static void check_threads(const char *file, const unsigned *os_cpus,
			  unsigned count)
{
	struct tb_machine *machine = load_file(file);

	assert_int_equal(tb_topology_threads(tb_machine_topology(machine)),
			 count);
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(tb_machine_os_cpu(machine, i), os_cpus[i]);
	tb_machine_destroy(machine);
}

/* Threads are in hwloc's logical order (lstopo --only pu), OS CPUs are not. */
static void test_os_cpus(void **state)
{
	static const unsigned offlines[] = { 0, 8,  4, 12, 1, 9,
					     3, 11, 7, 15, 6, 10 };
	static const unsigned asymmetric[] = { 0, 2, 6, 4, 1, 5, 3, 7 };
	static const unsigned hetero[] = { 0,  1,  2,  3,  8,  9,  10, 11,
					   4,  5,  6,  7,  12, 13, 14, 15,
					   16, 17, 18, 19, 20, 21, 22, 23 };

	(void)state;
	check_threads("16em64t-4s2c2t-offlines.xml", offlines, 12);
	check_threads("8em64t-2s4c-asymcaches.xml", asymmetric, 8);
	check_threads("fakeheterocpunuma.xml", hetero, 24);
}

static void check_numa(const char *file, unsigned count,
		       const unsigned *os_nodes, const unsigned *distances)
{
	struct tb_machine *machine = load_file(file);

	assert_int_equal(tb_machine_numa_nodes(machine), count);
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(tb_machine_numa_os_node(machine, i),
				 os_nodes[i]);
	assert_int_equal(!tb_machine_distances(machine), !distances);
	for (unsigned i = 0; distances && i < count * count; i++)
		assert_int_equal(tb_machine_distances(machine)[i],
				 distances[i]);
	tb_machine_destroy(machine);
}

/* Rows and columns of the matrix are in string order, cut to the N objects. */
static void test_distances(void **state)
{
	static const unsigned two[] = { 10, 16, 16, 10 };
	static const unsigned hetero[] = {
		10, 30, 30, 40, 30, 10, 20, 40, 30, 20, 10, 40, 50, 40, 40, 10,
	};
	static const unsigned side_caches[] = {
		10, 11, 21, 21, 11, 10, 21, 21, 21, 21, 10, 11, 21, 21, 11, 10,
	};

	(void)state;
	check_numa("32amd64-4s2n4c-cgroup2.xml", 2, (const unsigned[]){ 0, 1 },
		   two);
	check_numa("fakeheterocpunuma.xml", 4, (const unsigned[]){ 2, 0, 1, 3 },
		   hetero);
	check_numa("memorysidecaches.xml", 4, (const unsigned[]){ 0, 2, 1, 3 },
		   side_caches);
	check_numa("nvidia-dgx-gb10.xml", 1, (const unsigned[]){ 0 }, NULL);
}

static void check_speed(const char *file, unsigned speed)
{
	struct tb_machine *machine = load_file(file);

	assert_int_equal(tb_machine_speed(machine), speed);
	tb_machine_destroy(machine);
}

/* The base frequency before the maximum, of the fastest kind. */
static void test_speed(void **state)
{
	(void)state;
	check_speed("quadrant-4n4s8l3.xml", 2400);
	check_speed("fakeheterocpunuma.xml", 2500);
	check_speed("nvidia-dgx-gb10.xml", 3900);
	check_speed("Intel-RaptorLake-Corei7-1370P.xml", 0);
}

static void check_list(struct tb_bitset *set, const char *expected)
{
	char *list = tb_bitset_print_list(set);

	assert_string_equal(list, expected);
	free(list);
	tb_bitset_destroy(set);
}

static void check_local_memory(const struct tb_machine *machine, unsigned first,
			       unsigned count, const char *expected)
{
	struct tb_bitset *threads = tb_bitset_create(
		tb_topology_threads(tb_machine_topology(machine)));

	tb_bitset_set_range(threads, first, count);
	check_list(tb_machine_memory_of_threads(machine, threads, MAIN),
		   expected);
	tb_bitset_destroy(threads);
}

static void test_memory(void **state)
{
	struct tb_machine *machine = load_file("fakeheterocpunuma.xml");

	(void)state;
	/* N(P#2) holds N(P#0) and N(P#1): both levels are local. */
	check_list(tb_machine_memory(machine, MAIN), "0-3");
	check_local_memory(machine, 0, 1, "0,2");
	check_local_memory(machine, 0, 8, "0-2");
	/* With a thread that has no memory near it they have all of it. */
	check_local_memory(machine, 8, 4, "0-3");
	check_local_memory(machine, 6, 4, "0-3");
	check_local_memory(machine, 20, 4, "3");
	tb_machine_destroy(machine);

	/* Nodes whose CPUs are forbidden still have memory. */
	machine = load_file("32amd64-4s2n4c-cgroup2.xml");
	check_list(tb_machine_memory(machine, MAIN), "0-5");
	check_local_memory(machine, 4, 2, "1");
	tb_machine_destroy(machine);

	/* No sizes in the file: memory is assumed. */
	machine = load_file("Intel-KnightsLanding-XeonPhi-7210.xml");
	check_list(tb_machine_memory(machine, MAIN), "0");
	check_local_memory(machine, 17, 1, "0");
	tb_machine_destroy(machine);
}

/* Memory without CPUs of its own: HBM, CXL, NVM. */
static void test_memory_without_cpus(void **state)
{
	struct tb_machine *machine = load_file("fakeheteromemtiers.xml");

	(void)state;
	/* DRAM 0 and 1, HBM 4 and 2, NVM 8, 6 and 9, of two cores each. */
	check_list(tb_machine_memory(machine, TB_MEMORY_ALL), "0-2,4,6,8-9");
	check_list(tb_machine_memory(machine, MAIN), "0-1");
	check_list(tb_machine_memory(machine, TB_MEMORY_BIT(TB_MEMORY_HBM)),
		   "2,4");
	check_local_memory(machine, 0, 1, "0");
	check_local_memory(machine, 3, 1, "1");
	/* HBM and NVM are near, and do not stand in for DRAM. */
	check_local_memory(machine, 4, 2, "0-1");
	check_local_memory(machine, 1, 2, "0-1");
	tb_machine_destroy(machine);

	/* One node for the whole machine: near nobody who has a nearer one. */
	machine = load_synthetic(
		"[numa(memory=8GB)] pack:2 [numa(memory=1GB)] [numa(memory=2GB)] core:2 pu:1");
	check_list(tb_machine_memory(machine, MAIN), "0-4");
	check_local_memory(machine, 0, 1, "0-1");
	check_local_memory(machine, 2, 2, "2-3");
	check_local_memory(machine, 0, 4, "0-3");
	tb_machine_destroy(machine);

	/* One for each socket: near all of its cores. */
	machine = load_synthetic(
		"pack:2 [numa(memory=4GB)] group:2 [numa(memory=1GB)] core:2 pu:1");
	check_local_memory(machine, 0, 1, "0,2");
	check_local_memory(machine, 7, 1, "4-5");
	tb_machine_destroy(machine);

	/* Two for the whole machine, and nothing nearer. */
	machine = load_synthetic(
		"[numa(memory=8GB)] [numa(memory=1GB)] pack:1 core:2 pu:1");
	check_local_memory(machine, 1, 1, "0-1");
	tb_machine_destroy(machine);
}

#define HBM TB_MEMORY_BIT(TB_MEMORY_HBM)
#define CXL TB_MEMORY_BIT(TB_MEMORY_CXL)
#define GPU TB_MEMORY_BIT(TB_MEMORY_GPU)

/*
 * Kinds of memory, in all and near the first threads: with main memory alone, and
 * with one kind more.
 */
static void test_memory_kinds(void **state)
{
	static const struct {
		const char *file;
		unsigned kind;
		const char *main, *other; /* of the machine */
		unsigned threads;
		const char *near, *near_both;
	} rows[] = {
		/* Two processors with two GPUs each. */
		{ "power9.xml", GPU, "0,3", "1-2,4-5", 4, "0", "0-2" },
		/* The GPU's unused nodes have no memory. */
		{ "grace.xml", GPU, "0,3", "1,4", 4, "0", "0-1" },
		/* Half a processor has DRAM and HBM. */
		{ "xeon-max.xml", HBM, "0,2,4,6", "1,3,5,7", 2, "0", "0-1" },
		{ "xeon-max.xml", HBM, "0,2,4,6", "1,3,5,7", 4, "0,2", "0-3" },
		/* Nothing but HBM: that is the main memory. */
		{ "mi300a.xml", HBM, "0-3", "", 2, "0", "0" },
		/* One that all processors reach: only for whom names it. */
		{ "cxl.xml", CXL, "0-1", "2", 2, "0", "0,2" },
		{ "cxl.xml", HBM, "0-1", "", 2, "0", "0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tb_machine *machine = load_from(TEST_DATA_DIR "/memory",
						       rows[i].file);
		unsigned count = tb_topology_threads(
			tb_machine_topology(machine));
		struct tb_bitset *threads = tb_bitset_create(count);

		tb_bitset_set_range(threads, 0, rows[i].threads);
		check_list(tb_machine_memory(machine, MAIN), rows[i].main);
		check_list(tb_machine_memory(machine, rows[i].kind),
			   rows[i].other);
		check_list(tb_machine_memory_of_threads(machine, threads, MAIN),
			   rows[i].near);
		check_list(tb_machine_memory_of_threads(machine, threads,
							MAIN | rows[i].kind),
			   rows[i].near_both);
		tb_bitset_destroy(threads);
		tb_machine_destroy(machine);
	}
}

/* Which OS nodes are the memory of which GPU. */
static void test_gpu_memory(void **state)
{
	static const struct {
		const char *file, *owners;
	} rows[] = {
		{ "power9.xml",
		  "1=0004:04:00.0 2=0004:05:00.0 4=0035:03:00.0 5=0035:04:00.0 " },
		/* Of six GPUs; most OS numbers are missing. */
		{ "power9-sparse.xml",
		  "253=0003:01:00.0 254=0002:02:00.0 255=0002:01:00.0 250=0013:01:00.0 251=0012:02:00.0 252=0012:01:00.0 " },
		/* Those without memory are nobody's. */
		{ "grace.xml", "1=0009:01:00.0 4=0019:01:00.0 " },
		{ "mi300a.xml", "" },
		{ "cxl.xml", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tb_machine *machine = load_from(TEST_DATA_DIR "/memory",
						       rows[i].file);
		unsigned count;
		struct tb_gpu_numa *list = tb_machine_gpu_memory(machine,
								 &count);
		char text[512] = "";

		assert_non_null(list);
		for (unsigned j = 0; j < count; j++) {
			char address[TB_PCI_TEXT_SIZE];
			size_t length = strlen(text);

			tb_pci_address_print(&list[j].address, address);
			snprintf(text + length, sizeof(text) - length, "%u=%s ",
				 list[j].os_node, address);
		}
		assert_string_equal(text, rows[i].owners);
		free(list);
		tb_machine_destroy(machine);
	}
}

/* More threads never have less memory: a task has no more than its step. */
static void test_memory_grows(void **state)
{
	struct tb_machine *machine = load_file("fakeheterocpunuma.xml");
	unsigned count = tb_topology_threads(tb_machine_topology(machine));
	struct tb_bitset *threads = tb_bitset_create(count);
	struct tb_bitset *before = tb_machine_memory_of_threads(machine,
								threads, MAIN);

	(void)state;
	/* Of none it says nothing. */
	tb_bitset_clear_all(before);
	for (unsigned i = 0; i < count; i++) {
		struct tb_bitset *nodes;

		tb_bitset_set(threads, i);
		nodes = tb_machine_memory_of_threads(machine, threads, MAIN);
		assert_true(tb_bitset_contains(nodes, before));
		tb_bitset_destroy(before);
		before = nodes;
	}
	tb_bitset_destroy(before);
	tb_bitset_destroy(threads);
	tb_machine_destroy(machine);
}

static void check_synthetic(const char *text, const char *expected)
{
	struct tb_machine *machine = load_synthetic(text);

	assert_string_equal(tb_machine_string(machine), expected);
	check_os_cpus(machine);
	tb_machine_destroy(machine);
}

static void test_synthetic(void **state)
{
	(void)state;
	check_synthetic("pack:2 l3:2 core:2 pu:2",
			"NSXCTTCTTXCTTCTTSXCTTCTTXCTTCTT");
	check_synthetic("pack:1 numa:2 l2:2 core:1 pu:1", "SNYCYCNYCYC");
	check_synthetic("pu:3", "NSCCC");	   /* no package, no core */
	check_synthetic("numa:2 pu:2", "SNCCNCC"); /* one S over everything */
	check_synthetic("pack:1 core:1 l2:2 pu:1", "NSCTT"); /* inside a core */
}

/* Every CPU that is online is a thread of the whole machine. */
static void test_whole(void **state)
{
	struct tb_error err = { "" };
	struct tb_machine *machine = tb_machine_load_whole(&err);

	(void)state;
	if (!machine)
		fail_msg("%s", err.text);
	check_os_cpus(machine);
	assert_int_equal(tb_topology_threads(tb_machine_topology(machine)),
			 sysconf(_SC_NPROCESSORS_ONLN));
	tb_machine_destroy(machine);
}

/* Every CPU that this process may run on is a thread of the live machine. */
static void test_live(void **state)
{
	struct tb_error err = { "" };
	struct tb_machine *machine = tb_machine_load_live(&err);
	cpu_set_t affinity;
	unsigned count = 0;

	(void)state;
	if (!machine)
		fail_msg("%s", err.text);
	check_os_cpus(machine);
	assert_int_equal(sched_getaffinity(0, sizeof(affinity), &affinity), 0);
	for (unsigned i = 0;
	     i < tb_topology_threads(tb_machine_topology(machine)); i++)
		count += CPU_ISSET(tb_machine_os_cpu(machine, i), &affinity) !=
			 0;
	assert_int_equal(count, CPU_COUNT(&affinity));
	tb_machine_destroy(machine);
}

static void test_errors(void **state)
{
	struct tb_error err = { "" };

	(void)state;
	assert_null(tb_machine_load_xml("/nonexistent/file.xml", &err));
	assert_non_null(strstr(err.text, "/nonexistent/file.xml"));
	assert_null(tb_machine_load_xml(TOPOLOGIES "expected.tsv", &err));
	assert_null(tb_machine_load_synthetic("pack:0 rubbish", &err));
	assert_non_null(strstr(err.text, "pack:0 rubbish"));
	assert_null(tb_machine_load_synthetic("", &err));
	assert_null(tb_machine_load_synthetic("pack:2 l3:4", NULL));
}

/* ---- core kinds ---- */

#define INFO(name, value) "<info name=\"" name "\" value=\"" value "\"/>"

/* Two cores with one kind each. */
static char *machine_of_kinds(const char *kind0, const char *kind1)
{
	static const char xml[] =
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
		"<topology version=\"2.0\"><object type=\"Machine\" os_index=\"0\""
		" cpuset=\"0x3\" complete_cpuset=\"0x3\" allowed_cpuset=\"0x3\""
		" nodeset=\"0x1\" complete_nodeset=\"0x1\""
		" allowed_nodeset=\"0x1\" gp_index=\"1\">"
		"<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0x3\""
		" complete_cpuset=\"0x3\" nodeset=\"0x1\""
		" complete_nodeset=\"0x1\" gp_index=\"2\"/>"
		"<object type=\"Core\" os_index=\"0\" cpuset=\"0x1\""
		" complete_cpuset=\"0x1\" nodeset=\"0x1\""
		" complete_nodeset=\"0x1\" gp_index=\"3\">"
		"<object type=\"PU\" os_index=\"0\" cpuset=\"0x1\""
		" complete_cpuset=\"0x1\" nodeset=\"0x1\""
		" complete_nodeset=\"0x1\" gp_index=\"4\"/></object>"
		"<object type=\"PU\" os_index=\"1\" cpuset=\"0x2\""
		" complete_cpuset=\"0x2\" nodeset=\"0x1\""
		" complete_nodeset=\"0x1\" gp_index=\"5\"/></object>"
		"<cpukind cpuset=\"0x1\">%s</cpukind>"
		"<cpukind cpuset=\"0x2\">%s</cpukind></topology>\n";
	char path[] = "/tmp/topobind-kinds-XXXXXX";
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");
	struct tb_error err = { "" };
	struct tb_machine *machine;
	char *string;

	assert_non_null(file);
	fprintf(file, xml, kind0, kind1);
	assert_int_equal(fclose(file), 0);
	machine = tb_machine_load_xml(path, &err);
	unlink(path);
	if (!machine)
		fail_msg("%s", err.text);
	string = strdup(tb_machine_string(machine));
	tb_machine_destroy(machine);
	return string;
}

static void test_core_kinds(void **state)
{
	static const struct {
		const char *kind0, *kind1, *expected;
	} rows[] = {
		/* Intel says it; nothing else counts then. */
		{ INFO("CoreType", "IntelAtom") INFO("LinuxCapacity", "1024"),
		  INFO("CoreType", "IntelCore") INFO("LinuxCapacity", "100"),
		  "NSEC" },
		{ INFO("CoreType", "IntelCore") INFO("LinuxCapacity", "1024"),
		  INFO("CoreType", "IntelCore") INFO("LinuxCapacity", "100"),
		  "NSCE" },
		/* Below 85%, and not at it. */
		{ INFO("LinuxCapacity", "1000"), INFO("LinuxCapacity", "849"),
		  "NSCE" },
		{ INFO("LinuxCapacity", "1000"), INFO("LinuxCapacity", "850"),
		  "NSCC" },
		/* The base frequency counts only where no capacity is known. */
		{ INFO("LinuxCapacity", "1000")
			  INFO("FrequencyBaseMHz", "1000"),
		  INFO("LinuxCapacity", "900") INFO("FrequencyBaseMHz", "500"),
		  "NSCC" },
		{ INFO("FrequencyBaseMHz", "2000"),
		  INFO("FrequencyBaseMHz", "1699"), "NSCE" },
		{ INFO("FrequencyBaseMHz", "2000"),
		  INFO("FrequencyBaseMHz", "1700"), "NSCC" },
		/* Favoured cores are no other kind. */
		{ INFO("FrequencyMaxMHz", "5000"),
		  INFO("FrequencyMaxMHz", "1000"), "NSCC" },
		/* Rubbish is no number. */
		{ INFO("LinuxCapacity", "1000"), INFO("LinuxCapacity", "x"),
		  "NSCC" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *string = machine_of_kinds(rows[i].kind0, rows[i].kind1);

		if (strcmp(string, rows[i].expected))
			fail_msg("row %zu: %s, not %s", i, string,
				 rows[i].expected);
		free(string);
	}
}

/* A file of a directory, both new. */
static void write_file(const char *directory, const char *name,
		       const char *text)
{
	char *path;
	FILE *file;

	assert_true(asprintf(&path, "%s/%s", directory, name) > 0);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	free(path);
}

/* node N has pages of a size: all and free of them. */
static void make_pages(const char *root, const char *size, const char *all,
		       const char *free_pages)
{
	char *command, *path;

	assert_true(asprintf(&path, "%s/%s", root, size) > 0);
	assert_true(asprintf(&command, "mkdir -p '%s'", path) > 0);
	assert_int_equal(0, system(command));
	write_file(path, "nr_hugepages", all);
	write_file(path, "free_hugepages", free_pages);
	free(command);
	free(path);
}

static void test_hugepages(void **state)
{
	struct tb_machine *machine = load_synthetic(
		"Package:1 NUMANode:2 Core:2 PU:1");
	char root[] = "/tmp/topobind-hugepages-XXXXXX", command[64];
	uint64_t *sizes;

	(void)state;
	assert_non_null(mkdtemp(root));
	/* There are none, and then none set aside. */
	assert_null(tb_hugepages_free(machine, root));
	make_pages(root, "node0/hugepages/hugepages-2048kB", "0\n", "0\n");
	make_pages(root, "node0/hugepages/hugepages-1048576kB", "0\n", "0\n");
	make_pages(root, "node1/hugepages/hugepages-2048kB", "0\n", "0\n");
	assert_null(tb_hugepages_free(machine, root));
	/* All are in use, and some are not. */
	make_pages(root, "node0/hugepages/hugepages-2048kB", "8\n", "0\n");
	sizes = tb_hugepages_free(machine, root);
	assert_non_null(sizes);
	assert_int_equal(0, sizes[0]);
	assert_int_equal(0, sizes[1]);
	free(sizes);
	make_pages(root, "node0/hugepages/hugepages-1048576kB", "2\n", "1\n");
	make_pages(root, "node1/hugepages/hugepages-2048kB", "9\n", "5\n");
	make_pages(root, "node1/hugepages/hugepages-64kB", "x\n", "-1\n");
	make_pages(root, "node1/hugepages/other", "9\n", "9\n");
	make_pages(root, "node2/hugepages/hugepages-2048kB", "9\n", "5\n");
	sizes = tb_hugepages_free(machine, root);
	assert_non_null(sizes);
	assert_int_equal(1024, sizes[0]);
	assert_int_equal(10, sizes[1]);
	free(sizes);
	snprintf(command, sizeof(command), "rm -r '%s'", root);
	assert_int_equal(0, system(command));
	tb_machine_destroy(machine);
}

/* ---- device files ---- */

static void make_link(const char *root, const char *target, const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", root, name) > 0);
	assert_int_equal(symlink(target, path), 0);
	free(path);
}

/* What NVIDIA's driver tells of a GPU. */
static void make_nvidia(const char *root, const char *address,
			const char *information)
{
	char *command, *path;

	assert_true(asprintf(&path, "%s/proc/driver/nvidia/gpus/%s", root,
			     address) > 0);
	assert_true(asprintf(&command, "mkdir -p '%s'", path) > 0);
	assert_int_equal(0, system(command));
	write_file(path, "information", information);
	free(command);
	free(path);
}

static void check_address(const char *root, bool is_block, unsigned major,
			  unsigned minor, const char *expected)
{
	const struct tb_device_number number = { is_block, major, minor };
	struct tb_pci_address address;
	char text[TB_PCI_TEXT_SIZE];

	if (!tb_device_address(root, &number, &address)) {
		assert_null(expected);
		return;
	}
	tb_pci_address_print(&address, text);
	assert_non_null(expected);
	assert_string_equal(text, expected);
}

#define DEVICES "../../devices/pci0000:00/"

static void test_device_address(void **state)
{
	char root[] = "/tmp/topobind-devices-XXXXXX", command[160];

	(void)state;
	assert_non_null(mkdtemp(root));
	check_address(root, false, 226, 128, NULL);
	check_address(root, false, 195, 0, NULL);
	snprintf(command, sizeof(command),
		 "mkdir -p '%s/sys/dev/char' '%s/sys/dev/block'", root, root);
	assert_int_equal(0, system(command));
	make_link(root, DEVICES "0000:00:02.0/drm/renderD128",
		  "sys/dev/char/226:128");
	/* Behind bridges: the last one is the device. */
	make_link(root,
		  DEVICES "0000:00:01.1/0000:40:00.0/0000:41:00.0/drm/card1",
		  "sys/dev/char/226:1");
	make_link(root, DEVICES "0000:00:05.0/virtio2/block/vda",
		  "sys/dev/block/254:0");
	make_link(root, "../../devices/virtual/mem/null", "sys/dev/char/1:3");
	check_address(root, false, 226, 128, "0000:00:02.0");
	check_address(root, false, 226, 1, "0000:41:00.0");
	check_address(root, true, 254, 0, "0000:00:05.0");
	check_address(root, false, 254, 0, NULL);
	check_address(root, false, 1, 3, NULL);
	check_address(root, false, 226, 12, NULL);

	make_nvidia(
		root, "0004:04:00.0",
		"Model: \t\t Tesla V100\nIRQ:   \t\t 1\nDevice Minor: \t 1\nBlacklisted:\t No\n");
	make_nvidia(root, "0004:05:00.0",
		    "Model: \t\t Device Minor: 1\nDevice Minor: \t 0\n");
	make_nvidia(root, "0035:03:00.0", "Model: x\n");
	make_nvidia(root, "0035:04:00.0", "Device Minor: x\n");
	make_nvidia(root, "other", "Device Minor: 2\n");
	check_address(root, false, 195, 0, "0004:05:00.0");
	check_address(root, false, 195, 1, "0004:04:00.0");
	check_address(root, false, 195, 2, NULL);
	check_address(root, false, 195, 255, NULL);
	check_address(root, false, 196, 0, NULL);
	check_address(root, true, 195, 0, NULL);
	snprintf(command, sizeof(command), "rm -r '%s'", root);
	assert_int_equal(0, system(command));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_os_cpus),
		cmocka_unit_test(test_distances),
		cmocka_unit_test(test_speed),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_memory_without_cpus),
		cmocka_unit_test(test_memory_kinds),
		cmocka_unit_test(test_memory_grows),
		cmocka_unit_test(test_gpu_memory),
		cmocka_unit_test(test_device_address),
		cmocka_unit_test(test_synthetic),
		cmocka_unit_test(test_live),
		cmocka_unit_test(test_hugepages),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_core_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
