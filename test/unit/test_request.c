/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests: keys, their words, and single options.
 */
#include "unit_test.h"

#include "core/request/request.h"
#include "core/request/request_key.h"

static void test_names(void **state)
{
	static const char *const units[] = { "T", "ET", "C", "E",  "S", "ES",
					     "X", "EX", "Y", "EY", "N", "EN" };
	struct tb_request request;

	(void)state;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		tb_request_init(&request);
		assert_int_equal(tb_request_set(&request, "bunit", units[i],
						NULL),
				 0);
		assert_string_equal(tb_unit_name(request.unit), units[i]);
	}
}

static void test_keys(void **state)
{
	static const char *const keys[] = {
		"bunit",     "bamount",	  "btype",  "bequal", "bstrategy",
		"bspread",   "bsort",	  "bstart", "bstop",  "bfilter",
		"binstance", "btopology", "bcpus",  "bmem",   "bmode",
		"ballow",    "bisolate",  "bnodes", "bprefer"
	};
	size_t count = sizeof(keys) / sizeof(keys[0]);

	(void)state;
	for (size_t i = 0; i < count; i++)
		assert_string_equal(tb_request_keys[i], keys[i]);
	assert_null(tb_request_keys[count]);
}

static void test_single_options(void **state)
{
	struct tb_request request;
	struct tb_error err;

	(void)state;
	tb_request_init(&request);
	assert_false(tb_request_is_given(&request));
	assert_false(tb_request_binds(&request));
	assert_int_equal(tb_request_complete(&request, &err), 0);
	assert_int_equal(tb_request_set(&request, "bamount", "2", &err), 0);
	assert_int_equal(tb_request_set(&request, "bamount", "3", &err), 0);
	assert_int_equal(request.amount, 3);
	assert_int_equal(tb_request_set(&request, "bamount", "x", &err), -1);
	assert_int_equal(request.amount, 3);
	assert_int_equal(tb_request_set(&request, "bunit", "no", &err), -1);
	assert_int_equal(request.unit.letter, 'C');
	/* what was refused was not given */
	assert_int_equal(tb_request_set(&request, "bunit", "EX", &err), 0);
	assert_int_equal(request.unit.letter, 'X');
	assert_int_equal(request.unit.kind, TB_EFFICIENCY);
	assert_int_equal(tb_request_set(&request, "bother", "FASTEST", &err),
			 -1);
	assert_int_equal(tb_request_set(&request, "", "", &err), -1);
	assert_true(tb_request_is_given(&request));
	assert_true(tb_request_binds(&request));
	tb_request_clear(&request);
	assert_false(tb_request_is_given(&request));
}

static void test_zero_amount(void **state)
{
	struct tb_request request;

	(void)state;
	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, "bamount=0", NULL), 0);
	assert_true(tb_request_is_given(&request));
	assert_false(tb_request_binds(&request));
}

/* What the list of --bcpus makes of a request. */
static void test_cpus(void **state)
{
	struct tb_request request;
	char *line, *list;

	(void)state;
	tb_request_init(&request);
	assert_int_equal(tb_request_set(&request, "bcpus", "8,0-2", NULL), 0);
	assert_int_equal(tb_request_complete(&request, NULL), 0);
	assert_true(tb_request_binds(&request));
	assert_int_equal(request.type, TB_HOST);
	assert_int_equal(request.cpus->nbits, 9);
	list = tb_bitset_print_list(request.cpus);
	assert_string_equal(list, "0-2,8");
	line = tb_request_print(&request);
	assert_string_equal(line, "bcpus=0-2+8");
	assert_int_equal(tb_request_set(&request, "bamount", "0", NULL), 0);
	assert_int_equal(tb_request_complete(&request, NULL), 0);
	assert_false(tb_request_binds(&request));
	free(list);
	free(line);
	tb_request_clear(&request);
	assert_null(request.cpus);
}

static void test_matches(void **state)
{
	struct tb_topology *same = tb_topology_parse("SCCSCC", NULL, NULL);
	struct tb_topology *other = tb_topology_parse("SCCSC", NULL, NULL);
	struct tb_request request;

	(void)state;
	tb_request_init(&request);
	assert_true(tb_request_matches(&request, same));
	assert_int_equal(tb_request_set(&request, "btopology", "SCCSCC", NULL),
			 0);
	assert_true(tb_request_matches(&request, same));
	assert_false(tb_request_matches(&request, other));
	tb_request_clear(&request);
	tb_topology_destroy(same);
	tb_topology_destroy(other);
}

/* Each word of the list can be given; how many there are. */
static unsigned take_words(const char *key, const char *words)
{
	char *copy = strdup(words), *rest, *word;
	unsigned count = 0;

	assert_non_null(copy);
	for (word = strtok_r(copy, ", ", &rest); word;
	     word = strtok_r(NULL, ", ", &rest)) {
		struct tb_request request;
		struct tb_error err;

		tb_request_init(&request);
		if (tb_request_set(&request, key, word, &err))
			fail_msg("%s=%s: %s", key, word, err.text);
		tb_request_clear(&request);
		count++;
	}
	free(copy);
	return count;
}

static void test_words(void **state)
{
	static const char *const with_words[] = {
		"bunit",  "btype",  "bequal",	"bstrategy", "bspread",
		"bstart", "bstop",  "bfilter",	"binstance", "bmem",
		"bmode",  "ballow", "bisolate", "bnodes",
	};
	unsigned lists = 0;

	(void)state;
	for (size_t i = 0; tb_request_keys[i]; i++) {
		const char *words = tb_request_words(tb_request_keys[i]);

		assert_non_null(tb_request_allowed(tb_request_keys[i]));
		if (!words)
			continue;
		assert_string_equal(tb_request_keys[i], with_words[lists++]);
		assert_true(take_words(tb_request_keys[i], words) > 0);
	}
	assert_int_equal(lists, sizeof(with_words) / sizeof(with_words[0]));
	assert_int_equal(take_words("bunit", tb_request_words("bunit")), 25);
	assert_int_equal(take_words("bnodes", tb_request_words("bnodes")),
			 TB_ALLOCATIONS);
	assert_null(tb_request_words("topobind"));
	assert_null(tb_request_allowed("bunits"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_single_options),
		cmocka_unit_test(test_zero_amount),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_matches),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests_name("request", tests, NULL, NULL);
}
