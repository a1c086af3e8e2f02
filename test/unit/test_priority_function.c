/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Priority functions: what they mean, and where a wrong one is wrong.
 */
#include "unit_test.h"

#include "core/policy/priority_function.h"

/* What the tests give each component: its place in the list, and 1. */
static double value_of(const char *text)
{
	struct tb_error err = { "" };
	struct tb_priority_function *function = tb_priority_parse(text, &err);
	double values[TB_COMPONENTS + 8], value;
	const struct tb_priority_term *terms;
	unsigned count;

	if (!function)
		fail_msg("%s: %s", text, err.text);
	terms = tb_priority_terms(function, &count);
	assert_true(count <= TB_COMPONENTS + 8);
	for (unsigned i = 0; i < count; i++)
		values[i] = terms[i].component + 1;
	value = tb_priority_value(function, values);
	tb_priority_destroy(function);
	return value;
}

static void means_what_it_says(void **state)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {
		{ "1", 1 },
		{ ".5", 0.5 },
		{ "2.", 2 },
		{ "1+2*3", 7 },
		{ "(1+2)*3", 9 },
		{ "10-4-3", 3 },
		{ "64/4/2", 8 },
		{ "2*-3", -6 },
		{ "--2", 2 },
		{ "-2*-2", 4 },
		{ "-(2+3)", -5 },
		{ "+7", 7 },
		{ "  1\t+ 1 ", 2 },
		{ "'1 + 1'", 2 },
		{ " \"1 + 1\" ", 2 },
		{ "5/0", 0 },
		{ "0/0", 0 },
		{ "5/(LOAD-LOAD) + 1", 1 },
		{ "AMEM", TB_COMPONENT_AMEM + 1 },
		{ "amem", TB_COMPONENT_AMEM + 1 },
		{ "SPEED + .01 * AMEM - 10 * JOBCOUNT",
		  TB_COMPONENT_SPEED + 1 + .01 * (TB_COMPONENT_AMEM + 1) -
			  10 * (TB_COMPONENT_JOBCOUNT + 1) },
		{ "FEATURE[x]", TB_COMPONENT_FEATURE + 1 },
		{ "FEATURE[ x ]", TB_COMPONENT_FEATURE + 1 },
		{ "FEATURE ['a ]b']", TB_COMPONENT_FEATURE + 1 },
		{ "GMETRIC[\"temp\"]*2", 2 * (TB_COMPONENT_GMETRIC + 1) },
		{ "'GMETRIC[\"temp\"]'", TB_COMPONENT_GMETRIC + 1 },
		/* Whatever the coefficient. */
		{ "100 * RANDOM", 100 * (TB_COMPONENT_RANDOM + 1) },
		{ "RANDOM * 100", 100 * (TB_COMPONENT_RANDOM + 1) },
		{ "100000 * RANDOM", 32768 },
		{ "-100000 * RANDOM", -32768 },
		{ "100000 * RANDOM * 10", 32768 },
		{ "1 + 100000 * RANDOM", 32769 },
		{ "RANDOM / .0000001", 32768 },
		{ "AMEM * 100000 + RANDOM",
		  (TB_COMPONENT_AMEM + 1) * 100000 + TB_COMPONENT_RANDOM + 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double value = value_of(cases[i].text);

		if (value != cases[i].value)
			fail_msg("%s is %g, not %g", cases[i].text, value,
				 cases[i].value);
	}
}

