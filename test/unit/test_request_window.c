/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Windows of requests: those that are an upper bound, and those that hold nothing.
 */
#include "unit_test.h"

#include "core/request/request.h"

/* The window of an idle node that is an upper bound for any. */
static void test_wide_windows(void **state)
{
	static const char *const windows[][2] = {
		{ "bamount=1", "bamount=1" },
		{ "bamount=1,bstart=S", "bamount=1,bstart=S" },
		{ "bamount=1,bstart=S,bstop=s", "bamount=1,bstart=S,bstop=s" },
		{ "bamount=1,bstart=S,bstop=S", "bamount=1,bstart=S,bstop=S" },
		{ "bamount=1,bstart=x,bstop=x", "bamount=1,bstart=X,bstop=X" },
		{ "bamount=1,bstart=s", "bamount=1" },
		{ "bamount=1,bstart=s,bstop=S", "bamount=1" },
		{ "bamount=1,bstart=s,bstop=x", "bamount=1" },
		{ "bamount=1,bstop=S", "bamount=1" },
		{ "bamount=1,bstart=X,bstop=S", "bamount=1" },
		{ "bamount=1,bstop=s", "bamount=1,bstop=s" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		struct tb_request request;
		char *line;

		tb_request_init(&request);
		assert_int_equal(0, tb_request_parse(&request, windows[i][0],
						     NULL));
		tb_request_widen_window(&request);
		line = tb_request_print(&request);
		assert_string_equal(windows[i][1], line);
		free(line);
		tb_request_clear(&request);
	}
}

static void check_window_of_nothing(const char *line, const char *sentence)
{
	struct tb_request request;
	struct tb_error err;
	int rc;

	tb_request_init(&request);
	assert_int_equal(0, tb_request_parse(&request, line, NULL));
	rc = tb_request_check_window(&request, &err);
	assert_int_equal(rc, sentence ? -1 : 0);
	if (sentence)
		assert_string_equal(err.text, sentence);
	tb_request_clear(&request);
}

static void test_window_of_nothing(void **state)
{
	const char *stops =
		"bstop=C ends the window before the first free core, so that no C unit in it is ever free: stop at a core in use with bstop=c, or leave bstop out";

	(void)state;
	check_window_of_nothing("bamount=1", NULL);
	check_window_of_nothing("bamount=0,bstop=C", NULL);
	check_window_of_nothing("bamount=1,bstop=C", stops);
	check_window_of_nothing("bamount=1,bstart=N,bstop=C", stops);
	check_window_of_nothing("bamount=1,bstart=c,bstop=C", stops);
	check_window_of_nothing("bamount=1,bstart=C,bstop=C", NULL);
	check_window_of_nothing("bamount=1,bstop=c", NULL);
	check_window_of_nothing("bamount=1,bstop=E", NULL);
	check_window_of_nothing(
		"bamount=1,bunit=E,bstop=E",
		"bstop=E ends the window before the first free core, so that no E unit in it is ever free: stop at a core in use with bstop=e, or leave bstop out");
	check_window_of_nothing("bamount=1,bunit=X,bstop=C", NULL);
	check_window_of_nothing("bamount=1,bunit=T,bstop=C", NULL);
	check_window_of_nothing("bamount=1,bunit=T,bstart=c,bstop=c", NULL);
	check_window_of_nothing("bamount=1,bunit=Y,bstart=C,bstop=C", NULL);
	check_window_of_nothing(
		"bamount=1,bunit=X,bstart=C,bstop=C",
		"bstart=C with bstop=C is a window of one core, in which no X unit is ever free: leave one of them out, or name objects that have such units");
	check_window_of_nothing(
		"bamount=1,bstart=c,bstop=c",
		"bstart=c with bstop=c is a window of one core, in which no C unit is ever free: leave one of them out, or name objects that have such units");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wide_windows),
		cmocka_unit_test(test_window_of_nothing),
	};

	return cmocka_run_group_tests_name("request_window", tests, NULL, NULL);
}
