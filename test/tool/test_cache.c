/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_cache.c - the saved machine: what was saved comes back, and nothing
 * that somebody else could have put there is read
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "hwloc/machine.h"

#define TOPOLOGIES TEST_DATA_DIR "/topologies/"
#define NOBODY 65534

static char directory[] = "/tmp/topobind-cache-XXXXXX";
static char *path;

static int set_up(void **state)
{
	(void)state;
	if (geteuid() != 0) {
		fprintf(stderr, "only root's files are read: run as root\n");
		return -1;
	}
	if (!mkdtemp(directory))
		return -1;
	return asprintf(&path, "%s/machine", directory) < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	free(path);
	return rmdir(directory);
}

static void write_bytes(const char *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static char *read_bytes(size_t *size)
{
	FILE *file = fopen(path, "r");
	char *bytes = malloc(TB_MACHINE_FILE_MAX + 1);

	assert_non_null(file);
	assert_non_null(bytes);
	*size = fread(bytes, 1, TB_MACHINE_FILE_MAX, file);
	bytes[*size] = '\0';
	fclose(file);
	return bytes;
}

static void assert_refused(const char *what)
{
	struct tb_error err = { "" };
	struct tb_machine *machine = tb_machine_read(path, &err);

	if (machine)
		fail_msg("%s was read", what);
	assert_true(*err.text);
	assert_null(tb_machine_read(path, NULL));
}

/* A machine with several NUMA nodes and a matrix. */
static void save_example(void)
{
	struct tb_error err = { "" };
	struct tb_machine *machine =
		tb_machine_load_xml(TOPOLOGIES "fakeheterocpunuma.xml", &err);

	if (!machine || tb_machine_save(machine, path, &err))
		fail_msg("%s", err.text);
	tb_machine_destroy(machine);
}

/* ---- what was saved comes back ---- */

static void assert_same_numa(const struct tb_machine *a,
			     const struct tb_machine *b)
{
	unsigned count = tb_machine_numa_nodes(a);

	assert_int_equal(tb_machine_numa_nodes(b), count);
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(tb_machine_numa_os_node(a, i),
				 tb_machine_numa_os_node(b, i));
	assert_int_equal(!tb_machine_distances(a), !tb_machine_distances(b));
	if (tb_machine_distances(a))
		assert_memory_equal(tb_machine_distances(a),
				    tb_machine_distances(b),
				    count * count * sizeof(unsigned));
}

static void assert_same_set(struct tb_bitset *a, struct tb_bitset *b)
{
	assert_true(tb_bitset_equal(a, b));
	tb_bitset_destroy(a);
	tb_bitset_destroy(b);
}

static void assert_same_gpus(const struct tb_machine *a,
			     const struct tb_machine *b)
{
	unsigned na, nb;
	struct tb_gpu_numa *of_a = tb_machine_gpu_memory(a, &na);
	struct tb_gpu_numa *of_b = tb_machine_gpu_memory(b, &nb);

	assert_int_equal(na, nb);
	for (unsigned i = 0; i < na; i++) {
		assert_int_equal(of_a[i].os_node, of_b[i].os_node);
		assert_int_equal(of_a[i].address.domain,
				 of_b[i].address.domain);
		assert_int_equal(of_a[i].address.bus, of_b[i].address.bus);
	}
	free(of_a);
	free(of_b);
}

static void assert_same(const struct tb_machine *a, const struct tb_machine *b)
{
	unsigned threads = tb_topology_threads(tb_machine_topology(a));
	struct tb_bitset *one = tb_bitset_create(threads);

	assert_string_equal(tb_machine_string(a), tb_machine_string(b));
	assert_true(tb_topology_same_shape(tb_machine_topology(a),
					   tb_machine_topology(b)));
	assert_same_numa(a, b);
	assert_same_gpus(a, b);
	assert_same_set(tb_machine_memory(a, TB_MEMORY_ALL),
			tb_machine_memory(b, TB_MEMORY_ALL));
	for (unsigned i = 0; i < threads; i++) {
		assert_int_equal(tb_machine_os_cpu(a, i),
				 tb_machine_os_cpu(b, i));
		tb_bitset_clear_all(one);
		tb_bitset_set(one, i);
		assert_same_set(tb_machine_memory_of_threads(a, one,
							     TB_MEMORY_ALL),
				tb_machine_memory_of_threads(b, one,
							     TB_MEMORY_ALL));
	}
	tb_bitset_destroy(one);
}

static void check_round_trip(const char *folder, const char *name)
{
	struct tb_error err = { "" };
	struct tb_machine *machine, *back;
	char *xml;

	assert_true(asprintf(&xml, "%s/%s", folder, name) > 0);
	machine = tb_machine_load_xml(xml, &err);
	assert_non_null(machine);
	if (tb_machine_save(machine, path, &err))
		fail_msg("%s: %s", name, err.text);
	back = tb_machine_read(path, &err);
	if (!back)
		fail_msg("%s: %s", name, err.text);
	assert_same(machine, back);
	tb_machine_destroy(machine);
	tb_machine_destroy(back);
	free(xml);
}

static int check_round_trips(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int files = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (!strstr(entry->d_name, ".xml"))
			continue;
		check_round_trip(folder, entry->d_name);
		files++;
	}
	closedir(dir);
	return files;
}