static void names_the_column(void **state)
{
	static const struct {
		const char *text, *begin, *part;
	} cases[] = {
		{ "", "the expression is empty", "SPEED" },
		{ "   ", "the expression is empty", "" },
		{ "''", "the expression is empty", "" },
		{ "1 +", "column 4:", "ends here" },
		{ "1 + * 2", "column 5:", "'* 2'" },
		{ "1 + -", "column 6:", "ends here" },
		{ "-)", "column 2:", "')'" },
		{ "2 * (AMEM + )", "column 13:", "')'" },
		{ "AMEM AMEM", "column 6:", "operator" },
		{ "(1", "column 3:", ")" },
		{ "1)", "column 2:", "operator" },
		{ "AMEMM", "column 1:", "no component AMEMM" },
		{ "1 + WEIGHT", "column 5:", "no component WEIGHT" },
		{ "'1 + WEIGHT'", "column 6:", "no component WEIGHT" },
		{ "FEATURE", "column 8:", "square brackets" },
		{ "GMETRIC[", "column 9:", "a name" },
		{ "GMETRIC[]", "column 9:", "a name" },
		{ "GMETRIC[temp", "column 13:", "]" },
		{ "GMETRIC['temp]", "column 15:", "quotation mark" },
		{ "AMEM[x]", "column 5:", "operator" },
		{ "1..2", "column 3:", "operator" },
		{ ".", "column 1:", "a number" },
		{ "2 * (AMEM + RANDOM)", "column 3:", "100 * RANDOM" },
		{ "(RANDOM - 1) / 2", "column 14:", "100 * RANDOM" },
		{ "2 ^ 3", "column 3:", "'^ 3'" },
		{ "'1", "column 1:", "a number" },
		{ "((((((((((((((((((((((((((((((((((1",
		  "column 34:", "too deep" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tb_error err = { "" };

		if (tb_priority_parse(cases[i].text, &err))
			fail_msg("%s was read", cases[i].text);
		if (strncmp(err.text, cases[i].begin, strlen(cases[i].begin)) ||
		    !strstr(err.text, cases[i].part))
			fail_msg("%s: %s", cases[i].text, err.text);
	}
}

static void knows_each_component(void **state)
{
	(void)state;
	for (int i = 0; i < TB_COMPONENTS; i++) {
		struct tb_priority_function *function;
		const struct tb_priority_term *terms;
		bool named = i == TB_COMPONENT_ARCH ||
			     i == TB_COMPONENT_FEATURE ||
			     i == TB_COMPONENT_GMETRIC;
		unsigned count;
		char text[64];

		snprintf(text, sizeof(text), "2*%s%s", tb_component_names[i],
			 named ? "[some name]" : "");
		if (named)
			snprintf(text, sizeof(text), "2*%s['some name']",
				 tb_component_names[i]);
		function = tb_priority_parse(text, NULL);
		assert_non_null(function);
		terms = tb_priority_terms(function, &count);
		assert_int_equal(count, 1);
		assert_int_equal(terms[0].component, i);
		if (named)
			assert_string_equal(terms[0].name, "some name");
		else
			assert_null(terms[0].name);
		for (int other = 0; other < TB_COMPONENTS; other++)
			assert_int_equal(tb_priority_uses(function,
							  (enum tb_component)
								  other),
					 other == i);
		tb_priority_destroy(function);
	}
}

/* Each different one once. */
static void asks_for_a_term_once(void **state)
{
	struct tb_priority_function *function = tb_priority_parse(
		"LOAD + LOAD * FEATURE[a] - FEATURE[b] / FEATURE[a] + USAGE",
		NULL);
	unsigned count;

	(void)state;
	assert_non_null(function);
	tb_priority_terms(function, &count);
	assert_int_equal(count, 4);
	tb_priority_destroy(function);
}

static void stays_in_bounds(void **state)
{
	char *text = malloc(TB_PRIORITY_TEXT_MAX + 2);
	char nested[2 * TB_PRIORITY_DEPTH_MAX * 6 + 2] = "";
	struct tb_error err = { "" };

	(void)state;
	assert_non_null(text);
	for (int i = 0; i < TB_PRIORITY_DEPTH_MAX; i++)
		strcat(nested, "1+2*(");
	strcat(nested, "3");
	for (int i = 0; i < TB_PRIORITY_DEPTH_MAX; i++)
		strcat(nested, ")");
	assert_true(value_of(nested) > 1e9);
	memset(text, '1', TB_PRIORITY_TEXT_MAX + 1);
	text[TB_PRIORITY_TEXT_MAX + 1] = '\0';
	assert_null(tb_priority_parse(text, &err));
	assert_non_null(strstr(err.text, "4096"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_what_it_says),
		cmocka_unit_test(names_the_column),
		cmocka_unit_test(knows_each_component),
		cmocka_unit_test(asks_for_a_term_once),
		cmocka_unit_test(stays_in_bounds),
	};

	return cmocka_run_group_tests_name("priority_function", tests, NULL,
					   NULL);
}
