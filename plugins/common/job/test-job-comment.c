/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The line in a job's SystemComment, among what others write there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "job_comment.h"

#define GRANTS_MAX 3

struct line {
	const char *comment;
	const char *request;		   /* NULL: no binding */
	const char *grants[GRANTS_MAX][2]; /* nodes and units */
	bool has_more;
};

static const struct line lines[] = {
	/* clang-format off */
	{ NULL, NULL, { { NULL } }, false },
	{ "", NULL, { { NULL } }, false },
	{ "\n\n", NULL, { { NULL } }, false },
	{ "grant=n1:NSxccXCC more=2", NULL, { { NULL } }, false },
	{ " binding=bamount=1 grant=n1:SCc", NULL, { { NULL } }, false },
	{ "xbinding=bamount=1 grant=n1:SCc", NULL, { { NULL } }, false },
	{ "waiting=for binding=bamount=1 grant=n1:SCc", NULL, { { NULL } },
	  false },
	{ "binding=bamount=1", "bamount=1", { { NULL } }, false },
	{ "binding=", "", { { NULL } }, false },
	{ "binding=implicit,bunit=C grant=n[1-4,7],m:SCc",
	  "implicit,bunit=C", { { "n[1-4,7],m", "SCc" } }, false },
	{ "theirs: a=b\nbinding=bamount=1 grant=n1:SCc grant=n2:ScC\nmore=7",
	  "bamount=1", { { "n1", "SCc" }, { "n2", "ScC" } }, false },
	{ "binding=bamount=1 grant=n1:0-5,8 grant=n2:7 more=12", "bamount=1",
	  { { "n1", "0-5,8" }, { "n2", "7" } }, true },
	/* No room for a single one. */
	{ "binding=bamount=1 more=1000", "bamount=1", { { NULL } }, true },
	/* What a job waits for is a sentence, and nothing in it is ours. */
	{ "binding=bamount=1 waiting=for grant=n1:SCc more=1", "bamount=1",
	  { { NULL } }, false },
	/* A requeued job has one line only; were there two, the first holds. */
	{ "binding=bamount=1\nbinding=bamount=2 grant=n1:SCc", "bamount=1",
	  { { NULL } }, false },
	/* Words that nobody knows yet. */
	{ "binding=bamount=1 new=x:y grant=n1:SCc", "bamount=1",
	  { { "n1", "SCc" } }, false },
	/* clang-format on */
};

static void check(const struct line *line)
{
	struct tb_comment seen;
	unsigned i;

	assert_int_equal(tb_comment_read(&seen, line->comment, NULL), 0);
	if (line->request == NULL)
		assert_null(seen.request);
	else
		assert_string_equal(seen.request, line->request);
	for (i = 0; i < GRANTS_MAX && line->grants[i][0] != NULL; i++) {
		assert_true(i < seen.ngrants);
		assert_string_equal(seen.grants[i].nodes, line->grants[i][0]);
		assert_string_equal(seen.grants[i].units, line->grants[i][1]);
	}
	assert_int_equal(seen.ngrants, i);
	assert_int_equal(seen.has_more, line->has_more);
	tb_comment_clear(&seen);
}

static void test_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		check(&lines[i]);
}

static void test_bad_grants(void **state)
{
	static const char *const comments[] = {
		"binding=bamount=1 grant=",
		"binding=bamount=1 grant=n1",
		"binding=bamount=1 grant=n1:SCc grant=n2",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(comments) / sizeof(comments[0]); i++) {
		struct tb_comment seen;
		struct tb_error err = { "" };

		assert_int_equal(tb_comment_read(&seen, comments[i], &err), -1);
		assert_true(err.text[0] != '\0');
		tb_comment_clear(&seen);
	}
}

static void test_nodes(void **state)
{
	static const char *const rows[][2] = {
		{ "binding=bamount=1 nodes=2-4 waiting=for nodes=7", "2-4" },
		{ "binding=bamount=1 nodes=1-", "1-" },
		{ "binding=bamount=1 waiting=for nodes=7", NULL },
		{ "binding=bamount=1", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tb_comment seen;

		assert_int_equal(tb_comment_read(&seen, rows[i][0], NULL), 0);
		if (rows[i][1] == NULL)
			assert_null(seen.nodes);
		else
			assert_string_equal(seen.nodes, rows[i][1]);
		tb_comment_clear(&seen);
	}
}

static void test_waiting(void **state)
{
	static const char *const rows[][2] = {
		{ "binding=bamount=1 waiting=for grant=n1:SCc more=1",
		  "for grant=n1:SCc more=1" },
		{ "theirs\nbinding=bamount=1 waiting=2 of 3: x\ntheirs",
		  "2 of 3: x" },
		{ "binding=bamount=1 waiting=", "" },
		{ "binding=bamount=1 grant=n1:SCc", NULL },
		{ "waiting=for nobody", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tb_comment seen;

		assert_int_equal(tb_comment_read(&seen, rows[i][0], NULL), 0);
		if (rows[i][1] == NULL)
			assert_null(seen.waiting);
		else
			assert_string_equal(seen.waiting, rows[i][1]);
		tb_comment_clear(&seen);
	}
}

static void test_kinds(void **state)
{
	(void)state;
	assert_true(tb_comment_is_list("0-5,8"));
	assert_true(tb_comment_is_list("12"));
	assert_false(tb_comment_is_list("NSxcc"));
	assert_false(tb_comment_is_list("(N(S))"));
	assert_false(tb_comment_is_list(""));
	assert_true(tb_comment_is_cut("bunit=X,bfilter=nsx..."));
	assert_false(tb_comment_is_cut("bunit=X,bamount=1"));
	assert_false(tb_comment_is_cut(".."));
	assert_false(tb_comment_is_cut(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines), cmocka_unit_test(test_bad_grants),
		cmocka_unit_test(test_nodes), cmocka_unit_test(test_waiting),
		cmocka_unit_test(test_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
