/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * over_time.h - a number that goes up and down over time, in bins of equal length
 */
#ifndef TB_TOOLS_WHATIF_OVER_TIME_H
#define TB_TOOLS_WHATIF_OVER_TIME_H

#include <stdint.h>

#define TB_BINS 240

struct tb_over_time {
	int64_t first, last; /* of the time that the bins cover; not the same */
	double values[TB_BINS]; /* all zero before the first span */
};

/* So much from one time to another: to each bin the part that it has of it. */
void tb_over_time_add(struct tb_over_time *over_time, int64_t from, int64_t to,
		      double amount);

#endif
