/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/request/request_key.h"
#include "options.h"

#define MAX_GIVEN 6

struct given {
	enum tb_source source;
	const char *name, *value;
};

/* A NULL line: adding or merging must fail; "": no request. */
struct merging {
	struct given given[MAX_GIVEN];
	const char *lower;
	const char *line;
};

static const struct merging mergings[] = {
	/* clang-format off */
	{ { { 0 } }, NULL, "" },
	{ { { 0 } }, "", "" },
	{ { { 0 } }, "bunit=X,bamount=1", "bunit=X,bamount=1" },
	{ { { 0 } }, "bunit=X", "bunit=X,bamount=1" },
	{ { { 0 } }, "rubbish", NULL },
	{ { { TB_COMMAND_LINE, "bunit", "X" },
	    { TB_COMMAND_LINE, "bamount", "1" } },
	  NULL, "bunit=X,bamount=1" },
	{ { { TB_COMMAND_LINE, "bunit", "l3" } }, NULL, "bunit=X,bamount=1" },
	{ { { TB_COMMAND_LINE, "bstrategy", "linear" } }, NULL,
	  "bstrategy=linear" },
	{ { { TB_COMMAND_LINE, "bunit", "X" } }, "bamount=2,btype=host",
	  "bunit=X,bamount=2,btype=host" },
	{ { { TB_COMMAND_LINE, "bmem", "none" } }, "bamount=2,bmem=local",
	  "bamount=2,bmem=none" },
	{ { { TB_COMMAND_LINE, "bmode", "soft" } }, "bamount=2,ballow=X",
	  "bamount=2,bmode=soft,ballow=X" },
	{ { { TB_COMMAND_LINE, "bnodes", "fastest" },
	    { TB_COMMAND_LINE, "bprefer", "big,fast" } },
	  NULL, "bnodes=FASTEST,bprefer=big+fast" },
	{ { { TB_COMMAND_LINE, "bmem", "near" },
	    { TB_COMMAND_LINE, "bamount", "1" } }, NULL, NULL },
	{ { { TB_COMMAND_LINE, "bamount", "0" } }, "bunit=X,bamount=2",
	  "bunit=X,bamount=0" },
	{ { { TB_COMMAND_LINE, "bunit", "Q" } }, NULL, NULL },
	{ { { TB_COMMAND_LINE, "bamount", "1" },
	    { TB_COMMAND_LINE, "bamount", "2" } },
	  NULL, "bamount=2" },
	{ { { TB_COMMAND_LINE, "topobind", "bunit=X,bamount=1" },
	    { TB_COMMAND_LINE, "topobind", "bamount=2" } },
	  NULL, "bamount=2" },
	{ { { TB_COMMAND_LINE, "topobind", "bunit=X,bamount=1" },
	    { TB_COMMAND_LINE, "topobind", "bamount=x" } },
	  NULL, NULL },
	{ { { TB_COMMAND_LINE, "topobind", "bunit=S,bamount=1" },
	    { TB_COMMAND_LINE, "bunit", "X" } },
	  "bunit=N,bamount=3,btype=host", "bunit=X,bamount=1,btype=host" },
	{ { { TB_SCRIPT, "bunit", "S" },
	    { TB_SCRIPT, "bamount", "4" },
	    { TB_COMMAND_LINE, "bamount", "2" } },
	  NULL, "bunit=S,bamount=2" },
	{ { { TB_SCRIPT, "bunit", "S" },
	    { TB_COMMAND_LINE, "topobind", "bunit=X,bamount=2" } },
	  NULL, "bunit=X,bamount=2" },
	{ { { TB_SCRIPT, "topobind", "bunit=S,bamount=4" } },
	  "bunit=X,bamount=2", "bunit=S,bamount=4" },
	{ { { TB_SCRIPT, "bamount", "3" }, { TB_SCRIPT, "bamount", "4" } },
	  NULL, "bamount=4" },
	{ { { TB_COMMAND_LINE, "bcpus", "0-3,8" } }, NULL, "bcpus=0-3+8" },
	{ { { TB_COMMAND_LINE, "bcpus", "0-3+8" } }, "bunit=X,bamount=1",
	  "bcpus=0-3+8" },
	{ { { TB_SCRIPT, "bcpus", "0" },
	    { TB_COMMAND_LINE, "bamount", "1" } },
	  NULL, "bamount=1" },
	{ { { TB_COMMAND_LINE, "bcpus", "0" },
	    { TB_COMMAND_LINE, "bamount", "1" } },
	  NULL, NULL },
	{ { { TB_COMMAND_LINE, "bcpus", "0" },
	    { TB_COMMAND_LINE, "btype", "slot" } },
	  NULL, NULL },
	{ { { TB_COMMAND_LINE, "btopology", "SCC" } }, NULL,
	  "bamount=1,btopology=SCC" },
	{ { { TB_COMMAND_LINE, "binstance", "env" } }, NULL, "binstance=env" },
	{ { { TB_COMMAND_LINE, "btype", "host" } }, NULL, NULL },
	{ { { TB_COMMAND_LINE, "btopology", "SCC" },
	    { TB_COMMAND_LINE, "binstance", "env" } },
	  "bamount=1", "bamount=1,binstance=env,btopology=SCC" },
	/* clang-format on */
};

