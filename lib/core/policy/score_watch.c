/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "score_watch.h"

#include <math.h>

static double in_ms(uint64_t time)
{
	return (double)time / 1e6;
}

static int check_call(struct tb_score_watch *watch, const char *node,
		      uint64_t time, struct tb_error *err)
{
	if (time >= TB_SCORE_STUCK)
		return tb_fail(
			err,
			"the score of node %.64s took %.0f ms; less than %.0f are allowed",
			node, in_ms(time), in_ms(TB_SCORE_STUCK));
	watch->long_calls += time >= TB_SCORE_LONG;
	if (watch->long_calls < TB_SCORE_LONG_MOST)
		return 0;
	return tb_fail(
		err,
		"%d scores took %.0f ms or more, the last one, of node %.64s, %.0f; less is allowed",
		TB_SCORE_LONG_MOST, in_ms(TB_SCORE_LONG), node, in_ms(time));
}

/* Long calls have been counted already: they may be the machine's fault. */
static int check_mean(struct tb_score_watch *watch, uint64_t time,
		      struct tb_error *err)
{
	watch->recent += time < TB_SCORE_LONG ? time : 0;
	if (watch->recent <= TB_SCORE_MEAN * TB_SCORE_MEAN_CALLS)
		return 0;
	return tb_fail(err,
		       "%d scores took more than %.0f ms; no more is allowed",
		       TB_SCORE_MEAN_CALLS,
		       in_ms(TB_SCORE_MEAN * TB_SCORE_MEAN_CALLS));
}

/* What is counted of a number of calls begins anew after these. */
static void begin_anew(struct tb_score_watch *watch)
{
	if (watch->calls % TB_SCORE_MEAN_CALLS)
		return;
	watch->recent = 0;
	watch->long_calls = 0;
}

int tb_score_watch_add(struct tb_score_watch *watch, double score,
		       const char *node, uint64_t time, struct tb_error *err)
{
	watch->calls++;
	watch->time += time;
	if (!isfinite(score))
		return tb_fail(
			err,
			"the score of node %.64s is %s; only finite numbers are allowed",
			node, isnan(score) ? "NaN" : "infinite");
	if (check_call(watch, node, time, err))
		return -1;
	if (check_mean(watch, time, err))
		return -1;
	begin_anew(watch);
	return 0;
}
