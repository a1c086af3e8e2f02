/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.c - see replay.h */
#include "replay.h"
#include "turn.h"
#include "why.h"

/* ---- time ---- */

static bool fits_ever(const struct tb_replay *replay, unsigned index)
{
	const struct tb_kind *kind = tb_replay_kind(replay, index);

	return kind->empty_tasks >= replay->jobs[index].tasks &&
	       kind->empty_hosts >= replay->jobs[index].nodes;
}

static void move_to(struct tb_replay *replay, int64_t now)
{
	double seconds = (double)(now - replay->now);

	replay->totals->core_seconds += seconds * (double)replay->busy_cores;
	replay->totals->broken_seconds += seconds * (double)replay->all_broken;
	tb_whys_pass(replay, now - replay->now);
	replay->now = now;
}

/* Jobs that are submitted now; the first of them, or njobs. */
static unsigned take_submitted(struct tb_replay *replay)
{
	unsigned first = replay->njobs;

	for (; replay->submitted < replay->njobs &&
	       replay->jobs[replay->submitted].submit <= replay->now;
	     replay->submitted++) {
		unsigned job = replay->submitted;

		replay->starts[job] = (struct tb_replay_start){
			.start = TB_REPLAY_NEVER
		};
		if (!fits_ever(replay, job))
			continue;
		if (first == replay->njobs)
			first = job;
		tb_replay_wait(replay, job);
	}
	return first;
}

/* By the jobs that have come, and those that have gone. */
static void tell_progress(const struct tb_replay *replay, unsigned *told)
{
	uint64_t gone = replay->submitted - replay->waiting -
			replay->ends.count;
	unsigned percent = (unsigned)((gone + replay->submitted) * 50 /
				      replay->njobs);

	if (percent == *told || !replay->options->progress)
		return;
	*told = percent;
	replay->options->progress(replay->options->arg, percent);
}

/* INT64_MAX: nothing happens any more. */
static int64_t get_next_time(const struct tb_replay *replay)
{
	unsigned submitted = replay->submitted;
	int64_t next = tb_reservations_next(replay);

	if (replay->ends.count && replay->ends.list[0].at < next)
		next = replay->ends.list[0].at;
	if (submitted < replay->njobs && replay->jobs[submitted].submit < next)
		next = replay->jobs[submitted].submit;
	return next;
}

/* False: none ends now. */
static bool take_ended(struct tb_replay *replay)
{
	bool ended = false;

	while (replay->ends.count && replay->ends.list[0].at <= replay->now) {
		unsigned job = tb_heap_pop(&replay->ends).job;

		if (replay->reservations)
			tb_reservations_end(replay, job);
		tb_replay_end(replay, job);
		replay->totals->last = replay->now;
		ended = true;
	}
	return ended;
}

static int take_turn(struct tb_replay *replay, bool ended, unsigned from)
{
	if (!replay->waiting)
		return 0;
	if (replay->promises)
		return tb_turn_slurm(replay);
	return replay->reservations ? tb_turn_conservative(replay)
				    : tb_turn_easy(replay, ended, from);
}

static int run_replay(struct tb_replay *replay)
{
	unsigned told = 0;
	int64_t next;

	replay->now = replay->jobs[0].submit;
	replay->totals->first = replay->totals->last = replay->now;
	while ((next = get_next_time(replay)) != INT64_MAX) {
		bool ended;
		unsigned first;

		move_to(replay, next);
		ended = take_ended(replay);
		first = take_submitted(replay);
		if (take_turn(replay, ended, first))
			return -1;
		tell_progress(replay, &told);
		if (tb_whys_are_told(replay))
			break;
	}
	return 0;
}

/* ---- all of it ---- */

int tb_replay(const struct tb_replay_cluster *cluster,
	      const struct tb_replay_job *jobs, unsigned njobs,
	      const struct tb_replay_options *options,
	      struct tb_replay_start *starts, struct tb_replay_totals *totals)
{
	struct tb_replay replay = {
		.jobs = jobs,
		.njobs = njobs,
		.options = options,
		.starts = starts,
		.totals = totals,
	};
	int rc = 0;

	*totals = (struct tb_replay_totals){ 0 };
	for (unsigned i = 0; i < cluster->nnodes; i++) {
		totals->cores += tb_topology_cores(cluster->topologies[i]);
		totals->containers += tb_locality_containers(
			cluster->topologies[i]);
	}
	if (tb_replay_open(&replay, cluster) || tb_whys_open(&replay) ||
	    (options->backfill == TB_BACKFILL_CONSERVATIVE &&
	     tb_reservations_open(&replay)) ||
	    (options->backfill == TB_BACKFILL_SLURM &&
	     tb_promises_open(&replay)))
		rc = -1;
	else if (njobs)
		rc = run_replay(&replay);
	tb_reservations_close(&replay);
	tb_promises_close(&replay);
	tb_replay_close(&replay);
	return rc;
}
