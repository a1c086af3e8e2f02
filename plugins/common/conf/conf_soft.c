/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf_soft.h"

#include "conf_policy.h"
#include "conf_take.h"

static int take_count(enum tb_soft_count *count, s_p_hashtbl_t *table,
		      const struct tb_conf_where *where, struct tb_error *err)
{
	struct tb_conf_word word = { NULL, NULL };
	int rc = tb_conf_take_word(&word, "SoftCount", table, where, err);

	if (!rc && word.value && !tb_soft_count_read(word.value, count))
		rc = tb_conf_fail(where, "SoftCount", word.value,
				  "this is not allowed; allowed: job, all",
				  err);
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
	if (tb_conf_take_flag(&soft->on, "Soft", table, where, err) ||
	    tb_conf_take_number(&soft->low_pct, "SoftUtilLowPct", 0, 100, table,
				where, err) ||
	    take_count(&soft->count, table, where, err))
		return -1;
	return tb_conf_take_number(&soft->interval_ms, "SoftIntervalMs",
				   TB_SOFT_INTERVAL_MIN_MS,
				   TB_SOFT_INTERVAL_MAX_MS, table, where, err);
}
