/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_soft.h - the keys of topobind.conf for soft binding
 *
 * They are the site's: partitions do not override them.  Soft, SoftUtilLowPct,
 * SoftCount and SoftIntervalMs.
 */
#ifndef TB_COMMON_CONF_CONF_SOFT_H
#define TB_COMMON_CONF_CONF_SOFT_H

#include <stdbool.h>

#include "conf_line.h"
#include "compat/slurm_compat.h"
#include "core/base/error.h"
#include "core/soft/soft.h"

/* A shorter one costs too much; a longer one is of no use. */
#define TB_SOFT_INTERVAL_MIN_MS 10
#define TB_SOFT_INTERVAL_MAX_MS 60000
#define TB_SOFT_INTERVAL_MS 500

struct tb_conf_soft {
	bool on;
	unsigned low_pct; /* 0 to 100, as in core/soft/soft.h */
	enum tb_soft_count count;
	unsigned interval_ms; /* between two samples */
};

/* What the table says, defaults for the rest; -1 with a sentence. */
int tb_conf_soft_take(struct tb_conf_soft *soft, s_p_hashtbl_t *table,
		      const struct tb_conf_where *where, struct tb_error *err);

#endif
