/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strings and arrays that grow, and the case of letters.
 */
#include "unit_test.h"

#include "core/base/array.h"
#include "core/base/clip.h"
#include "core/base/suggest.h"
#include "core/base/text.h"

static void test_text_grows(void **state)
{
	struct tb_text text = TB_TEXT_EMPTY;
	char *taken;

	(void)state;
	tb_text_add(&text, "a");
	tb_text_add_char(&text, '=');
	tb_text_add_number(&text, 4294967295u);
	tb_text_add_number(&text, 0);
	taken = tb_text_take(&text);
	assert_string_equal(taken, "a=42949672950");
	free(taken);
	for (int i = 0; i < 1000; i++)
		tb_text_add(&text, "xy");
	taken = tb_text_take(&text);
	assert_int_equal(strlen(taken), 2000);
	assert_int_equal(strspn(taken, "xy"), 2000);
	free(taken);
	taken = tb_text_take(&text);
	assert_string_equal(taken, "");
	free(taken);
}

static void check_suggestion(const char *value, const char *says)
{
	static const char words[] = "packed, linear scatter,l3,node CONTIGUOUS";

	assert_string_equal(tb_suggest(words, value, strlen(value)).text, says);
}

static void test_suggestions(void **state)
{
	(void)state;
	check_suggestion("pack", " (did you mean packed?)");
	check_suggestion("LINEAR", " (did you mean linear?)");
	check_suggestion("lineare", " (did you mean linear?)");
	check_suggestion("scater", " (did you mean scatter?)");
	check_suggestion("sctter", " (did you mean scatter?)");
	check_suggestion("bscatters", " (did you mean scatter?)");
	check_suggestion("contiguos", " (did you mean CONTIGUOUS?)");
	check_suggestion("nodes", " (did you mean node?)");
	check_suggestion("nodesx", "");
	check_suggestion("xyzlinear", "");
	check_suggestion("linearxyz", "");
	check_suggestion("xylinear", " (did you mean linear?)");
	check_suggestion("random", "");
	check_suggestion("l4", "");
	check_suggestion("p", "");
	check_suggestion("", "");
	check_suggestion("packedpackedpackedpackedp", "");
	assert_string_equal(tb_suggest("", "packed", 6).text, "");
	assert_string_equal(tb_suggest("packed", "packing", 4).text,
			    " (did you mean packed?)");
}

static void test_letter_case(void **state)
{
	(void)state;
	for (int c = 1; c < 128; c++) {
		bool small = c >= 'a' && c <= 'z', large = c >= 'A' && c <= 'Z';

		assert_int_equal(tb_is_lower((char)c), small);
		assert_int_equal(tb_upper((char)c), small ? c - 32 : c);
		assert_int_equal(tb_lower((char)c), large ? c + 32 : c);
	}
	/* Bytes of other alphabets stay as they are. */
	assert_int_equal(tb_upper((char)0xe4), (char)0xe4);
	assert_int_equal(tb_lower((char)0xc4), (char)0xc4);
}

static void test_words(void **state)
{
	(void)state;
	assert_true(tb_text_is_word("Speed", 5, "SPEED"));
	assert_true(tb_text_is_word("speed + 1", 5, "SPEED"));
	assert_true(tb_text_is_word("", 0, ""));
	assert_false(tb_text_is_word("SPEED", 4, "SPEED"));
	assert_false(tb_text_is_word("SPEEDS", 6, "SPEED"));
	assert_false(tb_text_is_word("SPEND", 5, "SPEED"));
	assert_false(tb_text_is_word("", 0, "SPEED"));
	/* '[' and '{' differ in the same bit as letters do. */
	assert_false(tb_text_is_word("{", 1, "["));
}

static void test_megabytes(void **state)
{
	static const struct {
		const char *text;
		uint64_t wanted;
		const char *rest; /* NULL: it is refused */
	} rows[] = {
		{ "0", 0, "" },
		{ "5", 5, "" },
		{ "5M", 5, "" },
		{ "0K", 0, "" },
		{ "1k", 1, "" },
		{ "1024K", 1, "" },
		{ "1025K,", 2, "," },
		{ "2g", 2048, "" },
		{ "3T", 3145728, "" },
		{ "5MB", 5, "B" },
		{ "5 G", 5, " G" },
		{ "4294967295T", 4503599626321920, "" },
		{ "4294967296", 0, NULL },
		{ "", 0, NULL },
		{ "M", 0, NULL },
		{ "-1", 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *at = rows[i].text;
		uint64_t megabytes;

		assert_int_equal(tb_text_read_megabytes(&at, &megabytes),
				 rows[i].rest ? 0 : -1);
		if (!rows[i].rest)
			continue;
		assert_int_equal(megabytes, rows[i].wanted);
		assert_string_equal(at, rows[i].rest);
	}
}

static void test_array_of_no_items(void **state)
{
	static const unsigned zeros[3];
	unsigned *items = tb_array_create(0, sizeof(*items));

	(void)state;
	assert_non_null(items);
	free(items);
	items = tb_array_create(3, sizeof(*items));
	assert_memory_equal(items, zeros, sizeof(zeros));
	free(items);
}

static void test_array_grows(void **state)
{
	unsigned *items = NULL;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		unsigned *room = tb_array_make_room(items, i, sizeof(*items));

		assert_non_null(room);
		items = room;
		items[i] = i;
	}
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(items[i], i);
	free(items);
}

static void test_clip(void **state)
{
	static const char longest[] = "0123456789012345678901234567890123456789";

	(void)state;
	assert_string_equal(tb_clip("a\tb\x80", 4).text, "a?b?");
	assert_string_equal(tb_clip("abc", 2).text, "ab");
	assert_string_equal(tb_clip(longest, TB_CLIP_MAX).text, longest);
	assert_string_equal(tb_clip("0123456789012345678901234567890123456789x",
				    TB_CLIP_MAX + 1)
				    .text,
			    "0123456789012345678901234567890123456789...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_grows),
		cmocka_unit_test(test_suggestions),
		cmocka_unit_test(test_letter_case),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_megabytes),
		cmocka_unit_test(test_array_of_no_items),
		cmocka_unit_test(test_array_grows),
		cmocka_unit_test(test_clip),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
