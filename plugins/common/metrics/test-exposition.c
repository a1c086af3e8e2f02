/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE /* open_memstream */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exposition.h"

/* What one sample of the metric m prints; label may be NULL. */
static void prints(double number, const char *label, const char *value,
		   const char *wanted)
{
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	tb_metric_sample(out, "m", number, label, value, NULL);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, wanted);
	free(text);
}

static void numbers(void **state)
{
	(void)state;
	prints(0, NULL, NULL, "m 0\n");
	prints(1e15, NULL, NULL, "m 1000000000000000\n");
	/* All digits of a counter, up to 2^53. */
	prints(9007199254740991., NULL, NULL, "m 9007199254740991\n");
	prints(0.0625, NULL, NULL, "m 0.0625\n");
	prints(2. / 3, NULL, NULL, "m 0.666666667\n");
	prints(-1, NULL, NULL, "m -1\n");
}

/* Whatever somebody calls a partition. */
static void labels(void **state)
{
	(void)state;
	prints(1, "a", "main", "m{a=\"main\"} 1\n");
	prints(1, "a", "", "m{a=\"\"} 1\n");
	prints(1, "a", "\"} 2\nm \\", "m{a=\"\\\"} 2\\nm \\\\\"} 1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(labels),
	};

	return cmocka_run_group_tests_name("exposition", tests, NULL, NULL);
}
