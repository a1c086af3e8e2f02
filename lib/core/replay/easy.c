/* SPDX-License-Identifier: GPL-2.0-or-later */
/* easy.c - only the first job that waits has a reservation; see turn.h */
#include "turn.h"

/* Of jobs that did not fit in a turn so many are remembered. */
#define FAILED_MOST 16

/* ---- the reservation ---- */

static bool fits_later(const struct tb_replay *replay)
{
	const struct tb_replay_job *job = &replay->jobs[replay->reserved];

	return replay->later_tasks >= job->tasks &&
	       replay->later_hosts >= job->nodes;
}

/* The room that the reserved job has there then. */
static void set_later_room(struct tb_replay *replay, unsigned node,
			   uint32_t room)
{
	replay->later_tasks += room;
	replay->later_tasks -= replay->later_room[node];
	replay->later_hosts += room > 0;
	replay->later_hosts -= replay->later_room[node] > 0;
	replay->later_room[node] = room;
}

static void change_later(struct tb_replay *replay, const struct tb_part *part,
			 bool use)
{
	const struct tb_kind *kind = tb_replay_kind(replay, replay->reserved);

	tb_floor_change(&replay->rooms, &replay->later, part->node,
			part->threads, use);
	set_later_room(replay, part->node,
		       tb_room_on(&replay->rooms, &replay->later, kind,
				  part->node));
}

static void change_grant_later(struct tb_replay *replay,
			       const struct tb_grant *grant, bool use)
{
	for (unsigned i = 0; i < grant->nparts; i++)
		change_later(replay, &grant->parts[i], use);
}

/* After which of the limits it fits: all of the cluster holds it. */
static void reserve(struct tb_replay *replay, unsigned index)
{
	const uint32_t *room = tb_rooms_now(&replay->rooms,
					    tb_replay_kind(replay, index));

	replay->reserved = index;
	replay->reserved_at = replay->now;
	tb_floor_assign(&replay->later, &replay->rooms.now, replay->nnodes);
	for (unsigned node = 0; node < replay->nnodes; node++)
		set_later_room(replay, node, room[node]);
	for (unsigned i = 0; i < replay->limits.count; i++) {
		const struct tb_moment *limit = &replay->limits.list[i];

		/* All that end at one time are gone then. */
		if (limit->at > replay->reserved_at && fits_later(replay))
			break;
		replay->reserved_at = limit->at;
		change_grant_later(replay, &replay->grants[limit->job], false);
	}
	if (replay->options->reserved)
		replay->options->reserved(replay->options->arg, index,
					  replay->reserved_at);
}

/* May a job with its grant start now?  If so it is in the time of the reservation. */
static bool leaves_reservation(struct tb_replay *replay, unsigned index)
{
	const struct tb_grant *grant = &replay->grants[index];

	if (replay->now + tb_replay_limit(&replay->jobs[index]) <=
	    replay->reserved_at)
		return true;
	change_grant_later(replay, grant, true);
	if (fits_later(replay))
		return true;
	change_grant_later(replay, grant, false);
	return false;
}

/* ---- a turn of the scheduler ---- */

/* What did not fit in this turn, in which nothing ends. */
struct failed {
	unsigned jobs[FAILED_MOST];
	unsigned count;
};

static bool has_failed(const struct tb_replay *replay,
		       const struct failed *failed, unsigned index)
{
	const struct tb_replay_job *job = &replay->jobs[index];

	for (unsigned i = 0; i < failed->count; i++) {
		const struct tb_replay_job *other =
			&replay->jobs[failed->jobs[i]];

		if (replay->kinds[index] == replay->kinds[failed->jobs[i]] &&
		    job->tasks >= other->tasks && job->nodes >= other->nodes)
			return true;
	}
	return false;
}

/* Start a job if it fits and may.  -1: no memory. */
static int try_job(struct tb_replay *replay, unsigned index,
		   struct failed *failed, bool *started)
{
	const struct tb_floor *now = &replay->rooms.now;
	const uint32_t *room;
	bool fits;
	int chosen;

	*started = false;
	if (has_failed(replay, failed, index))
		return 0;
	room = tb_rooms_now(&replay->rooms, tb_replay_kind(replay, index));
	chosen = tb_replay_choose(replay, index, now, room);
	if (chosen < 0)
		return -1;
	if (!chosen) {
		if (failed->count < FAILED_MOST)
			failed->jobs[failed->count++] = index;
		return 0;
	}
	if (tb_replay_take(replay, index, now, &fits))
		return -1;
	if (!fits)
		return 0;
	if (replay->reserved != TB_NO_JOB &&
	    !leaves_reservation(replay, index)) {
		tb_grant_clear(&replay->grants[index]);
		return 0;
	}
	*started = true;
	replay->has_moved = replay->reserved != TB_NO_JOB;
	return tb_replay_begin(replay, index);
}

/* The first ones, until one does not fit; that has a reservation then. */
static int start_first(struct tb_replay *replay, struct failed *failed)
{
	bool started = true;

	replay->reserved = TB_NO_JOB;
	while (replay->waiting && started)
		if (try_job(replay, replay->next[replay->njobs], failed,
			    &started))
			return -1;
	if (!replay->waiting)
		return 0;
	if (replay->options->backfill == TB_BACKFILL_NONE)
		replay->reserved = replay->next[replay->njobs];
	else
		reserve(replay, replay->next[replay->njobs]);
	return 0;
}

/* Those from one on, as many as may be looked at. */
static int fill_back(struct tb_replay *replay, unsigned from, unsigned depth,
		     struct failed *failed)
{
	bool started;

	while (from != replay->njobs && depth--) {
		unsigned next = replay->next[from];

		if (try_job(replay, from, failed, &started))
			return -1;
		from = next;
	}
	return 0;
}

/*
 * Where nothing has ended or started since the last turn, those that waited then cannot
 * start, and the reservation is as it was: only what came (from) is new.  A start can
 * push another job to nodes where it delays nobody.
 */
int tb_turn_easy(struct tb_replay *replay, bool ended, unsigned from)
{
	struct failed failed = { .count = 0 };
	bool fills = replay->options->backfill != TB_BACKFILL_NONE;
	unsigned depth = fills ? replay->options->depth : 0;

	ended = ended || replay->has_moved;
	replay->has_moved = false;
	if (ended || replay->reserved == TB_NO_JOB) {
		if (start_first(replay, &failed))
			return -1;
		if (!replay->waiting)
			return 0;
		return fill_back(replay, replay->next[replay->reserved], depth,
				 &failed);
	}
	if (replay->waiting > depth + 1)
		return 0;
	return fill_back(replay, from, depth, &failed);
}
