/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters: read, printed, matched and added to what is in use.
 */
#include "unit_test.h"

#include "core/place/masked.h"
#include "core/request/filter.h"

static struct tb_topology *parse(const char *text)
{
	struct tb_topology *topology = tb_topology_parse(text, NULL, NULL);

	assert_non_null(topology);
	return topology;
}

static void test_print(void **state)
{
	static const struct {
		const char *in, *out; /* NULL: refused */
	} table[] = {
		{ "first_core", "first_core" },
		{ "ScCC", "ScCC" },
		{ "SCCC", "SCCC" },
		{ "first_core+ScCC", "first_core+ScCC" },
		{ "first_core+(S(c(T)(T))(C(T)(t)))", "first_core+ScttCTt" },
		{ "", NULL },
		{ "+", NULL },
		{ "first_core+", NULL },
		{ "first_core+first_core", NULL },
		{ "ScCC+first_core", NULL },
		{ "+ScCC", NULL },
		{ "FIRST_CORE", NULL },
		{ "first_cores", NULL },
		{ "first_core,ScCC", NULL },
		{ "ScCC,ScCC", NULL },
		{ "none", NULL },
		{ "NONE", NULL },
	};
	struct tb_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tb_filter *filter = tb_filter_parse(table[i].in, &err);
		char *text;

		if (!table[i].out) {
			assert_null(filter);
			assert_non_null(strstr(err.text, "first_core+STRING"));
			continue;
		}
		assert_non_null(filter);
		text = tb_filter_print(filter);
		assert_string_equal(text, table[i].out);
		free(text);
		tb_filter_destroy(filter);
	}
}

static void check_masks(const char *text, const char *node, const char *masked)
{
	struct tb_filter *filter = tb_filter_parse(text, NULL);
	struct tb_topology *topology = parse(node);
	struct tb_bitset *used = tb_bitset_create(
		tb_topology_threads(topology));
	char *list;

	assert_non_null(filter);
	assert_int_equal(tb_filter_matches(filter, topology), masked != NULL);
	if (masked) {
		tb_filter_add(filter, topology, used);
		list = tb_bitset_print_list(used);
		assert_string_equal(list, masked);
		free(list);
	}
	tb_filter_destroy(filter);
	tb_bitset_destroy(used);
	tb_topology_destroy(topology);
}

static void test_masks(void **state)
{
	(void)state;
	check_masks("first_core", "SCTTCTT", "0-1");
	check_masks("first_core", "NSXEEECC", "0");
	check_masks("SCTTcttCTt", "SCTTCTTCTT", "2-3,5");
	check_masks("first_core+SCTTcttCTt", "SCTTCTTCTT", "0-3,5");
	check_masks("SCTTCTT", "SCTTCTT", "");
	check_masks("SCTTctt", "SCTTCTTCTT", NULL);
	check_masks("SCTTctt", "SCC", NULL);
	check_masks("SCTTctt", "SCTTETT", NULL);
	check_masks("first_core+SCTTctt", "SCC", NULL);
	check_masks("(S(C(T))(c(T)))", "SCC", "1");
}

static void test_adds(void **state)
{
	struct tb_filter *filter = tb_filter_parse("ScCCc", NULL);
	struct tb_topology *topology = parse("SCCCC");
	struct tb_bitset *used = tb_bitset_create(4);
	char *list;

	(void)state;
	tb_bitset_set(used, 1);
	tb_filter_add(filter, topology, used);
	list = tb_bitset_print_list(used);
	assert_string_equal(list, "0-1,3");
	free(list);
	tb_filter_destroy(filter);
	tb_bitset_destroy(used);
	tb_topology_destroy(topology);
	tb_filter_destroy(NULL);
}

/* By the request's filter, and by the site (in lower case, NULL: nothing). */
static void test_masked_units(void **state)
{
	static const struct {
		const char *request, *site, *wanted;
	} rows[] = {
		{ "bunit=X,bamount=1", NULL, "" },
		{ "bunit=X,bamount=1,bfilter=NSXcCXCC", NULL, "0-1" },
		{ "bunit=X,bamount=1", "NSXCCXCc", "2-3" },
		{ "bunit=X,bamount=1,bfilter=NSXcCXCC", "NSXCCXCc", "0-3" },
		{ "bunit=C,bamount=1,bfilter=NSXcCXCC", "NSXCCXCc", "0,3" },
		{ "bunit=S,bamount=1", "NSXCcXCC", "0-3" },
		/* Of another shape. */
		{ "bunit=X,bamount=1,bfilter=NSXcC", NULL, "" },
	};
	struct tb_topology *topology = parse("NSXCCXCC");

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tb_bitset *threads = tb_bitset_create(4), *site = NULL;
		struct tb_request request;
		char *list;

		tb_bitset_set(threads, 2); /* what it had does not count */
		if (rows[i].site)
			tb_topology_destroy(
				tb_topology_parse(rows[i].site, &site, NULL));
		tb_request_init(&request);
		assert_int_equal(tb_request_parse(&request, rows[i].request,
						  NULL),
				 0);
		request.masked = site;
		tb_masked_units(topology, &request, threads);
		list = tb_bitset_print_list(threads);
		assert_string_equal(list, rows[i].wanted);
		free(list);
		request.masked = NULL;
		tb_request_clear(&request);
		tb_bitset_destroy(site);
		tb_bitset_destroy(threads);
	}
	tb_topology_destroy(topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_masks),
		cmocka_unit_test(test_adds),
		cmocka_unit_test(test_masked_units),
	};

	return cmocka_run_group_tests_name("filter", tests, NULL, NULL);
}
