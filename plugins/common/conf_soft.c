/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/conf_soft.h"

#include <stdlib.h>
#include <string.h>

#include "common/conf_policy.h"
#include "core/soft.h"

#include "src/common/xstring.h"

/* A key's value, NULL when it is not there; the word is to be cleared. */
static int take_word(struct tb_conf_word *word, const char *key,
		     s_p_hashtbl_t *table, const struct tb_conf_where *where,
		     struct tb_error *err)
{
	tb_conf_word_take(word, key, table);
	return tb_conf_word_check(word, key, where, err);
}

static int take_flag(bool *flag, const char *key, s_p_hashtbl_t *table,
		     const struct tb_conf_where *where, struct tb_error *err)
{
	struct tb_conf_word word = {NULL, NULL};
	int rc = take_word(&word, key, table, where, err);

	if (!rc)
		rc = tb_conf_read_flag(flag, key, word.value, where, err);
	tb_conf_word_clear(&word);
	return rc;
}

/* Digits only, not more of them than the largest has. */
static bool read_number(const char *text, unsigned min, unsigned max,
			unsigned *number)
{
	unsigned long value;

	if (!*text || strlen(text) > 5 || text[strspn(text, "0123456789")])
		return false;
	value = strtoul(text, NULL, 10);
	if (value < min || value > max)
		return false;
	*number = value;
	return true;
}

static int take_number(unsigned *number, const char *key, unsigned min,
		       unsigned max, s_p_hashtbl_t *table,
		       const struct tb_conf_where *where, struct tb_error *err)
{
	struct tb_conf_word word = {NULL, NULL};
	int rc = take_word(&word, key, table, where, err);
	struct tb_error why;

	if (!rc && word.value && !read_number(word.value, min, max, number)) {
		tb_fail(&why, "this is not allowed; allowed: a whole number from %u to %u",
			min, max);
		rc = tb_conf_fail(where, key, word.value, why.text, err);
	}
	tb_conf_word_clear(&word);
	return rc;
}

static int take_count(enum tb_soft_count *count, s_p_hashtbl_t *table,
		      const struct tb_conf_where *where, struct tb_error *err)
{
	struct tb_conf_word word = {NULL, NULL};
	int rc = take_word(&word, "SoftCount", table, where, err);

	if (!rc && word.value) {
		if (!xstrcasecmp(word.value, "all"))
			*count = TB_SOFT_COUNT_ALL;
		else if (xstrcasecmp(word.value, "job"))
			rc = tb_conf_fail(where, "SoftCount", word.value,
					  "this is not allowed; allowed: job, all",
					  err);
	}
	tb_conf_word_clear(&word);
	return rc;
}

int tb_conf_soft_take(struct tb_conf_soft *soft, s_p_hashtbl_t *table,
		      const struct tb_conf_where *where, struct tb_error *err)
{
	*soft = (struct tb_conf_soft){
		.on = true,
		.low_pct = TB_SOFT_LOW_PCT,
		.count = TB_SOFT_COUNT_JOB,
		.interval_ms = TB_SOFT_INTERVAL_MS,
	};
	if (take_flag(&soft->on, "Soft", table, where, err) ||
	    take_number(&soft->low_pct, "SoftUtilLowPct", 0, 100, table, where,
			err) ||
	    take_count(&soft->count, table, where, err))
		return -1;
	return take_number(&soft->interval_ms, "SoftIntervalMs",
			   TB_SOFT_INTERVAL_MIN_MS, TB_SOFT_INTERVAL_MAX_MS,
			   table, where, err);
}
