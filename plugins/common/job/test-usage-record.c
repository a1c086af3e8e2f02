/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "usage_record.h"

#define WORD "usage=X:4,idle:2,busy:51%"

/* Of four units two were idle; what is there without our word. */
static const struct {
	const char *comment, *set, *rest;
} table[] = {
	{ NULL, WORD, NULL },
	{ "of the site", "of the site " WORD, NULL },
	{ "usage=C:1,idle:0,busy:9%", WORD, "" },
	{ "a usage=C:1,idle:0,busy:9% soft=preferred:1,allowed:2,smoothed:3",
	  "a " WORD " soft=preferred:1,allowed:2,smoothed:3",
	  "a soft=preferred:1,allowed:2,smoothed:3" },
	{ "my_usage=1", "my_usage=1 " WORD, NULL },
};

static void sets_and_drops(void **state)
{
	const struct tb_busy busy = { .nunits = 4, .idle = 2, .mean = 0.512 };

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char *set = tb_usage_record_set(table[i].comment,
						(struct tb_unit){ 'X', 0 },
						&busy);
		char *rest = tb_usage_record_drop(table[i].comment);

		assert_string_equal(set, table[i].set);
		if (table[i].rest == NULL)
			assert_null(rest);
		else
			assert_string_equal(rest, table[i].rest);
		free(set);
		free(rest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_and_drops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
