/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job's AdminComment, in which soft-bound steps count: the words of others
 * stay, and so does what was counted.
 */
#include "fuzz.h"

#include "common/soft/soft_record.h"

static const struct tb_soft_counts none, some = { 1, 2, 3 };

static unsigned count_words(const char *comment)
{
	static const char key[] = "soft=preferred:";
	unsigned count = 0;

	for (const char *at = comment; (at = strstr(at, key)); at++)
		count += at == comment || at[-1] == ' ';
	return count;
}

/* The same whether one step adds twice or two add once. */
static void check_added(const char *comment)
{
	static const struct tb_soft_counts twice = { 2, 4, 6 };
	char *one = tb_soft_record_add(comment, &some);
	char *two = tb_soft_record_add(one, &some);
	char *both = tb_soft_record_add(comment, &twice);
	char *same = tb_soft_record_add(two, &none);

	FUZZ_CHECK(one && two && both && same);
	FUZZ_CHECK(!strcmp(two, both) && !strcmp(two, same));
	free(one);
	free(two);
	free(both);
	free(same);
}

static void check_dropped(const char *comment)
{
	unsigned words = count_words(comment);
	char *rest = tb_soft_record_drop(comment);
	char *added = tb_soft_record_add(comment, &some);
	char *again = tb_soft_record_drop(added);

	FUZZ_CHECK(!rest == !words);
	FUZZ_CHECK(again);
	if (rest)
		FUZZ_CHECK(strlen(rest) < strlen(comment) &&
			   !strcmp(rest, again));
	/* A blank at the end may be gone. */
	else
		FUZZ_CHECK(!strncmp(again, comment, strlen(again)) &&
			   strlen(comment) - strlen(again) <= 1);
	free(rest);
	free(added);
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);

	check_added(text);
	check_dropped(text);
	free(text);
	return 0;
}
