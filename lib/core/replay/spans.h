/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spans.h - which nodes are promised to waiting jobs, over time
 *
 * Private to lib/core/replay.  Slurm's sched/backfill promises whole nodes.  Time is in
 * spans, one after the other, in each of which some nodes are free of promises.
 */
#ifndef TB_CORE_REPLAY_SPANS_H
#define TB_CORE_REPLAY_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/bitset.h"

struct tb_span {
	int64_t from;		/* to the next one's, or the end */
	struct tb_bitset *free; /* nodes */
};

struct tb_spans {
	struct tb_span *list;
	unsigned count, made; /* so many of them have a set */
	int64_t end; /* of the last one: nothing is promised from then on */
	unsigned nnodes;
};

/* All zero: none yet, but nnodes. */
void tb_spans_clear(struct tb_spans *spans);

/* A single one, in which all are free.  -1: no memory. */
int tb_spans_restart(struct tb_spans *spans, int64_t from, int64_t end);

int64_t tb_spans_end_of(const struct tb_spans *spans, unsigned index);

/* Promise nodes, from one time to another.  -1: no memory. */
int tb_spans_promise(struct tb_spans *spans, int64_t from, int64_t to,
		     const struct tb_bitset *nodes);

/* Is any of the nodes promised between the two? */
bool tb_spans_have_promised(const struct tb_spans *spans, int64_t from,
			    int64_t to, const struct tb_bitset *nodes);

#endif
