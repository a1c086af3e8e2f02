/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_metrics.c - what the select plugin hands to metrics/topobind since 25.11
 *
 * See metrics_handover.h.
 */
#include "compat/select_ops.h"

#include "compat/from_2511/metrics_handover.h"

#include "select_topobind/show/metrics.h"

EXPORT extern const struct tb_metrics_handover topobind_metrics_handover;
const struct tb_metrics_handover topobind_metrics_handover = {
	.print = tb_metrics_print,
};
