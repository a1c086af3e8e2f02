/* SPDX-License-Identifier: GPL-2.0-or-later */
/* over_time.c - see over_time.h */
#include "over_time.h"

void tb_over_time_add(struct tb_over_time *over_time, int64_t from, int64_t to,
		      double amount)
{
	double length = (double)(over_time->last - over_time->first) / TB_BINS;
	double begin = (double)(from - over_time->first) / length;
	double end = (double)(to - over_time->first) / length;

	for (unsigned bin = begin > 0 ? (unsigned)begin : 0;
	     bin < TB_BINS && bin < end; bin++) {
		double low = begin > bin ? begin : bin;
		double high = end < bin + 1 ? end : bin + 1;

		over_time->values[bin] += (high - low) * amount;
	}
}
