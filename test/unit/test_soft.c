/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Soft binding: the choice on load curves, drawn and recorded, and the CPUs that
 * are allowed.
 */
#include "unit_test.h"

#include "core/soft/soft.h"
#include "tsv.h"

#define ROOM 1000000 /* one CPU, one second */

static enum tb_soft_choice feed(struct tb_soft *soft, unsigned low_pct,
				unsigned pct)
{
	const struct tb_soft_sample sample = {
		.busy_us = (uint64_t)ROOM / 100 * pct,
		.room_us = ROOM,
	};

	return tb_soft_decide(soft, low_pct, &sample);
}

static enum tb_soft_choice feed_times(struct tb_soft *soft, unsigned low_pct,
				      unsigned pct, unsigned times)
{
	for (unsigned i = 0; i < times; i++)
		feed(soft, low_pct, pct);
	return soft->choice;
}

/* --- the threshold --- */

static void test_constant_load(void **state)
{
	static const struct {
		unsigned low_pct, load;
		enum tb_soft_choice end;
	} table[] = {
		/* without a threshold only idle CPUs are preferred */
		{ 0, 0, TB_SOFT_PREFERRED },
		{ 0, 1, TB_SOFT_ALLOWED },
		{ 0, 100, TB_SOFT_ALLOWED },
		{ 50, 49, TB_SOFT_PREFERRED },
		{ 50, 50, TB_SOFT_ALLOWED },
		{ 85, 0, TB_SOFT_PREFERRED },
		{ 85, 84, TB_SOFT_PREFERRED },
		{ 85, 85, TB_SOFT_ALLOWED },
		{ 85, 400, TB_SOFT_ALLOWED },
		/* the CPUs must be full; measuring has a percent of error */
		{ 100, 98, TB_SOFT_PREFERRED },
		{ 100, 99, TB_SOFT_ALLOWED },
		{ 100, 100, TB_SOFT_ALLOWED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tb_soft soft = { 0 };

		assert_int_equal(feed_times(&soft, table[i].low_pct,
					    table[i].load, 20),
				 table[i].end);
	}
}

/* The higher the threshold, the less a task spreads, whatever the load. */
static void test_threshold_is_monotonic(void **state)
{
	(void)state;
	for (unsigned load = 0; load <= 120; load++) {
		uint64_t before = UINT64_MAX;

		for (unsigned pct = 0; pct <= 100; pct++) {
			struct tb_soft soft = { 0 };

			feed_times(&soft, pct, load, 10);
			assert_true(soft.counts.allowed <= before);
			before = soft.counts.allowed;
		}
	}
}

/* A sample over no time, and one without any CPU time, are never busy. */
static void test_no_time(void **state)
{
	const struct tb_soft_sample none = { 0 };
	struct tb_soft soft = { 0 };

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(tb_soft_decide(&soft, 0, &none),
				 TB_SOFT_PREFERRED);
}

/* --- smoothing --- */

static void test_peak_is_smoothed(void **state)
{
	struct tb_soft soft = { 0 };

	(void)state;
	for (unsigned i = 0; i < 30; i++) {
		assert_int_equal(feed(&soft, 85, 100), TB_SOFT_PREFERRED);
		assert_int_equal(feed(&soft, 85, 10), TB_SOFT_PREFERRED);
	}
	assert_int_equal(soft.counts.smoothed, 30);
	assert_int_equal(soft.counts.preferred, 60);
	assert_int_equal(soft.counts.allowed, 0);
}

static void test_dip_is_smoothed(void **state)
{
	struct tb_soft soft = { 0 };

	(void)state;
	feed_times(&soft, 85, 100, TB_SOFT_RISE);
	assert_int_equal(soft.choice, TB_SOFT_ALLOWED);
	for (unsigned i = 0; i < 30; i++) {
		assert_int_equal(feed_times(&soft, 85, 0, TB_SOFT_FALL - 1),
				 TB_SOFT_ALLOWED);
		assert_int_equal(feed(&soft, 85, 100), TB_SOFT_ALLOWED);
	}
	assert_int_equal(feed_times(&soft, 85, 0, TB_SOFT_FALL),
			 TB_SOFT_PREFERRED);
}

static void test_counts(void **state)
{
	struct tb_soft soft = { 0 };

	(void)state;
	feed_times(&soft, 85, 20, 5);
	feed_times(&soft, 85, 95, 5);
	assert_int_equal(soft.counts.preferred, 5 + TB_SOFT_RISE - 1);
	assert_int_equal(soft.counts.smoothed, TB_SOFT_RISE - 1);
	assert_int_equal(soft.counts.allowed, 5 - TB_SOFT_RISE + 1);
}

static unsigned moves_under(unsigned high, unsigned low, unsigned period,
			    unsigned samples)
{
	struct tb_soft soft = { 0 };
	enum tb_soft_choice before = soft.choice;
	unsigned moves = 0;

	for (unsigned i = 0; i < samples; i++) {
		unsigned load = i / period % 2 == 0 ? high : low;

		moves += feed(&soft, 85, load) != before;
		before = soft.choice;
	}
	return moves;
}

/* Square waves: slow ones are followed, fast ones soon are not. */
static void test_square_waves(void **state)
{
	(void)state;
	assert_int_equal(moves_under(100, 0, 500, 4000), 8);
	/* 400 half periods of 5; patience passes 5 at the first relapse */
	assert_in_range(moves_under(100, 0, 5, 2000), 1, 6);
	assert_int_equal(moves_under(100, 0, 1, 2000), 0);
}

/*
 * Loads that are high on the preferred CPUs and low once they have spread, as
 * when everybody on them is counted: no more moves than patience allows.
 */
static void test_feedback_does_not_flap(void **state)
{
	struct tb_soft soft = { 0 };
	enum tb_soft_choice before = soft.choice;
	unsigned moves = 0;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		moves += feed(&soft, 85,
			      before == TB_SOFT_ALLOWED ? 70 : 100) != before;
		before = soft.choice;
	}
	assert_in_range(moves, 2, 2 * (5 + 1000 / TB_SOFT_FALL_MAX));
	assert_int_equal(soft.patience, TB_SOFT_FALL_MAX);
	/* and it is forgotten after a long rest */
	feed_times(&soft, 85, 10, 500);
	feed_times(&soft, 85, 100, TB_SOFT_RISE);
	assert_int_equal(feed_times(&soft, 85, 10, TB_SOFT_FALL),
			 TB_SOFT_PREFERRED);
}

