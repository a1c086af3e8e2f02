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

static const struct tb_soft_target all = { TB_SOFT_EACH, TB_SOFT_EACH };

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
	const struct tb_soft_target target = { step, task };

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
		TEST(test_rubbish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