static void test_round_trip(void **state)
{
	(void)state;
	assert_true(check_round_trips(TOPOLOGIES) >= 22);
	/* With memory of GPUs among them. */
	assert_true(check_round_trips(TEST_DATA_DIR "/memory") >= 6);
}

/* Saving leaves one file that only root can write, and follows no link. */
static void test_saved_file(void **state)
{
	char *new_path, *elsewhere;
	struct stat st;

	(void)state;
	assert_true(asprintf(&new_path, "%s.%d.new", path, (int)getpid()) > 0);
	assert_true(asprintf(&elsewhere, "%s/elsewhere", directory) > 0);
	assert_int_equal(symlink(elsewhere, new_path), 0);
	save_example();
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(st.st_uid, 0);
	assert_int_equal(st.st_mode & 022, 0);
	assert_int_not_equal(lstat(new_path, &st), 0);
	assert_int_not_equal(lstat(elsewhere, &st), 0);
	free(new_path);
	free(elsewhere);
}

static void test_save_fails(void **state)
{
	struct tb_error err = { "" };
	struct tb_machine *machine = tb_machine_load_synthetic("core:2 pu:1",
							       &err);

	(void)state;
	assert_non_null(machine);
	assert_int_equal(tb_machine_save(machine, "/nonexistent/machine", &err),
			 -1);
	assert_non_null(strstr(err.text, "/nonexistent/machine"));
	assert_int_equal(tb_machine_save(machine, directory, &err), -1);
	tb_machine_destroy(machine);
}

/* ---- files that are not read ---- */

static void test_kind_of_file(void **state)
{
	char *target;

	(void)state;
	unlink(path);
	assert_refused("a missing file");

	save_example();
	assert_int_equal(chown(path, NOBODY, 0), 0);
	assert_refused("another user's file");
	assert_int_equal(chown(path, 0, 0), 0);
	assert_int_equal(chmod(path, 0664), 0);
	assert_refused("a file that the group can write");
	assert_int_equal(chmod(path, 0646), 0);
	assert_refused("a file that others can write");

	assert_int_equal(chmod(path, 0644), 0);
	assert_true(asprintf(&target, "%s/target", directory) > 0);
	assert_int_equal(rename(path, target), 0);
	assert_int_equal(symlink(target, path), 0);
	assert_refused("a symbolic link");
	unlink(path);
	unlink(target);
	free(target);

	assert_int_equal(mkfifo(path, 0600), 0);
	assert_refused("a pipe");
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_refused("a directory");
	assert_int_equal(rmdir(path), 0);
}

static void test_size_of_file(void **state)
{
	(void)state;
	write_bytes("", 0);
	assert_refused("an empty file");
	save_example();
	assert_int_equal(truncate(path, TB_MACHINE_FILE_MAX + 1L), 0);
	assert_refused("a file that is too large");
}