static void test_pause_keeps_state(void **state)
{
	const struct tb_soft_sample paused = { 0, ROOM, true };
	const struct tb_soft_sample busy = { ROOM, ROOM, true };
	struct tb_soft soft = { 0 }, copy;

	(void)state;
	feed_times(&soft, 85, 100, 7);
	feed_times(&soft, 85, 0, TB_SOFT_FALL - 1);
	copy = soft;
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(tb_soft_decide(&soft, 85, &paused),
				 TB_SOFT_ALLOWED);
		tb_soft_decide(&soft, 85, &busy);
	}
	assert_memory_equal(&soft, &copy, sizeof(soft));
	assert_int_equal(feed(&soft, 85, 0), TB_SOFT_PREFERRED);
}

static void test_retreat(void **state)
{
	struct tb_soft soft = { 0 };

	(void)state;
	feed_times(&soft, 85, 100, 7);
	tb_soft_retreat(&soft);
	assert_int_equal(soft.choice, TB_SOFT_PREFERRED);
	assert_int_equal(feed_times(&soft, 85, 100, TB_SOFT_RISE - 1),
			 TB_SOFT_PREFERRED);
	assert_int_equal(feed(&soft, 85, 100), TB_SOFT_ALLOWED);
}

/* --- recorded --- */

