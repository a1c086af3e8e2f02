/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_metrics.h - the keys of topobind.conf for slurmctld's metrics
 *
 * They are the site's: partitions do not override them.  MetricsFile and
 * MetricsInterval.
 */
#ifndef TB_COMMON_CONF_CONF_METRICS_H
#define TB_COMMON_CONF_CONF_METRICS_H

#include "conf_line.h"
#include "compat/slurm_compat.h"
#include "core/base/error.h"

#define TB_METRICS_INTERVAL 15
#define TB_METRICS_INTERVAL_MAX 3600

struct tb_conf_metrics {
	char *file; /* an absolute path; NULL: none.  xfree()d with the conf */
	unsigned interval; /* s, between two times that it is written */
};

/* What the table says, defaults for the rest; -1 with a sentence. */
int tb_conf_metrics_take(struct tb_conf_metrics *metrics, s_p_hashtbl_t *table,
			 const struct tb_conf_where *where,
			 struct tb_error *err);

#endif
