/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * later.h - the jobs that start later than under the first configuration, and why
 */
#ifndef TB_TOOLS_WHATIF_LATER_H
#define TB_TOOLS_WHATIF_LATER_H

#include "whatif.h"

/* Seconds: what is no longer is not later. */
#define TB_LATER_LEAST 60
/* Of so many jobs it is told why. */
#define TB_LATER_TOLD 5

struct tb_late_job {
	int64_t by; /* seconds; TB_LATER_NEVER: it does not start at all */
	struct tb_replay_why why;
};

#define TB_LATER_NEVER INT64_MAX

/* Jobs that start under the first configuration. */
struct tb_later {
	unsigned count;	    /* those that start, but later */
	unsigned never;	    /* those that do not start any more */
	int64_t sum, worst; /* of those that start */
	/* One of never first, then the worst. */
	struct tb_late_job list[TB_LATER_TOLD];
	unsigned nlist;
};

/*
 * Replays the history once more where somebody is later, to see why.  -1: no memory.
 */
int tb_later_find(const struct tb_history *history,
		  const struct tb_replay_options *options,
		  const struct tb_whatif *first, const struct tb_whatif *whatif,
		  struct tb_later *later);

#endif
