/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels with soft binding of their own, in a tree of plain files; CPU time and
 * processes of cgroups in such a tree, too.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ftw.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "preferred.h"
#include "tree.h"
#include "usage.h"

static char root[] = "/tmp/topobind-preferred-XXXXXX";

static char *path_of(const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", root, name) >= 0);
	return path;
}

static void make_dir(const char *name)
{
	char *path = path_of(name);

	assert_int_equal(mkdir(path, 0755), 0);
	free(path);
}

static void put(const char *name, const char *text)
{
	char *path = path_of(name);
	FILE *out = fopen(path, "we");

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
	free(path);
}

static void assert_has(const char *name, const char *wanted)
{
	char seen[200] = "";
	char *path = path_of(name);
	FILE *in = fopen(path, "re");

	assert_non_null(in);
	seen[fread(seen, 1, sizeof(seen) - 1, in)] = '\0';
	fclose(in);
	free(path);
	assert_string_equal(seen, wanted);
}

static int remove_entry(const char *path, const struct stat *status, int type,
			struct FTW *ftw)
{
	(void)status;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(strrchr(root, '-') + 1, "XXXXXX");
	return mkdtemp(root) != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	return nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static int set_cgroup(const char *name, const char *list)
{
	char *path = path_of(name);
	struct tb_error err;
	int rc = tb_preferred_set_cgroup(path, list, &err);

	if (rc < 0)
		assert_true(err.text[0] != '\0');
	free(path);
	return rc;
}

static void test_cgroup(void **state)
{
	char *file;

	(void)state;
	make_dir("native");
	put("native/cpuset.cpus", "0-7\n");
	put("native/cpuset.preferred_cpus", "");
	assert_int_equal(set_cgroup("native", "2-3"), 1);
	assert_has("native/cpuset.preferred_cpus", "2-3");
	assert_has("native/cpuset.cpus", "0-7\n");
	/* no file is made where the kernel has none */
	make_dir("plain");
	put("plain/cpuset.cpus", "0-7\n");
	assert_int_equal(set_cgroup("plain", "2-3"), 0);
	file = path_of("plain/cpuset.preferred_cpus");
	assert_int_equal(access(file, F_OK), -1);
	free(file);
	assert_int_equal(set_cgroup("missing", "2-3"), -1);
}

static void test_links_are_not_followed(void **state)
{
	char *link;

	(void)state;
	make_dir("group");
	put("victim", "keep");
	link = path_of("group/cpuset.preferred_cpus");
	assert_int_equal(symlink("../victim", link), 0);
	free(link);
	assert_int_equal(set_cgroup("group", "2-3"), -1);
	assert_has("victim", "keep");
}

static void test_threads(void **state)
{
	struct tb_error err;

	(void)state;
	make_dir("41");
	make_dir("41/task");
	make_dir("41/task/41");
	make_dir("41/task/57");
	put("41/task/41/preferred_cpuset", "");
	put("41/task/57/preferred_cpuset", "");
	assert_int_equal(tb_preferred_set_process(root, 41, "0,4-5", &err), 1);
	assert_has("41/task/41/preferred_cpuset", "0,4-5");
	assert_has("41/task/57/preferred_cpuset", "0,4-5");
	/* a kernel without */
	make_dir("42");
	make_dir("42/task");
	make_dir("42/task/42");
	assert_int_equal(tb_preferred_set_process(root, 42, "0", &err), 0);
	assert_int_equal(tb_preferred_set_process(root, 43, "0", &err), -1);
}

static void test_switch(void **state)
{
	(void)state;
	assert_false(tb_preferred_is_disabled(root));
	make_dir("sys");
	make_dir("sys/kernel");
	put("sys/kernel/sched_dynamic_affinity_disable", "0\n");
	assert_false(tb_preferred_is_disabled(root));
	put("sys/kernel/sched_dynamic_affinity_disable", "1\n");
	assert_true(tb_preferred_is_disabled(root));
}

static void test_counters(void **state)
{
	struct tb_preferred_counters *counters;
	struct tb_soft_counts counts;
	char *path = path_of("job");

	(void)state;
	assert_null(tb_preferred_counters_open(path));
	make_dir("job");
	put("job/cpuacct.nr_select_prefer_cpus", "18446744073709551615\n");
	put("job/cpuacct.nr_select_allowed_cpus", "42\n");
	assert_null(tb_preferred_counters_open(path));
	put("job/cpuacct.nr_smoothed_prefer_cpus", "0\n");
	counters = tb_preferred_counters_open(path);
	assert_non_null(counters);
	counts = tb_preferred_counters_read(counters);
	assert_true(counts.preferred == UINT64_MAX);
	assert_int_equal(counts.allowed, 42);
	assert_int_equal(counts.smoothed, 0);
	put("job/cpuacct.nr_smoothed_prefer_cpus", "7\n");
	counts = tb_preferred_counters_read(counters);
	assert_int_equal(counts.smoothed, 7);
	tb_preferred_counters_close(counters);
	free(path);
}

/* ---- processes and CPU time ---- */

static void test_tree(void **state)
{
	char *path = path_of("job");

	(void)state;
	assert_false(tb_cgroup_tree_is_busy(path));
	make_dir("job");
	put("job/cgroup.procs", "");
	make_dir("job/step");
	put("job/step/cgroup.procs", "");
	make_dir("job/step/task");
	put("job/step/task/cgroup.procs", "");
	assert_false(tb_cgroup_tree_is_busy(path));
	put("job/step/task/cgroup.procs", "17\n");
	assert_true(tb_cgroup_tree_is_busy(path));
	assert_false(tb_cgroup_tree_is_busy(""));
	free(path);
}

static struct tb_usage *open_usage(const char *name, bool is_v2)
{
	char *path = path_of(name);
	struct tb_error err;
	struct tb_usage *usage = tb_usage_open(path, is_v2, &err);

