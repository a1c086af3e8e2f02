/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "soft_record.h"

#define WORD(p, a, s) "soft=preferred:" #p ",allowed:" #a ",smoothed:" #s

/* 1, 20 and 300 are added; what is there without our word. */
static const struct {
	const char *comment, *sum, *rest;
} table[] = {
	{ NULL, WORD(1, 20, 300), NULL },
	{ "", WORD(1, 20, 300), NULL },
	{ "of the site", "of the site " WORD(1, 20, 300), NULL },
	{ WORD(4, 5, 6), WORD(5, 25, 306), "" },
	{ "of the site " WORD(0, 0, 9), "of the site " WORD(1, 20, 309),
	  "of the site" },
	{ "a " WORD(1, 1, 1) " b", "a " WORD(2, 21, 301) " b", "a b" },
	{ WORD(1, 1, 1) " b", WORD(2, 21, 301) " b", "b" },
	{ "my" WORD(1, 1, 1), "my" WORD(1, 1, 1) " " WORD(1, 20, 300), NULL },
	{ "soft=preferred:x,y z", WORD(1, 20, 300) " z", "z" },
	{ WORD(18446744073709551, 0, 0), WORD(18446744073709552, 20, 300), "" },
};

static void adds(void **state)
{
	const struct tb_soft_counts more = { 1, 20, 300 };

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char *sum = tb_soft_record_add(table[i].comment, &more);

		assert_string_equal(sum, table[i].sum);
		free(sum);
	}
}

static void drops(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char *rest = tb_soft_record_drop(table[i].comment);

		if (table[i].rest == NULL)
			assert_null(rest);
		else
			assert_string_equal(rest, table[i].rest);
		free(rest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds),
		cmocka_unit_test(drops),
	};

	return cmocka_run_group_tests_name("soft record", tests, NULL, NULL);
}