/* No prefix of a good file is a good file, nor one with more at its end. */
static void test_truncated(void **state)
{
	size_t size;
	char *bytes;

	(void)state;
	save_example();
	bytes = read_bytes(&size);
	for (size_t i = 0; i < size; i++) {
		write_bytes(bytes, i);
		assert_refused("a prefix");
	}
	bytes[size] = '\n';
	write_bytes(bytes, size + 1);
	assert_refused("one byte more");
	free(bytes);
}

static void test_bad_lines(void **state)
{
	static const char *const files[] = {
		"topobind-machine 1\ntopology SC\nos_cpus 0\nnuma_os_nodes -\n"
		"distances -\nmemory_nodes 0\nend\n",
		"topobind-machine 2\ntopology S\nos_cpus 0\nnuma_os_nodes -\n"
		"distances -\nmemory_nodes 0\nend\n",
		"topobind-machine 2\ntopology SC\nos_cpus 65536\n"
		"numa_os_nodes -\ndistances -\nmemory_nodes 0\nend\n",
		"topobind-machine 2\ntopology SC\nos_cpus -1\n"
		"numa_os_nodes -\ndistances -\nmemory_nodes 0\nend\n",
		"topobind-machine 2\ntopology SC\nos_cpus 0 1\n"
		"numa_os_nodes -\ndistances -\nmemory_nodes 0\nend\n",
		"topobind-machine 2\ntopology SCC\nos_cpus 0\n"
		"numa_os_nodes -\ndistances -\nmemory_nodes 0\nend\n",
		"topobind-machine 2\ntopology SCC\nos_cpus 1 1\n"
		"numa_os_nodes -\ndistances -\nmemory_nodes 0\nend\n",
		"topobind-machine 2\ntopology SCC\nos_cpus 0  1\n"
		"numa_os_nodes -\ndistances -\nmemory_nodes 0\nend\n",
		"topobind-machine 2\ntopology SCC\nos_cpus 0 1 \n"
		"numa_os_nodes -\ndistances -\nmemory_nodes 0\nend\n",
		"topobind-machine 2\ntopology NSC\nos_cpus 0\n"
		"numa_os_nodes -\ndistances -\nmemory_nodes 0\nend\n",
		"topobind-machine 2\ntopology NSCNSC\nos_cpus 0 1\n"
		"numa_os_nodes 3 3\ndistances -\nmemory_nodes 0\nend\n",
		"topobind-machine 2\ntopology NSC\nos_cpus 0\n"
		"numa_os_nodes 0\ndistances 10 20\nmemory_nodes 0\nend\n",
		"topobind-machine 2\ntopology NSC\nos_cpus 0\n"
		"numa_os_nodes 0\ndistances 99999999999\nmemory_nodes 0\nend\n",
		"topobind-machine 2\ntopology SC\nos_cpus 0\n"
		"numa_os_nodes -\ndistances 10\nmemory_nodes 0\nend\n",
		"topobind-machine 2\ntopology SC\nos_cpus 0\n"
		"numa_os_nodes -\ndistances -\nmemory_nodes 1\n"
		"memory 0 gpu 0 0004:05:00\nend\n",
		"topobind-machine 2\ntopology SC\nos_cpus 0\n"
		"numa_os_nodes -\ndistances -\nmemory_nodes 1\n"
		"memory 0 gpu 0 0004:05:00.0 \nend\n",
		"topobind-machine 2\ntopology SC\nos_cpus 0\n"
		"numa_os_nodes -\ndistances -\nmemory_nodes 1\n"
		"memory 0 main 0 0004:05:00.0\nend\n",
		"topobind-machine 2\ntopology NSC\nos_cpus 0\n"
		"numa_os_nodes 0\ndistances -\nmemory_nodes 4000000000\nend\n",
		"topobind-machine 2\ntopology NSC\nos_cpus 0\n"
		"numa_os_nodes 0\ndistances -\nmemory_nodes 1\nend\n",
		"topobind-machine 2\ntopology NSC\nos_cpus 0\n"
		"numa_os_nodes 0\ndistances -\nmemory_nodes 1\nmemory 0\nend\n",
		"topobind-machine 2\ntopology NSC\nos_cpus 0\n"
		"numa_os_nodes 0\ndistances -\nmemory_nodes 1\nmemory 0 main 1\nend\n",
		"topobind-machine 2\ntopology NSC\nos_cpus 0\n"
		"numa_os_nodes 0\ndistances -\nmemory_nodes 1\n"
		"memory 70000 main 0\nend\n",
		"topobind-machine 2\ntopology NSC\nos_cpus 0\n"
		"numa_os_nodes 0\ndistances -\nmemory_nodes 1\n"
		"memory 0 tape 0\nend\n",
		"topobind-machine 2\ntopology NSC\nos_cpus 0\n"
		"numa_os_nodes 0\ndistances -\nmemory_nodes 1\n"
		"memory 0 0\nend\n",
		"topobind-machine 2\ntopology NSC\nos_cpus 0\n"
		"numa_os_nodes 0\ndistances -\nmemory_nodes 2\n"
		"memory 0 main 0\nmemory 0 main -\nend\n",
		"topobind-machine 2\nos_cpus 0\ntopology SC\nnuma_os_nodes -\n"
		"distances -\nmemory_nodes 0\nend\n",
	};
	static const char good[] =
		"topobind-machine 2\ntopology NSC\nos_cpus 7\n"
		"numa_os_nodes 2\ndistances 10\nmemory_nodes 2\n"
		"memory 2 main 0\nmemory 5 hbm -\nend\n";
	struct tb_machine *machine;

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		write_bytes(files[i], strlen(files[i]));
		assert_refused(files[i]);
	}
	/* The same by hand and right: it is not the form that is refused. */
	write_bytes(good, strlen(good));
	machine = tb_machine_read(path, NULL);
	assert_non_null(machine);
	tb_machine_destroy(machine);
	write_bytes(good, sizeof(good));
	assert_refused("a zero byte at the end");
}

