/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is set of soft binding at run time: kept in files, read back, and whose word
 * counts for a task.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "soft_settings.h"

static char spool[] = "/tmp/topobind-settings-XXXXXX";
static struct tb_registry *registry;
static struct tb_error err;

static const struct tb_soft_target all = { .step = TB_SOFT_EACH,
					   .task = TB_SOFT_EACH };

static int set_up(void **state)
{
	(void)state;
	strcpy(spool + strlen(spool) - 6, "XXXXXX");
	if (mkdtemp(spool) == NULL)
		return -1;
	registry = tb_registry_open(spool, &err);
	return registry == NULL;
}

static int tear_down(void **state)
{
	int dir = tb_registry_dir(registry)->fd;

	(void)state;
	unlinkat(dir, "settings", 0);
	unlinkat(dir, "7.settings", 0);
	tb_registry_close(registry);
	dir = open(spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	unlinkat(dir, TB_REGISTRY_DIRECTORY, AT_REMOVEDIR);
	close(dir);
	return rmdir(spool);
}

static struct tb_soft_settings read_settings(uint32_t job)
{
	struct tb_soft_settings settings;

	assert_int_equal(tb_soft_settings_read(registry, job, &settings, &err),
			 0);
	return settings;
}

static void write_settings(uint32_t job,
			   const struct tb_soft_settings *settings)
{
	assert_int_equal(tb_soft_settings_write(registry, job, settings, &err),
			 0);
}

static void prefer(struct tb_soft_settings *settings, uint32_t step,
		   uint32_t task, const char *list)
{
	const struct tb_soft_target target = { .step = step, .task = task };

	assert_int_equal(tb_soft_settings_prefer(settings, &target, list, &err),
			 0);
}

static void assert_preferred(const struct tb_soft_settings *settings,
			     uint32_t step, uint32_t task, const char *wanted)
{
	const struct tb_bitset *cpus = tb_soft_settings_preferred(settings,
								  step, task);
	char *list;

	if (wanted == NULL) {
		assert_null(cpus);
		return;
	}
	assert_non_null(cpus);
	list = tb_bitset_print_list(cpus);
	assert_string_equal(list, wanted);
	free(list);
}

/* Nothing, something, and nothing again, of the node and of a job. */
static void test_kept(void **state)
{
	struct tb_soft_settings settings = read_settings(7);
	unsigned low_pct = 85;
	enum tb_soft_count count = TB_SOFT_COUNT_JOB;

	(void)state;
	assert_int_equal(settings.threshold, TB_SOFT_UNSET);
	assert_int_equal(settings.count, TB_SOFT_UNSET);
	tb_soft_settings_apply(&settings, &low_pct, &count);
	assert_int_equal(low_pct, 85);
	settings.threshold = 0;
	settings.count = TB_SOFT_COUNT_ALL;
	prefer(&settings, 3, TB_SOFT_EACH, "1,8-9");
	write_settings(7, &settings);
	tb_soft_settings_clear(&settings);
	settings = read_settings(7);
	assert_preferred(&settings, 3, 5, "1,8-9");
	tb_soft_settings_apply(&settings, &low_pct, &count);
	assert_int_equal(low_pct, 0);
	assert_int_equal(count, TB_SOFT_COUNT_ALL);
	tb_soft_settings_clear(&settings);
	settings = read_settings(0);
	assert_int_equal(settings.threshold, TB_SOFT_UNSET);
	write_settings(7, &settings);
	assert_int_equal(faccessat(tb_registry_dir(registry)->fd, "7.settings",
				   F_OK, 0),
			 -1);
}

/* Who says something of all has the last word; of a part, only there. */
static void test_preferences(void **state)
{
	struct tb_soft_settings settings = read_settings(7);

	(void)state;
	prefer(&settings, TB_SOFT_EACH, TB_SOFT_EACH, "0-3");
	prefer(&settings, 2, TB_SOFT_EACH, "4");
	prefer(&settings, 2, 1, "5");
	prefer(&settings, TB_SOFT_EACH, 1, "6");
	assert_preferred(&settings, 0, 0, "0-3");
	assert_preferred(&settings, 2, 0, "4");
	/* The later word was of task 1 of each step. */
	assert_preferred(&settings, 2, 1, "6");
	prefer(&settings, 2, TB_SOFT_EACH, NULL);
	assert_preferred(&settings, 2, 0, "0-3");
	prefer(&settings, TB_SOFT_EACH, TB_SOFT_EACH, "7");
	assert_preferred(&settings, 2, 1, "7");
	assert_int_equal(settings.count_of_preferences, 1);
	assert_int_equal(tb_soft_settings_prefer(&settings, &all, "x", &err),
			 -1);
	assert_preferred(&settings, 2, 1, "7");
	tb_soft_settings_clear(&settings);
	assert_preferred(&settings, 2, 1, NULL);
}

/* This thread of this process, and one that cannot be. */
static struct tb_thread_id own_thread(void)
{
	struct tb_thread now;

	assert_true(tb_thread_read(getpid(), &now));
	return (struct tb_thread_id){ getpid(), now.started };
}

static void prefer_thread(struct tb_soft_settings *settings, uint32_t step,
			  const struct tb_thread_id *thread, const char *list)
{
	const struct tb_soft_target target = { step, 1, *thread };

	assert_int_equal(tb_soft_settings_prefer(settings, &target, list, &err),
			 0);
}

static void assert_thread(const struct tb_soft_settings *settings,
			  const struct tb_thread_id *thread, const char *wanted)
{
	const struct tb_bitset *cpus = tb_soft_settings_of_thread(settings,
								  thread);
	char *list = cpus != NULL ? tb_bitset_print_list(cpus) : strdup("none");

	assert_string_equal(list, wanted);
	free(list);
}

/* Of threads nothing counts for their task; what is said of the task ends it. */
static void test_threads(void **state)
{
	struct tb_soft_settings settings = read_settings(7);
	const struct tb_thread_id own = own_thread();
	const struct tb_thread_id before = { own.tid, own.started - 1 };
	const struct tb_thread_id none = { INT32_MAX, UINT64_MAX / 16 };

	(void)state;
	prefer(&settings, 2, 1, "0-3");
	prefer_thread(&settings, 2, &own, "1");
	prefer_thread(&settings, 2, &none, "2");
	write_settings(7, &settings);
	tb_soft_settings_clear(&settings);
	settings = read_settings(7);
	assert_preferred(&settings, 2, 1, "0-3");
	assert_thread(&settings, &own, "1");
	assert_thread(&settings, &none, "2");
	assert_thread(&settings, &before, "none");
	tb_soft_settings_drop_ended(&settings);
	assert_thread(&settings, &own, "1");
	assert_thread(&settings, &none, "none");
	/* A thread that has its number now is another one. */
	prefer_thread(&settings, 2, &before, "3");
	assert_thread(&settings, &own, "none");
	tb_soft_settings_drop_ended(&settings);
	assert_int_equal(settings.count_of_preferences, 1);
	prefer_thread(&settings, 2, &own, "1");
	prefer_thread(&settings, 2, &own, NULL);
	assert_thread(&settings, &own, "none");
	assert_preferred(&settings, 2, 1, "0-3");
	prefer_thread(&settings, 2, &own, "1");
	prefer(&settings, 3, TB_SOFT_EACH, "0");
	assert_thread(&settings, &own, "1");
	prefer(&settings, 2, TB_SOFT_EACH, NULL);
	assert_thread(&settings, &own, "none");
	tb_soft_settings_clear(&settings);
}

/* All of it counts, or nothing of it. */
static void test_rubbish(void **state)
{
	static const char *const texts[] = {
		"threshold 101\n",
		"threshold\n",
		"threshold 5",
		"threshold 5 \n",
		"count some\n",
		"prefer 1 2\n",
		"prefer 1 2 3-\n",
		"prefer x * 3\n",
		"prefer 1 * \n",
		"threshold 5\nnone\n",
		"prefer -1 0 3\n",
		"prefer 1 2 99999\n",
		"\n",
		"threshold -1\n",
		"thread 1 2 3\n",
		"thread 1 2 0 4 0-1\n",
		"thread 1 2 3 4\n",
		"thread 1 2 3 4 \n",
		"thread 1 2 -3 4 0\n",
		"thread 1 2 2147483648 4 0\n",
		"thread 1 2 3 18446744073709551616 0\n",
	};
	int dir = tb_registry_dir(registry)->fd;
	struct tb_soft_settings settings;

	(void)state;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		int fd = openat(dir, "7.settings",
				O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		assert_int_equal(write(fd, texts[i], strlen(texts[i])),
				 strlen(texts[i]));
		close(fd);
		assert_int_equal(tb_soft_settings_read(registry, 7, &settings,
						       &err),
				 -1);
		assert_int_equal(settings.threshold, TB_SOFT_UNSET);
		assert_int_equal(settings.count_of_preferences, 0);
	}
	unlinkat(dir, "7.settings", 0);
	assert_int_equal(symlinkat("/dev/zero", dir, "7.settings"), 0);
	assert_int_equal(tb_soft_settings_read(registry, 7, &settings, &err),
			 -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_kept),
		TEST(test_preferences),
		TEST(test_threads),
		TEST(test_rubbish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
