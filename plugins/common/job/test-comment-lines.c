/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of plugins/common/job/comment_lines.c. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/job/comment_lines.h"

/* Compares and frees. */
static void assert_text(const char *expected, char *text)
{
	assert_non_null(text);
	assert_string_equal(expected, text);
	free(text);
}

static void finds_the_text_behind_a_word(void **state)
{
	(void)state;
	assert_null(tb_comment_find_word(NULL, TB_UPDATE_WORD));
	assert_null(tb_comment_find_word("", TB_UPDATE_WORD));
	assert_null(tb_comment_find_word("a topobind update bunit=X",
					 TB_UPDATE_WORD));
	assert_null(tb_comment_find_word("topobind update bunit=X",
					 TB_REFUSED_WORD));
	assert_null(tb_comment_find_word("topobind updated", TB_UPDATE_WORD));
	assert_text("bunit=X", tb_comment_find_word("topobind update bunit=X",
						    TB_UPDATE_WORD));
	assert_text("bunit=X",
		    tb_comment_find_word("a\ntopobind update bunit=X\nb",
					 TB_UPDATE_WORD));
	assert_text("", tb_comment_find_word("topobind update \nb",
					     TB_UPDATE_WORD));
}

static void keeps_the_lines_of_others(void **state)
{
	(void)state;
	assert_text("topobind update bunit=X",
		    tb_comment_put_word(NULL, TB_UPDATE_WORD, "bunit=X"));
	assert_text("a\n\nb\ntopobind update bunit=X",
		    tb_comment_put_word("a\n\nb", TB_UPDATE_WORD, "bunit=X"));
	assert_text("a\nb\ntopobind refused no",
		    tb_comment_put_word("a\ntopobind update bunit=X\nb",
					TB_REFUSED_WORD, "no"));
	assert_text("a\nb", tb_comment_put_word("topobind refused no\na\nb\n"
						"topobind update bunit=X",
						NULL, NULL));
	assert_text("", tb_comment_put_word("topobind refused no", NULL, NULL));
	assert_text("a\n", tb_comment_put_word("a\n", NULL, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_text_behind_a_word),
		cmocka_unit_test(keeps_the_lines_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