	assert_non_null(usage);
	free(path);
	return usage;
}

static void test_usage_v2(void **state)
{
	struct tb_usage *usage;
	struct tb_error err;

	(void)state;
	make_dir("group");
	put("group/cpu.stat",
	    "usage_usec 1234567\nuser_usec 1\nsystem_usec 2\n");
	usage = open_usage("group", true);
	assert_int_equal(tb_usage_read(usage), 1234567);
	put("group/cpu.stat", "usage_usec 2234567\n");
	assert_int_equal(tb_usage_read(usage), 2234567);
	put("group/cpu.stat", "");
	assert_int_equal(tb_usage_read(usage), 0);
	tb_usage_close(usage);
	assert_null(tb_usage_open("/nowhere", true, &err));
}

static double cpu_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void burn(double seconds)
{
	double end = cpu_seconds() + seconds;

	while (cpu_seconds() < end)
		;
}

/* This process, and a child that has ended. */
static void test_usage_v1(void **state)
{
	struct tb_usage *usage;
	char text[40];
	uint64_t before, between;
	pid_t pid;

	(void)state;
	make_dir("group");
	snprintf(text, sizeof(text), "%d\n2147483647\n", (int)getpid());
	put("group/cgroup.procs", text);
	usage = open_usage("group", false);
	before = tb_usage_read(usage);
	burn(0.2);
	between = tb_usage_read(usage);
	/* a kernel's tick is a hundredth of a second */
	assert_in_range(between - before, 170000, 1000000);
	pid = fork();
	if (pid == 0) {
		burn(0.2);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_in_range(tb_usage_read(usage) - between, 170000, 1000000);
	/* nobody is left */
	put("group/cgroup.procs", "");
	assert_int_equal(tb_usage_read(usage), 0);
	tb_usage_close(usage);
}

static void test_usage_of_cpus(void **state)
{
	uint64_t used[4] = { 9, 9, 9, 9 };
	char text[9000] = "cpu  1 1 1 1 1 1 1 1 0 0\n";
	char *path = path_of("stat");
	FILE *file;

	(void)state;
	/* user nice system idle iowait irq softirq steal */
	strcat(text, "cpu0 100 10 20 5000 700 1 2 3 0 0\n"
		     "cpu2 0 0 0 5000 700 0 0 0 0 0\n");
	for (unsigned cpu = 4; cpu < 200; cpu++) {
		char line[60];

		snprintf(line, sizeof(line), "cpu%u 1 1 1 1 1 1 1 1 0 0\n",
			 cpu);
		strcat(text, line);
	}
	strcat(text, "cpu3 7 0 0 0 0 0 0 0 0 0\nintr 12345 0 0\n");
	put("stat", text);
	file = fopen(path, "re");
	assert_non_null(file);
	assert_int_equal(tb_usage_of_cpus(fileno(file), used, 4), 0);
	assert_int_equal(used[0], 136 * 10000);
	assert_int_equal(used[1], 9);
	assert_int_equal(used[2], 0);
	assert_int_equal(used[3], 7 * 10000);
	fclose(file);
	free(path);
}

static int tune(unsigned low_pct, enum tb_soft_count count)
{
	char *features = path_of("features");
	struct tb_error err;
	int rc = tb_preferred_tune(root, features, low_pct, count, &err);

	free(features);
	return rc;
}

static void test_tune(void **state)
{
	(void)state;
	make_dir("sys");
	make_dir("sys/kernel");
	assert_int_equal(tb_preferred_threshold(root), -1);
	/* A kernel without; nothing is made. */
	assert_int_equal(tune(85, TB_SOFT_COUNT_JOB), 0);
	assert_int_equal(tb_preferred_threshold(root), -1);
	put("sys/kernel/sched_util_low_pct", "");
	assert_int_equal(tune(70, TB_SOFT_COUNT_JOB), 1);
	assert_int_equal(tb_preferred_threshold(root), 70);
	put("features", "");
	assert_int_equal(tune(71, TB_SOFT_COUNT_JOB), 1);
	assert_has("features", "DA_UTIL_TASKGROUP");
	put("features", "");
	assert_int_equal(tune(0, TB_SOFT_COUNT_ALL), 1);
	assert_has("features", "NO_DA_UTIL_TASKGROUP");
}

/* Of a cgroup: those that have ended do not count, unless all of them have. */
static void test_processes(void **state)
{
	struct tb_error err;
	char *group = path_of("group");

	(void)state;
	make_dir("group");
	assert_int_equal(tb_preferred_set_processes(root, group, "1", &err),
			 -1);
	put("group/cgroup.procs", "");
	assert_int_equal(tb_preferred_set_processes(root, group, "1", &err), 0);
	put("group/cgroup.procs", "11\n12\n13\n");
	assert_int_equal(tb_preferred_set_processes(root, group, "1", &err),
			 -1);
	make_dir("12");
	make_dir("12/task");
	make_dir("12/task/12");
	assert_int_equal(tb_preferred_set_processes(root, group, "1", &err),
			 -1);
	put("12/task/12/preferred_cpuset", "");
	assert_int_equal(tb_preferred_set_processes(root, group, "1-2", &err),
			 1);
	assert_has("12/task/12/preferred_cpuset", "1-2");
	free(group);
}

static void test_reset(void **state)
{
	const struct tb_preferred_which which = { .allowed = true };
	struct tb_preferred_counters *counters;
	char *group = path_of("group");

	(void)state;
	make_dir("group");
	put("group/cpuacct.nr_select_prefer_cpus", "5\n");
	put("group/cpuacct.nr_select_allowed_cpus", "6\n");
	put("group/cpuacct.nr_smoothed_prefer_cpus", "7\n");
	counters = tb_preferred_counters_open(group);
	assert_non_null(counters);
	tb_preferred_counters_reset(counters, &which);
	assert_int_equal(tb_preferred_counters_read(counters).allowed, 0);
	assert_has("group/cpuacct.nr_select_prefer_cpus", "5\n");
	assert_has("group/cpuacct.nr_select_allowed_cpus", "0\n");
	assert_has("group/cpuacct.nr_smoothed_prefer_cpus", "7\n");
	tb_preferred_counters_close(counters);
	free(group);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_cgroup),	  TEST(test_links_are_not_followed),
		TEST(test_threads),	  TEST(test_switch),
		TEST(test_counters),	  TEST(test_tree),
		TEST(test_usage_v2),	  TEST(test_usage_v1),
		TEST(test_usage_of_cpus), TEST(test_tune),
		TEST(test_processes),	  TEST(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
