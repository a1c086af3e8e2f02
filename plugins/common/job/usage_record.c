/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "usage_record.h"

#include <stdio.h>

#include "common/job/record_word.h"

#define KEY "usage="

char *tb_usage_record_set(const char *comment, struct tb_unit unit,
			  const struct tb_busy *busy)
{
	char word[80];

	snprintf(word, sizeof(word), KEY "%s:%u,idle:%u,busy:%.0f%%",
		 tb_unit_name(unit), busy->nunits, busy->idle,
		 100 * busy->mean);
	return tb_record_word_set(comment, KEY, word);
}

char *tb_usage_record_drop(const char *comment)
{
	return tb_record_word_drop(comment, KEY);
}
