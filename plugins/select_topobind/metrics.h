/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.h - how often jobs with a binding were placed, how long it took, and
 * why not
 *
 * Counted under slurmctld's locks, without any of its own and without
 * allocation; since slurmctld's start.  metrics_file.h brings it out.
 */
#ifndef TB_SELECT_METRICS_H
#define TB_SELECT_METRICS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "compat/select_compat.h"

/* Why a job was not placed. */
enum tb_refusal {
	TB_REFUSED_OTHER,      /* what Slurm decides: nodes, limits, its state */
	TB_REFUSED_REQUEST,    /* the binding is wrong, or with these options */
	TB_REFUSED_NEVER,      /* idle nodes could not hold it */
	TB_REFUSED_UNITS,      /* no node has enough of them free */
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
 * Around a question about a job with a binding.  refused, between the two: why it
 * will be, should it be; the last word counts.
 */
struct tb_measure tb_metrics_begin(void);
void tb_metrics_refused(enum tb_refusal why);
void tb_metrics_end(const struct tb_measure *measure,
		    const struct tb_test *test, int rc);

/*
 * In any thread: a number that grows with each question, and all numbers in
 * Prometheus' text format.
 */
uint64_t tb_metrics_count(void);
void tb_metrics_print(FILE *out);

#endif
