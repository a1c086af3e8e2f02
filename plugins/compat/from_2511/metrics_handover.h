/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics_handover.h - how what the select plugin counts comes to slurmctld's own
 * endpoint for metrics
 *
 * Since Slurm 25.11 slurmctld answers HTTP requests with what a plugin prints,
 * MetricsType in slurm.conf.  metrics/topobind passes every call on to Slurm's own
 * metrics/openmetrics, and adds what select/topobind in the same process counts.
 */
#ifndef TB_COMPAT_FROM_2511_METRICS_HANDOVER_H
#define TB_COMPAT_FROM_2511_METRICS_HANDOVER_H

#include <stdio.h>

/* The name of the one symbol that the select plugin exports for it. */
#define TB_METRICS_HANDOVER "topobind_metrics_handover"

struct tb_metrics_handover {
	/* Any thread may call it, with any locks: it takes none. */
	void (*print)(FILE *out);
};

#endif
