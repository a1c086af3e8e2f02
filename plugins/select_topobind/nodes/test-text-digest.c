/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts that differ have different digests: in one character, in length, in order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "text_digest.h"

#define LENGTH 100

static void test_equal_texts(void **state)
{
	char text[] = "m_topology=NSXCC m_memory=64000", copy[sizeof(text)];

	(void)state;
	memcpy(copy, text, sizeof(text));
	assert_true(tb_text_digest(text) == tb_text_digest(copy));
	assert_true(tb_text_digest(NULL) == tb_text_digest(""));
	assert_true(tb_text_digest("") != tb_text_digest("x"));
}

/* About half of the bits are other ones. */
static void test_one_character(void **state)
{
	char text[LENGTH + 1] = "";
	unsigned bits = 0;

	(void)state;
	memset(text, 'a', LENGTH);
	for (unsigned i = 0; i < LENGTH; i++) {
		uint64_t before = tb_text_digest(text), after;

		text[i] = 'b';
		after = tb_text_digest(text);
		assert_true(before != after);
		bits += (unsigned)__builtin_popcountll(before ^ after);
		text[i] = 'a';
		assert_true(tb_text_digest(text) == before);
	}
	assert_in_range(bits, 28 * LENGTH, 36 * LENGTH);
}

static void test_length_and_order(void **state)
{
	char text[LENGTH + 1] = "";
	uint64_t seen[2 * LENGTH];
	unsigned count = 0;

	(void)state;
	for (unsigned i = 0; i < LENGTH; i++) {
		text[i] = 'a';
		seen[count++] = tb_text_digest(text);
	}
	/* Two words change places. */
	for (unsigned i = 8; i + 8 <= LENGTH; i += 8) {
		memset(text, 'a', LENGTH);
		memset(text + i, 'b', 8);
		seen[count++] = tb_text_digest(text);
	}
	for (unsigned i = 0; i < count; i++)
		for (unsigned j = 0; j < i; j++)
			assert_true(seen[i] != seen[j]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_texts),
		cmocka_unit_test(test_one_character),
		cmocka_unit_test(test_length_and_order),
	};

	return cmocka_run_group_tests_name("text_digest", tests, NULL, NULL);
}
