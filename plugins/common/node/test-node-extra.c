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
	{ "{\"k\": \"v w\"}", "m_topology", "SC",
	  "{\"k\": \"v w\"} m_topology=SC" },
	{ "a m_topology=SC b", "m_topology", NULL, "a b" },
	{ "m_topology=SC", "m_topology", NULL, "" },
	{ "a", "m_topology", NULL, "a" },
};

static void test_with(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(with_cases) / sizeof(*with_cases); i++) {
		const struct with_case *row = &with_cases[i];
		char *made = tb_extra_with(row->extra, row->name, row->value);

		assert_string_equal(made, row->expected);
		if (row->value)
			assert_true(tb_extra_has(made, row->name, row->value));
		else
			assert_null(
				tb_extra_find(made, row->name, &(size_t){ 0 }));
		free(made);
	}
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_with),
		cmocka_unit_test(test_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
