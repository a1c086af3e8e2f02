/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ends.h - after how many ends of jobs does another job fit?
 *
 * The one search for this: slurmctld asks it for the start of a job
 * (select_topobind/answer/future.c), `topobind explain` and `plan` for those who must
 * end before (blockers.h).
 */
#ifndef TB_CORE_PLAN_ENDS_H
#define TB_CORE_PLAN_ENDS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/plan/halving.h"
#include "core/request/request.h"

/* With a window this many first ends are looked at one after the other. */
#define TB_ENDS_ONE_BY_ONE 64

/*
 * fits(arg, number) says whether the request fits when the first so many of count
 * have ended.  *ended: the fewest after which it does, 0 to count.  False: after none.
 *
 * What fits stays so when more end, and log2(count) questions suffice.  Not with a
 * window: it begins or ends at what is in use, and the end of a job can leave less.
 */
bool tb_ends_find(const struct tb_request *request, tb_fits fits, void *arg,
		  uint32_t count, uint32_t *ended);

#endif
