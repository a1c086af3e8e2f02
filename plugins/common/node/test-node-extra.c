/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tokens in a node's Extra field: what others keep there survives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "node_extra.h"

struct with_case {
	const char *extra, *name, *value, *expected;
};

static const struct with_case with_cases[] = {
	{ NULL, "m_topology", "SCC", "m_topology=SCC" },
	{ "", "m_topology", "SCC", "m_topology=SCC" },
	{ "rack=4", "m_topology", "SCC", "rack=4 m_topology=SCC" },
	{ "rack=4 ", "m_topology", "SCC", "rack=4 m_topology=SCC" },
	{ "m_topology=SC rack=4", "m_topology", "SCC",
	  "m_topology=SCC rack=4" },
	{ "a m_topology=SC b", "m_topology", "SCC", "a m_topology=SCC b" },
	/* A name that another begins with is not that other. */
	{ "m_topology_inuse=sC", "m_topology", "SC",
	  "m_topology_inuse=sC m_topology=SC" },
	{ "m_topology=SC m_topology_inuse=sC", "m_topology_inuse", "Sc",
	  "m_topology=SC m_topology_inuse=Sc" },
	{ "xm_topology=1", "m_topology", "SC", "xm_topology=1 m_topology=SC" },
	{ "{\"k\": \"v w\"} a", "m_topology", "SC",
	  "{\"k\": \"v w\"} a m_topology=SC" },
	{ "{k} v", "m_topology", "SC", "{k} v m_topology=SC" },
	{ "{\"k\": 1", "m_topology", "SC", "{\"k\": 1 m_topology=SC" },
	{ "a m_topology=SC b", "m_topology", NULL, "a b" },
	{ "m_topology=SC", "m_topology", NULL, "" },
	{ "a", "m_topology", NULL, "a" },
	/* A JSON object, and nothing else. */
	{ "{}", "m_topology", "SC", "{\"m_topology\": \"SC\"}" },
	{ " { } ", "m_topology", "SC", " {\"m_topology\": \"SC\"} " },
	{ "{\"k\": \"v w\"}", "m_topology", "SC",
	  "{\"k\": \"v w\", \"m_topology\": \"SC\"}" },
	{ "{\"k\":[{\"m_topology\":\"C\"},\"]}\\\"\"],\"w\":350}", "m_topology",
	  "SC",
	  "{\"k\":[{\"m_topology\":\"C\"},\"]}\\\"\"],\"w\":350, \"m_topology\": "
	  "\"SC\"}" },
	{ "{\"m_topology\":\"SCC\",\"w\":350}", "m_topology", "SC",
	  "{\"m_topology\": \"SC\",\"w\":350}" },
	{ "{\"m_topology\": \"SC\", \"w\": 1}", "m_topology", NULL,
	  "{\"w\": 1}" },
	{ "{\"w\": 1 , \"m_topology\": \"SC\"}", "m_topology", NULL,
	  "{\"w\": 1 }" },
	{ "{\"m_topology\": \"SC\"}", "m_topology", NULL, "{}" },
	{ "{\"w\": 1}", "m_topology", NULL, "{\"w\": 1}" },
};

/* Where Slurm demands an object. */
static const struct with_case json_cases[] = {
	{ NULL, "m_topology", "SC", "{\"m_topology\": \"SC\"}" },
	{ "", "m_topology", NULL, "" },
	{ "rack=4 m_topology=SC \"old\\", "m_topology", "SCC",
	  "{\"rack\": \"4\", \"m_topology\": \"SCC\", \"_old_\": \"\"}" },
	{ "{\"k\": 1} m_topology=SC", "m_topology", "SC",
	  "{\"k\": 1, \"m_topology\": \"SC\"}" },
};

static void check_with(const struct with_case *rows, size_t count, bool as_json)
{
	for (size_t i = 0; i < count; i++) {
		const struct with_case *row = &rows[i];
		char *made = tb_extra_with(row->extra, row->name, row->value,
					   as_json);

		assert_string_equal(made, row->expected);
		if (row->value)
			assert_true(tb_extra_has(made, row->name, row->value));
		else
			assert_null(
				tb_extra_find(made, row->name, &(size_t){ 0 }));
		free(made);
	}
}

static void test_with(void **state)
{
	(void)state;
	check_with(with_cases, sizeof(with_cases) / sizeof(*with_cases), false);
}

static void test_with_as_json(void **state)
{
	(void)state;
	check_with(json_cases, sizeof(json_cases) / sizeof(*json_cases), true);
}

static void test_find(void **state)
{
	size_t length;
	const char *extra = "rack=4 m_topology=SCC\tlast=";

	(void)state;
	assert_ptr_equal(tb_extra_find(extra, "m_topology", &length),
			 strstr(extra, "SCC"));
	assert_int_equal(length, 3);
	assert_non_null(tb_extra_find(extra, "last", &length));
	assert_int_equal(length, 0);
	assert_null(tb_extra_find(extra, "rac", &length));
	assert_null(tb_extra_find(NULL, "rack", &length));
	assert_false(tb_extra_has(extra, "m_topology", "SC"));
	assert_false(tb_extra_has(extra, "m_topology", "SCCC"));
}

static void test_find_in_json(void **state)
{
	size_t length;
	const char *extra = "{\"rack\": {\"w\": 1}, \"w\" : 350 }";

	(void)state;
	assert_ptr_equal(tb_extra_find(extra, "w", &length),
			 strstr(extra, "350"));
	assert_int_equal(length, 3);
	assert_true(tb_extra_has(extra, "w", "350"));
	assert_null(tb_extra_find(extra, "rac", &length));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_with),
		cmocka_unit_test(test_with_as_json),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_find_in_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
