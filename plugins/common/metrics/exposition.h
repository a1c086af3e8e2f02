/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exposition.h - Prometheus' text format
 *
 * Version 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/.
 * All samples of a metric follow its head.
 */
#ifndef TB_COMMON_METRICS_EXPOSITION_H
#define TB_COMMON_METRICS_EXPOSITION_H

#include <stdio.h>

/* type: "gauge", "counter" or "histogram"; help: a sentence. */
void tb_metric_head(FILE *out, const char *name, const char *type,
		    const char *help);

/*
 * One number.  Names and values of labels follow in pairs, then NULL; a value is
 * any text.
 */
void tb_metric_sample(FILE *out, const char *name, double number, ...)
	__attribute__((sentinel));

#endif
