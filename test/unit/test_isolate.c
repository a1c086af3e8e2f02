/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of CPUs that keep off those of isolated jobs. */
#include "unit_test.h"

#include "core/isolate/isolate.h"
#include "core/request/isolation.h"
#include "random_case.h"

#define CPUS 12

static struct tb_bitset *set_of(const char *list)
{
	struct tb_bitset *set = list[0] ? tb_bitset_parse_list(list, CPUS, NULL)
					: tb_bitset_create(CPUS);

	assert_non_null(set);
	return set;
}

static void assert_list(const struct tb_bitset *set, const char *list)
{
	char *printed = tb_bitset_print_list(set);

	assert_string_equal(printed, list);
	free(printed);
}

/* One set while jobs come and go: which are isolated, and what it is then. */
struct turn {
	const char *isolated, *now, *taken;
};

static void play(const char *before, const struct turn *turns)
{
	struct tb_bitset *now = set_of(before), *online = set_of("0-11");
	struct tb_isolate_taken taken = { set_of(""), false };

	for (; turns->isolated; turns++) {
		struct tb_bitset *isolated = set_of(turns->isolated);

		assert_true(tb_isolate_apply(now, &taken, isolated, online));
		assert_list(now, turns->now);
		assert_list(taken.cpus, turns->taken);
		tb_bitset_destroy(isolated);
	}
	tb_bitset_destroy(now);
	tb_bitset_destroy(online);
	tb_bitset_destroy(taken.cpus);
}

static void comes_and_goes(void **state)
{
	static const struct turn all[] = {
		{ "2-3", "0-1,4-11", "2-3" },
		{ "2-3", "0-1,4-11", "2-3" },
		{ "2-5", "0-1,6-11", "2-5" },
		{ "4-5", "0-3,6-11", "4-5" },
		{ "4-5,9", "0-3,6-8,10-11", "4-5,9" },
		{ "", "0-11", "" },
		{ NULL, NULL, NULL },
	};
	static const struct turn few[] = {
		{ "4-7", "2-3", "" },
		{ "3", "2", "3" },
		{ "2-3", "0-1,4-11", "2-3" },
		{ "2", "3", "2" },
		{ "", "2-3", "" },
		{ NULL, NULL, NULL },
	};
	/* Nothing is left that it could have. */
	static const struct turn none[] = {
		{ "0-11", "5", "" },
		{ "", "5", "" },
		{ NULL, NULL, NULL },
	};

	(void)state;
	play("0-11", all);
	play("2-3", few);
	play("5", none);
}

/* Somebody else gives and takes CPUs meanwhile, and keeps what was said last. */
static void goes_with_others(void **state)
{
	struct tb_bitset *now = set_of("0-7"), *online = set_of("0-11");
	struct tb_isolate_taken taken = { set_of(""), false };
	struct tb_bitset *isolated = set_of("2-3"), *none = set_of("");

	(void)state;
	assert_true(tb_isolate_apply(now, &taken, isolated, online));
	tb_bitset_clear(now, 7);
	tb_bitset_set(now, 9);
	assert_true(tb_isolate_apply(now, &taken, none, online));
	assert_list(now, "0-6,9");
	assert_true(tb_bitset_is_empty(taken.cpus));
	tb_bitset_destroy(now);
	tb_bitset_destroy(online);
	tb_bitset_destroy(isolated);
	tb_bitset_destroy(none);
	tb_bitset_destroy(taken.cpus);
}

static struct tb_bitset *random_set(struct random *random, unsigned percent)
{
	struct tb_bitset *set = set_of("");

	for (unsigned i = 0; i < CPUS; i++)
		if (random_percent(random, percent))
			tb_bitset_set(set, i);
	return set;
}

