/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf_soft.h"

#include "conf_policy.h"
#include "conf_take.h"

#define KEY_OF(name, key, usual) key,
static const char *const keys[TB_SOFT_WORDS] = { TB_SOFT_ITEMS(KEY_OF) };

struct tb_conf_soft tb_conf_soft_usual(void)
{
	return (struct tb_conf_soft){
		.on = true,
		.low_pct = TB_SOFT_LOW_PCT,
		.count = TB_SOFT_COUNT_JOB,
		.interval_ms = TB_SOFT_INTERVAL_MS,
		.mode = TB_HARD,
	};
}

static int read_count(enum tb_soft_count *count, const char *value,
		      const struct tb_conf_where *where, struct tb_error *err)
{
	if (!value || tb_soft_count_read(value, count))
		return 0;
	return tb_conf_fail(where, keys[TB_SOFT_WORD_COUNT], value,
			    "this is not allowed; allowed: job, all", err);
}

static int read_mode(enum tb_hardness *mode, const char *value,
		     const struct tb_conf_where *where, struct tb_error *err)
{
	if (!value || tb_mode_read(value, mode))
		return 0;
	return tb_conf_fail(where, keys[TB_SOFT_WORD_MODE], value,
			    "this is not allowed; allowed: hard, soft", err);
}

static int read_number(unsigned *number, int word, const char *value,
		       unsigned min, unsigned max,
		       const struct tb_conf_where *where, struct tb_error *err)
{
	return tb_conf_read_number(number, keys[word], value, min, max, where,
				   err);
}

int tb_conf_soft_read(struct tb_conf_soft *soft,
		      const struct tb_conf_word word[TB_SOFT_WORDS],
		      const struct tb_conf_where *where, struct tb_error *err)
{
	if (tb_conf_read_flag(&soft->on, keys[TB_SOFT_WORD_ON],
			      word[TB_SOFT_WORD_ON].value, where, err) ||
	    read_number(&soft->low_pct, TB_SOFT_WORD_LOW,
			word[TB_SOFT_WORD_LOW].value, 0, 100, where, err) ||
	    read_count(&soft->count, word[TB_SOFT_WORD_COUNT].value, where,
		       err) ||
	    read_mode(&soft->mode, word[TB_SOFT_WORD_MODE].value, where, err))
		return -1;
	return read_number(&soft->interval_ms, TB_SOFT_WORD_INTERVAL,
			   word[TB_SOFT_WORD_INTERVAL].value,
			   TB_SOFT_INTERVAL_MIN_MS, TB_SOFT_INTERVAL_MAX_MS,
			   where, err);
}
