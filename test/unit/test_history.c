/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a history says about nodes, and that its text can be read again.
 */
#include "unit_test.h"

#include "core/policy/history.h"

static void note(struct tb_history *history, const char *name, uint32_t cpus,
		 const char *node, double seconds, bool failed)
{
	struct tb_application application = tb_application_of(name, cpus);

	tb_history_note_job(history, &application, node, seconds, failed, 10);
	tb_history_note_job(history, &application, NULL, seconds, failed, 10);
}

static double affinity(const struct tb_history *history, const char *name,
		       uint32_t cpus, const char *node)
{
	struct tb_application application = tb_application_of(name, cpus);

	return tb_history_affinity(history, &application, node);
}

static double failures(const struct tb_history *history, const char *name,
		       const char *node)
{
	struct tb_application application = tb_application_of(name, 1);

	return tb_history_failure_rate(history, &application, node);
}

static struct tb_history *learned(void)
{
	struct tb_history *history = tb_history_create(5);

	assert_non_null(history);
	note(history, "cfd", 8, "fast", 100, false);
	note(history, "cfd", 9, "slow", 300, false);
	note(history, "cfd", 8, "slow", 0, true);
	note(history, "cfd", 64, "slow", 7, false);
	note(history, "fem", 8, "slow", 1, false);
	tb_history_note_busy(history, "fast", 60.5, 10);
	tb_history_note_busy(history, "fast", 30, 10);
	tb_history_note_failure(history, "slow", 10);
	tb_history_note_failure(history, "slow", 10);
	return history;
}

static void check_learned(const struct tb_history *history)
{
	/* On all nodes together 200 s. */
	assert_true(affinity(history, "cfd", 8, "fast") == 2);
	assert_true(affinity(history, "cfd", 12, "fast") == 2);
	assert_true(affinity(history, "cfd", 8, "slow") == 200.0 / 300);
	assert_true(affinity(history, "cfd", 64, "slow") == 1);
	assert_true(affinity(history, "cfd", 64, "fast") == 1);
	assert_true(affinity(history, "new", 8, "fast") == 1);
	assert_true(failures(history, "cfd", "slow") == 1.0 / 3);
	assert_true(failures(history, "cfd", "fast") == 0);
	assert_true(failures(history, "fem", "slow") == 0);
	assert_true(tb_history_busy(history, "fast") == 90.5);
	assert_true(tb_history_busy(history, "slow") == 0);
	assert_int_equal(tb_history_failures(history, "slow"), 2);
	assert_int_equal(tb_history_failures(history, "fast"), 0);
	assert_int_equal(tb_history_since(history), 5);
}

static void learns(void **state)
{
	struct tb_history *history = learned();

	(void)state;
	check_learned(history);
	tb_history_destroy(history);
}

static void comes_back(void **state)
{
	struct tb_history *history = learned(), *again;
	struct tb_error err = { "" };
	char *text = tb_history_print(history);

	(void)state;
	assert_non_null(text);
	again = tb_history_parse(text, &err);
	assert_string_equal(err.text, "");
	assert_non_null(again);
	check_learned(again);
	free(text);
	tb_history_destroy(history);
	tb_history_destroy(again);
}

/* What one slurmctld has learned, and another after it. */
static void is_added(void **state)
{
	struct tb_history *history = tb_history_create(5), *newer = learned();

	(void)state;
	assert_non_null(history);
	tb_history_add(history, newer);
	check_learned(history);
	/* Means stay what they are, sums are of both. */
	tb_history_add(history, newer);
	assert_true(affinity(history, "cfd", 8, "fast") == 2);
	assert_true(failures(history, "cfd", "slow") == 1.0 / 3);
	assert_true(tb_history_busy(history, "fast") == 181);
	assert_int_equal(tb_history_failures(history, "slow"), 4);
	tb_history_destroy(history);
	history = tb_history_create(99);
	tb_history_add(history, newer);
	assert_int_equal(tb_history_since(history), 5);
	tb_history_destroy(history);
	tb_history_destroy(newer);
}

/* Numbers that a file may have, and no sum of them. */
static void sums_do_not_overflow(void **state)
{
	static const char text[] = "topobind-history 1 1\n1 0 4294967295 "
				   "4294967295 9223372036854775807\n";
	struct tb_history *history = tb_history_parse(text, NULL);
	char *printed;

	(void)state;
	assert_non_null(history);
	tb_history_add(history, history);
	printed = tb_history_print(history);
	assert_string_equal(printed, text);
	free(printed);
	tb_history_destroy(history);
}

/* Keys of one set, the first of which was never used: there is room for both. */
static void free_places_come_first(void **state)
{
	static const char text[] = "topobind-history 1 1\n1 0 1 0 1\n"
				   "2001 5 1 0 1\n";
	struct tb_history *history = tb_history_parse(text, NULL);
	char *printed;

	(void)state;
	assert_non_null(history);
	printed = tb_history_print(history);
	assert_string_equal(printed, text);
	free(printed);
	tb_history_destroy(history);
}

static void refuses_other_files(void **state)
{
	static const char *const texts[] = {
		"",
		"x",
		"topobind-history 2 5\n",
		"topobind-history 1 5",
		"topobind-history 1 5\n1 2 3 4\n",
		"topobind-history 1 5\n1 2 3 4 5",
		"topobind-history 1 5\n0 2 3 4 5\n",
		"topobind-history 1 5\n1 2 4294967296 4 5\n",
		"topobind-history 1 5\ng 2 3 4 5\n",
		"topobind-history 1 5\n11111111111111111 2 3 4 5\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct tb_error err = { "" };

		if (tb_history_parse(texts[i], &err))
			fail_msg("case %zu was read", i);
		assert_int_equal(strncmp(err.text, "line ", 5), 0);
	}
}

/* Much more than there is room for: what is used stays, memory does not grow. */
static void forgets_the_oldest(void **state)
{
	struct tb_history *history = tb_history_create(1);
	struct tb_application kept = tb_application_of("kept", 1);

	(void)state;
	assert_non_null(history);
	for (uint64_t i = 1; i < 300000; i++) {
		struct tb_application other;
		char name[32];

		snprintf(name, sizeof(name), "job%u", (unsigned)i);
		other = tb_application_of(name, 1);
		tb_history_note_job(history, &other, "n1", 1, false, i);
		if (i % 1000 == 1)
			tb_history_note_job(history, &kept, "n1", 1, true, i);
	}
	assert_true(tb_history_failure_rate(history, &kept, "n1") == 1);
	assert_true(failures(history, "job1", "n1") == 0);
	tb_history_destroy(history);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(learns),
		cmocka_unit_test(comes_back),
		cmocka_unit_test(is_added),
		cmocka_unit_test(sums_do_not_overflow),
		cmocka_unit_test(free_places_come_first),
		cmocka_unit_test(refuses_other_files),
		cmocka_unit_test(forgets_the_oldest),
	};

	return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