/* Use everything that a reader would use, so that sanitizers see it. */
static void use(const struct tb_machine *machine)
{
	unsigned threads = tb_topology_threads(tb_machine_topology(machine));
	struct tb_bitset *all = tb_bitset_create(threads);
	struct tb_bitset *os_cpus, *memory, *local;

	tb_bitset_set_range(all, 0, threads);
	os_cpus = tb_machine_os_cpus_of_threads(machine, all);
	memory = tb_machine_memory(machine, TB_MEMORY_ALL);
	local = tb_machine_memory_of_threads(machine, all, TB_MEMORY_ALL);
	assert_int_equal(tb_bitset_count(os_cpus), threads);
	assert_true(tb_bitset_contains(memory, local));
	tb_bitset_destroy(all);
	tb_bitset_destroy(os_cpus);
	tb_bitset_destroy(memory);
	tb_bitset_destroy(local);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Whatever is changed: it is refused, or it is a machine that makes sense. */
static void test_random_bytes(void **state)
{
	uint32_t seed = 1;
	unsigned refused = 0;
	size_t size;
	char *bytes, *changed;

	(void)state;
	save_example();
	bytes = read_bytes(&size);
	changed = malloc(size);
	assert_non_null(changed);
	for (unsigned i = 0; i < 4000; i++) {
		struct tb_machine *machine;

		memcpy(changed, bytes, size);
		for (unsigned j = 0; j <= i % 4; j++)
			changed[next_random(&seed) % size] =
				i % 2 ? " -,0123456789\nNSXCT"
						[next_random(&seed) % 19]
				      : (char)next_random(&seed);
		write_bytes(changed, size);
		machine = tb_machine_read(path, NULL);
		if (machine)
			use(machine);
		else
			refused++;
		tb_machine_destroy(machine);
	}
	assert_true(refused > 2000);
	for (unsigned i = 0; i < 200; i++) {
		for (size_t j = 0; j < size; j++)
			changed[j] = (char)next_random(&seed);
		write_bytes(changed, size);
		assert_refused("random bytes");
	}
	free(changed);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_saved_file),
		cmocka_unit_test(test_save_fails),
		cmocka_unit_test(test_kind_of_file),
		cmocka_unit_test(test_size_of_file),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_random_bytes),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
