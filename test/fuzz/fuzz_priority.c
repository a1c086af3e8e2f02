/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any string as a priority function, with values of all kinds.
 */
#include "fuzz.h"

#include <float.h>
#include <math.h>

#include "core/policy/priority_function.h"

static void check_value(const struct tb_priority_function *function)
{
	static const double some[] = { 0,	  1,	   -1,	     0.5,
				       1e9,	  DBL_MAX, -DBL_MAX, HUGE_VAL,
				       -HUGE_VAL, NAN };
	const size_t count = sizeof(some) / sizeof(some[0]);
	double *values;
	unsigned terms;

	tb_priority_terms(function, &terms);
	values = calloc(terms + 1, sizeof(*values));
	FUZZ_CHECK(values);
	for (size_t first = 0; first < count; first++) {
		double value;

		for (unsigned i = 0; i < terms; i++)
			values[i] = some[(first + i) % count];
		value = tb_priority_value(function, values);
		FUZZ_CHECK(isfinite(value));
		FUZZ_CHECK(value == tb_priority_value(function, values));
	}
	free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct tb_error err = { "" };
	struct tb_priority_function *function = tb_priority_parse(text, &err);

	if (function)
		check_value(function);
	else
		FUZZ_CHECK(*err.text);
	tb_priority_destroy(function);
	free(text);
	return 0;
}
