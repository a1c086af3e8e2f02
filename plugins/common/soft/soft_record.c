/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "soft_record.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/job/record_word.h"

#define KEY "soft=preferred:"

/* Somebody else's nonsense counts as nothing. */
static struct tb_soft_counts read_word(const char *word)
{
	struct tb_soft_counts counts;

	if (word == NULL ||
	    sscanf(word,
		   KEY "%" SCNu64 ",allowed:%" SCNu64 ",smoothed:%" SCNu64,
		   &counts.preferred, &counts.allowed, &counts.smoothed) != 3)
		counts = (struct tb_soft_counts){ 0 };
	return counts;
}

char *tb_soft_record_add(const char *comment, const struct tb_soft_counts *more)
{
	struct tb_soft_counts before = read_word(
		tb_record_word_find(comment, KEY));
	char word[120];

	snprintf(word, sizeof(word),
		 KEY "%" PRIu64 ",allowed:%" PRIu64 ",smoothed:%" PRIu64,
		 before.preferred + more->preferred,
		 before.allowed + more->allowed,
		 before.smoothed + more->smoothed);
	return tb_record_word_set(comment, KEY, word);
}

char *tb_soft_record_drop(const char *comment)
{
	return tb_record_word_drop(comment, KEY);
}
