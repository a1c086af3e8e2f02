/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * score_watch.h - may a policy of the site's own go on?  It may not when its scores are
 * no numbers, or when it keeps slurmctld waiting
 */
#ifndef TB_CORE_POLICY_SCORE_WATCH_H
#define TB_CORE_POLICY_SCORE_WATCH_H

#include <stdint.h>

#include "core/base/error.h"

/* Times in nanoseconds. */
#define TB_SCORE_STUCK UINT64_C(1000000000) /* no call may take so long, */
#define TB_SCORE_LONG \
	UINT64_C(100000000) /* nor so many of any MEAN_CALLS so long: */
#define TB_SCORE_LONG_MOST 3
#define TB_SCORE_MEAN \
	UINT64_C(20000) /* nor may the others take longer than this */
#define TB_SCORE_MEAN_CALLS 10000

/* Begins with zeros. */
struct tb_score_watch {
	uint64_t calls, time;
	/* Of the last calls, up to TB_SCORE_MEAN_CALLS: long ones; the time of others. */
	uint32_t long_calls;
	uint64_t recent;
};

/*
 * A call for a node took so long.  0, or -1 with a sentence: it is to be asked no more.
 */
int tb_score_watch_add(struct tb_score_watch *watch, double score,
		       const char *node, uint64_t time, struct tb_error *err);

#endif