static int merge(const struct merging *merging, struct tb_request *request,
		 struct tb_error *err)
{
	struct tb_options options;
	int rc = 0;

	tb_options_init(&options);
	assert_false(tb_options_given(&options));
	for (int i = 0; rc == 0 && i < MAX_GIVEN; i++) {
		const struct given *given = &merging->given[i];

		if (given->name == NULL)
			break;
		rc = tb_options_add(&options, given->source, given->name,
				    given->value, err);
		if (rc == 0)
			assert_true(tb_options_given(&options));
	}
	if (rc == 0)
		rc = tb_options_merge(&options, merging->lower, "TOPOBIND",
				      request, err);
	else
		tb_request_init(request);
	tb_options_clear(&options);
	return rc;
}

static void merges_a_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(mergings) / sizeof(mergings[0]); i++) {
		struct tb_request request;
		struct tb_error err = { "" };
		int rc = merge(&mergings[i], &request, &err);

		if (mergings[i].line == NULL) {
			if (rc != -1)
				fail_msg("case %zu was taken", i);
			assert_string_not_equal(err.text, "");
		} else {
			char *line = tb_request_print(&request);

			if (rc != 0)
				fail_msg("case %zu: %s", i, err.text);
			if (tb_request_is_given(&request))
				assert_string_equal(line, mergings[i].line);
			else
				assert_string_equal("", mergings[i].line);
			free(line);
		}
		tb_request_clear(&request);
	}
}

/* Every option of the core has help, and there is none besides. */
static void the_table_is_complete(void **state)
{
	unsigned count = 0;

	(void)state;
	while (tb_option_table[count].name != NULL) {
		assert_non_null(tb_option_table[count].arginfo);
		assert_non_null(tb_option_table[count].usage);
		count++;
	}
	for (unsigned i = 0; tb_request_keys[i] != NULL; i++) {
		assert_string_equal(tb_option_table[i].name,
				    tb_request_keys[i]);
		count--;
	}
	assert_int_equal(count, 1);
}

static void names_the_variable(void **state)
{
	const struct merging merging = { { { 0 } }, "bunit=Q", NULL };
	struct tb_request request;
	struct tb_error err;

	(void)state;
	assert_int_equal(merge(&merging, &request, &err), -1);
	assert_non_null(strstr(err.text, "TOPOBIND"));
	tb_request_clear(&request);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merges_a_table),
		cmocka_unit_test(the_table_is_complete),
		cmocka_unit_test(names_the_variable),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