/* Whatever jobs come and go, nothing is on their CPUs, and in the end all is as before. */
static void any_jobs(void **state)
{
	struct random random = { 7 };

	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		struct tb_bitset *before = random_set(&random, 50);
		struct tb_bitset *online = set_of("0-11");
		struct tb_isolate_taken taken = { set_of(""), false };
		struct tb_bitset *now, *none = set_of("");

		tb_bitset_set(before, random_below(&random, CPUS));
		now = tb_bitset_copy(before);
		for (unsigned turn = 0; turn < 6; turn++) {
			struct tb_bitset *isolated = random_set(&random, 40);

			tb_bitset_clear(isolated, 0);
			assert_true(tb_isolate_apply(now, &taken, isolated,
						     online));
			assert_false(tb_bitset_is_empty(now));
			assert_false(tb_bitset_intersects(now, isolated));
			assert_true(tb_bitset_contains(isolated, taken.cpus));
			assert_true(tb_bitset_contains(before, taken.cpus));
			assert_true(taken.moved ||
				    tb_bitset_contains(before, now));
			tb_bitset_destroy(isolated);
		}
		assert_true(tb_isolate_apply(now, &taken, none, online));
		assert_true(tb_bitset_equal(now, before));
		assert_true(tb_bitset_is_empty(taken.cpus));
		tb_bitset_destroy(before);
		tb_bitset_destroy(online);
		tb_bitset_destroy(now);
		tb_bitset_destroy(none);
		tb_bitset_destroy(taken.cpus);
	}
}

static void leaves_one(void **state)
{
	struct tb_bitset *online = set_of("0-3"), *some = set_of("0-1");
	struct tb_bitset *rest = set_of("2-3"), *one = set_of("2");
	struct tb_bitset *none = set_of("");
	struct tb_error err;

	(void)state;
	assert_int_equal(tb_isolate_check(some, one, online, &err), 0);
	assert_int_equal(tb_isolate_check(some, rest, online, &err), -1);
	assert_non_null(strstr(err.text, "cannot have CPUs 0-1"));
	assert_non_null(strstr(err.text, "isolated jobs (2-3)"));
	assert_int_equal(tb_isolate_check(online, none, online, &err), -1);
	assert_non_null(strstr(err.text, "isolated jobs (none)"));
	tb_bitset_destroy(online);
	tb_bitset_destroy(some);
	tb_bitset_destroy(rest);
	tb_bitset_destroy(one);
	tb_bitset_destroy(none);
}

/* Which jobs are isolated, by what they and their site say. */
static void request_and_site(void **state)
{
	static const struct {
		const char *line;
		bool no, allow, yes;
	} rows[] = {
		{ "bamount=1", false, false, true },
		{ "bamount=1,bisolate=no", false, false, false },
		{ "bamount=1,bisolate=yes", true, true, true },
		{ "bcpus=1", false, false, true },
		{ "bunit=T,bamount=2", false, false, false },
		{ "bunit=X:1|ET:1", false, false, false },
		{ "bamount=1,bmode=soft", false, false, false },
		{ "bamount=1,binstance=env", false, false, false },
		{ "bamount=0,bisolate=yes", false, false, false },
		{ "bmem=local", false, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool asks = rows[i].no;
		struct tb_request request;

		tb_request_init(&request);
		assert_int_equal(tb_request_parse(&request, rows[i].line, NULL),
				 0);
		assert_true(tb_request_isolates(&request, TB_ISOLATE_NO) ==
			    rows[i].no);
		assert_true(tb_request_isolates(&request, TB_ISOLATE_ALLOW) ==
			    rows[i].allow);
		assert_true(tb_request_isolates(&request, TB_ISOLATE_YES) ==
			    rows[i].yes);
		assert_int_equal(tb_request_check_isolation(&request,
							    TB_ISOLATE_NO,
							    NULL),
				 asks ? -1 : 0);
		assert_int_equal(tb_request_check_isolation(&request,
							    TB_ISOLATE_ALLOW,
							    NULL),
				 0);
		tb_request_clear(&request);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_and_goes),
		cmocka_unit_test(goes_with_others),
		cmocka_unit_test(any_jobs),
		cmocka_unit_test(leaves_one),
		cmocka_unit_test(request_and_site),
	};

	return cmocka_run_group_tests_name("isolate", tests, NULL, NULL);
}
