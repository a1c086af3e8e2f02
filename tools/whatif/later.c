/* SPDX-License-Identifier: GPL-2.0-or-later */
/* later.c - see later.h */
#include <stdlib.h>

#include "later.h"

/* ---- who ---- */

/* The list has the latest first. */
static void keep_worst(struct tb_later *later, unsigned job, int64_t by)
{
	unsigned at = later->nlist;

	if (at < TB_LATER_TOLD)
		later->nlist++;
	else if (later->list[--at].by >= by)
		return;
	for (; at && later->list[at - 1].by < by; at--)
		later->list[at] = later->list[at - 1];
	later->list[at] = (struct tb_late_job){ .by = by, .why.job = job };
}

static void take_job(struct tb_later *later, unsigned job, int64_t first,
		     int64_t start)
{
	int64_t by = start - first;

	if (first == TB_REPLAY_NEVER)
		return;
	if (start == TB_REPLAY_NEVER) {
		if (!later->never++)
			keep_worst(later, job, TB_LATER_NEVER);
		return;
	}
	if (by <= TB_LATER_LEAST)
		return;
	later->count++;
	later->sum += by;
	if (by > later->worst)
		later->worst = by;
	keep_worst(later, job, by);
}

/* ---- why ---- */

static int find_whys(const struct tb_history *history,
		     const struct tb_replay_options *options,
		     const struct tb_under *under, struct tb_later *later)
{
	struct tb_replay_job *jobs = tb_whatif_jobs(history, under);
	struct tb_replay_start *starts = calloc(history->njobs,
						sizeof(*starts));
	struct tb_replay_options again = *options;
	struct tb_replay_why whys[TB_LATER_TOLD];
	struct tb_replay_totals totals;
	unsigned first = later->never > 0; /* it waits for nothing */
	int rc = -1;

	for (unsigned i = first; i < later->nlist; i++)
		whys[i] = later->list[i].why;
	again.whys = &whys[first];
	again.nwhys = later->nlist - first;
	if (jobs && starts)
		rc = tb_replay(&under->cluster->cluster, jobs, history->njobs,
			       &again, starts, &totals);
	for (unsigned i = first; i < later->nlist; i++)
		later->list[i].why = whys[i];
	free(jobs);
	free(starts);
	return rc;
}

int tb_later_find(const struct tb_history *history,
		  const struct tb_replay_options *options,
		  const struct tb_whatif *first, const struct tb_whatif *whatif,
		  struct tb_later *later)
{
	*later = (struct tb_later){ 0 };
	for (unsigned i = 0; i < history->njobs; i++)
		take_job(later, i, first->starts[i].start,
			 whatif->starts[i].start);
	return later->count ? find_whys(history, options, whatif->under, later)
			    : 0;
}