static uint64_t number(const struct tsv *curve, size_t row, const char *column)
{
	return strtoull(tsv_get(curve, row, column), NULL, 10);
}

/*
 * Whatever the threshold: each sample is one choice, a task has spread at the end
 * of some busy samples, and not without one in the time of its patience.
 */
static struct tb_soft replay(const struct tsv *curve, const char *counted,
			     unsigned low_pct, unsigned *moves)
{
	unsigned busy_rows = 0, quiet_rows = TB_SOFT_FALL_MAX;
	struct tb_soft soft = { 0 };

	*moves = 0;
	for (size_t row = 0; row < tsv_rows(curve); row++) {
		const struct tb_soft_sample sample = {
			.busy_us = number(curve, row, counted),
			.room_us = number(curve, row, "room_us"),
		};
		enum tb_soft_choice before = soft.choice;

		tb_soft_decide(&soft, low_pct, &sample);
		*moves += soft.choice != before;
		if (sample.busy_us > sample.room_us * low_pct / 100)
			busy_rows++;
		else
			busy_rows = 0;
		/* at 100 a percent of error makes no difference */
		if (sample.busy_us < sample.room_us * low_pct / 101)
			quiet_rows++;
		else
			quiet_rows = 0;
		if (busy_rows >= TB_SOFT_RISE)
			assert_int_equal(soft.choice, TB_SOFT_ALLOWED);
		if (quiet_rows >= TB_SOFT_FALL_MAX)
			assert_int_equal(soft.choice, TB_SOFT_PREFERRED);
	}
	assert_int_equal(soft.counts.preferred + soft.counts.allowed,
			 tsv_rows(curve));
	return soft;
}

/*
 * test/data/soft/compile.tsv: a shell that compiles and waits four times, then
 * computes and waits, on one CPU, every quarter of a second: the CPU time that
 * it used, and that everybody used on the CPU.
 */
static void test_recorded(void **state)
{
	struct tsv *curve = tsv_open("data/soft/compile.tsv");
	struct tb_soft soft;
	unsigned moves;

	(void)state;
	assert_true(tsv_rows(curve) > 50);
	for (unsigned pct = 0; pct <= 100; pct++) {
		replay(curve, "own_us", pct, &moves);
		assert_in_range(moves, 0, 12);
		replay(curve, "all_us", pct, &moves);
		assert_in_range(moves, 0, 12);
	}
	/* It computed for eight seconds, and at its end it waits. */
	soft = replay(curve, "own_us", 50, &moves);
	assert_true(soft.counts.allowed > 20);
	assert_int_equal(soft.choice, TB_SOFT_PREFERRED);
	tsv_close(curve);
}

/* --- the allowed CPUs --- */

static struct tb_bitset *set_of(const char *list, unsigned nbits)
{
	struct tb_bitset *set = *list != '\0'
					? tb_bitset_parse_list(list, nbits,
							       NULL)
					: tb_bitset_create(nbits);

	assert_non_null(set);
	return set;
}

static void assert_set(const struct tb_bitset *set, const char *list)
{
	char *seen = tb_bitset_print_list(set);

	assert_string_equal(seen, list);
	free(seen);
}

