/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * halving.h - the least and the largest number for which something fits
 *
 * Each question is asked about log2 of the numbers only.  It must be monotone: what
 * fits for a number fits for all larger ones (least), or for all smaller ones
 * (most).  If it is not, the result is a number for which it fits, next to one for
 * which it does not.
 */
#ifndef TB_CORE_PLAN_HALVING_H
#define TB_CORE_PLAN_HALVING_H

#include <stdbool.h>
#include <stdint.h>

typedef bool (*tb_fits)(void *arg, uint32_t number);

/*
 * The least from first to last; it fits for last, which is not asked.  After so many
 * questions it is the least for which it is known to fit.
 */
uint32_t tb_halve_least(tb_fits fits, void *arg, uint32_t first, uint32_t last,
			uint32_t questions);

/*
 * The largest from first to last; it fits for first, which is not asked.  Last is
 * asked before all others: mostly it fits.
 */
uint32_t tb_halve_most(tb_fits fits, void *arg, uint32_t first, uint32_t last);

#endif
