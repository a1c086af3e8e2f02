/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.h - counts how often jobs with a binding were placed or why not, and how
 * long that took, since slurmctld's start
 *
 * It counts under slurmctld's locks, has no locks of its own and allocates
 * nothing.  metrics_file.h writes the numbers into a file.
 */
#ifndef TB_SELECT_TOPOBIND_SHOW_METRICS_H
#define TB_SELECT_TOPOBIND_SHOW_METRICS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "compat/select_compat.h"

/* Why a job was not placed. */
enum tb_refusal {
	TB_REFUSED_OTHER,   /* what Slurm decides: nodes, limits, its state */
	TB_REFUSED_REQUEST, /* the binding is wrong, or its options clash */
	TB_REFUSED_NEVER,   /* idle nodes could not hold it */
	TB_REFUSED_UNITS,   /* no node has enough of them free */
	TB_REFUSED_FRAGMENTED, /* a node has enough cores, in broken units */
	TB_REFUSED_SLOTS,      /* there is room for some of the slots only */
	TB_REFUSED_MEMORY,
	TB_REFUSED_GRES,
	TB_REFUSALS
};

/* One question; began is private. */
struct tb_measure {
	uint64_t began;
};

/*
 * Call begin and end around a question about a job with a binding, and refused
 * between them to say why the answer will be no; the last reason counts.
 */
struct tb_measure tb_metrics_begin(void);
void tb_metrics_refused(enum tb_refusal why);
void tb_metrics_end(const struct tb_measure *measure,
		    const struct tb_test *test, int rc);

/*
 * By any thread: a number that grows with each question, and all numbers in
 * Prometheus' text format.
 */
uint64_t tb_metrics_count(void);
void tb_metrics_print(FILE *out);

#endif