static void test_scope(void **state)
{
	static const struct {
		const char *topology;
		char letter;
		const char *preferred, *scope;
	} table[] = {
		{ "NSXCCXCCNSXCCXCC", 0, "2", "0-7" },
		{ "NSXCCXCCNSXCCXCC", 'S', "2", "0-3" },
		{ "NSXCCXCCNSXCCXCC", 'N', "2", "0-3" },
		{ "NSXCCXCCNSXCCXCC", 'X', "2", "2-3" },
		{ "NSXCCXCCNSXCCXCC", 'X', "1-2", "0-3" },
		{ "NSXCCXCCNSXCCXCC", 'X', "1,7", "0-1,6-7" },
		{ "SCCSCC", 'X', "2", "2-3" },
		{ "SCCSCC", 'N', "2", "2-3" },
		{ "CC", 'S', "1", "0-1" },
		{ "CC", 'X', "1", "0-1" },
		{ "SXCCC", 'X', "0-2", "0-2" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tb_topology *topology =
			tb_topology_parse(table[i].topology, NULL, NULL);
		unsigned threads = tb_topology_threads(topology);
		struct tb_bitset *preferred = set_of(table[i].preferred,
						     threads);
		struct tb_bitset *scope = tb_bitset_create(threads);

		tb_soft_scope(topology, table[i].letter, preferred, scope);
		assert_set(scope, table[i].scope);
		tb_bitset_destroy(scope);
		tb_bitset_destroy(preferred);
		tb_topology_destroy(topology);
	}
}

/* The preferred stay, also where they are shared with one that holds them. */
static void test_allowed(void **state)
{
	static const struct {
		const char *scope, *preferred, *used, *allowed;
	} table[] = {
		{ "0-7", "2", "", "0-7" },
		{ "0-7", "2", "0-1,5", "2-4,6-7" },
		{ "0-3", "2", "4-7", "0-3" },
		{ "0-7", "2", "0-7", "2" },
		{ "0-7", "2-3", "3-4", "0-3,5-7" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tb_bitset *scope = set_of(table[i].scope, 8);
		struct tb_bitset *preferred = set_of(table[i].preferred, 8);
		struct tb_bitset *used = set_of(table[i].used, 8);
		struct tb_bitset *allowed = tb_bitset_create(8);

		tb_soft_allowed(scope, preferred, used, allowed);
		assert_set(allowed, table[i].allowed);
		tb_bitset_destroy(allowed);
		tb_bitset_destroy(used);
		tb_bitset_destroy(preferred);
		tb_bitset_destroy(scope);
	}
}

/* Of what somebody said, what is allowed; all of it is never lost. */
static void test_preferred(void **state)
{
	static const struct {
		const char *said, *granted, *allowed, *preferred;
	} table[] = {
		{ NULL, "2", "0-7", "2" },  { "4-5", "2", "0-7", "4-5" },
		{ "4-5", "2", "2-4", "4" }, { "4-5", "2", "0-3", "2" },
		{ "2-3", "2", "2", "2" },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tb_bitset *said = table[i].said
						 ? set_of(table[i].said, 8)
						 : NULL;
		struct tb_bitset *granted = set_of(table[i].granted, 8);
		struct tb_bitset *allowed = set_of(table[i].allowed, 8);
		struct tb_bitset *preferred = tb_bitset_create(8);

		tb_soft_preferred(said, granted, allowed, preferred);
		assert_set(preferred, table[i].preferred);
		tb_bitset_destroy(preferred);
		tb_bitset_destroy(allowed);
		tb_bitset_destroy(granted);
		tb_bitset_destroy(said);
	}
}

static void test_count_words(void **state)
{
	enum tb_soft_count count = TB_SOFT_COUNT_JOB;

	(void)state;
	assert_true(tb_soft_count_read("All", &count));
	assert_int_equal(count, TB_SOFT_COUNT_ALL);
	assert_true(tb_soft_count_read("job", &count));
	assert_int_equal(count, TB_SOFT_COUNT_JOB);
	assert_false(tb_soft_count_read("jobs", &count));
	assert_false(tb_soft_count_read("", &count));
	assert_string_equal(tb_soft_count_name(TB_SOFT_COUNT_ALL), "all");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_constant_load),
		cmocka_unit_test(test_threshold_is_monotonic),
		cmocka_unit_test(test_no_time),
		cmocka_unit_test(test_peak_is_smoothed),
		cmocka_unit_test(test_dip_is_smoothed),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_square_waves),
		cmocka_unit_test(test_feedback_does_not_flap),
		cmocka_unit_test(test_pause_keeps_state),
		cmocka_unit_test(test_retreat),
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_scope),
		cmocka_unit_test(test_allowed),
		cmocka_unit_test(test_preferred),
		cmocka_unit_test(test_count_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
