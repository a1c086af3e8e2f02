/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf_metrics.h"

#include "conf_take.h"

#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

static int take_file(char **file, s_p_hashtbl_t *table,
		     const struct tb_conf_where *where, struct tb_error *err)
{
	struct tb_conf_word word = { NULL, NULL };
	int rc = tb_conf_take_word(&word, "MetricsFile", table, where, err);
	const char *path = word.value;

	if (!rc && path && xstrcasecmp(path, "NONE")) {
		if (path[0] == '/' && path[1])
			*file = xstrdup(path);
		else
			rc = tb_conf_fail(
				where, "MetricsFile", path,
				"this is not allowed; allowed: an absolute path, NONE",
				err);
	}
	tb_conf_word_clear(&word);
	return rc;
}

int tb_conf_metrics_take(struct tb_conf_metrics *metrics, s_p_hashtbl_t *table,
			 const struct tb_conf_where *where,
			 struct tb_error *err)
{
	*metrics = (struct tb_conf_metrics){ .interval = TB_METRICS_INTERVAL };
	if (take_file(&metrics->file, table, where, err))
		return -1;
	return tb_conf_take_number(&metrics->interval, "MetricsInterval", 1,
				   TB_METRICS_INTERVAL_MAX, table, where, err);
}
