/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.h - who waits and who runs where at a moment of a replay
 *
 * Private to lib/core/replay.
 */
#ifndef TB_CORE_REPLAY_STATE_H
#define TB_CORE_REPLAY_STATE_H

#include "core/plan/deal.h"
#include "core/policy/allocation.h"
#include "moments.h"
#include "plain.h"
#include "replay.h"
#include "room.h"

#define TB_NO_JOB UINT32_MAX

struct tb_part {
	unsigned node;
	uint32_t tasks;
	struct tb_bitset *threads;
};

/* The nodes of a job: its part of each. */
struct tb_grant {
	struct tb_part *parts;
	unsigned nparts;
};

struct tb_reservations; /* conservative.c */
struct tb_promises;	/* slurm.c */

struct tb_replay {
	const struct tb_replay_job *jobs;
	unsigned njobs;
	const struct tb_replay_options *options;
	struct tb_replay_start *starts;
	struct tb_replay_totals *totals;
	struct tb_rooms rooms;
	unsigned nnodes;
	int64_t now;

	unsigned *kinds;	 /* by job */
	struct tb_grant *grants; /* by job; with backfill also what is reserved */
	/* Of jobs that wait; before the first one, and behind the last, is njobs. */
	unsigned *next, *previous;
	unsigned waiting;
	unsigned submitted; /* jobs so far */
	unsigned *plain_kinds; /* of the jobs of options->whys, as if plain (why.c) */

	struct tb_moments ends;	  /* a heap */
	struct tb_moments limits; /* sorted: ends, as the time limits say */

	struct tb_grant choice; /* of a job before it has it, without threads */
	/* To work with, as many as there are nodes. */
	struct tb_candidate *candidates;
	struct tb_node_set *sets;
	struct tb_dealt *dealt;
	struct tb_plain_node *nodes;
	uint32_t *offered; /* tasks, by node */

	/* The reservation of the first job that waits (easy.c). */
	unsigned reserved; /* TB_NO_JOB */
	int64_t reserved_at;
	struct tb_floor later; /* at that time, or another (slurm.c) */
	uint32_t *later_room;  /* for that job, by node */
	uint64_t later_tasks;
	uint32_t later_hosts;
	bool has_moved; /* a job started before it since the last turn */

	struct tb_reservations *reservations; /* NULL: not conservative */
	struct tb_promises *promises;	      /* NULL: not as Slurm */

	uint32_t *broken; /* containers, by node */
	uint64_t all_broken;
	uint64_t busy_cores;
	uint64_t needed_cores; /* of these, as tb_replay_needed() counts */
};

/* -1 when out of memory; tb_replay_close() is right then, too. */
int tb_replay_open(struct tb_replay *replay,
		   const struct tb_replay_cluster *cluster);
void tb_replay_close(struct tb_replay *replay);

/* How long it may run: a second or more, and never less than it does. */
int64_t tb_replay_limit(const struct tb_replay_job *job);

/* Cores that the tasks of a job have at least, in whatever units. */
uint64_t tb_replay_needed(const struct tb_replay *replay, unsigned job);

static inline struct tb_kind *tb_replay_kind(const struct tb_replay *replay,
					     unsigned job)
{
	return &replay->rooms.kinds[replay->kinds[job]];
}

void tb_replay_wait(struct tb_replay *replay, unsigned job);

/*
 * The exact cores of the choice on a floor become the grant of the job.  -1: no memory,
 * then the grant is part of it.
 */
int tb_replay_take(struct tb_replay *replay, unsigned job,
		   const struct tb_floor *floor, bool *fits);
void tb_grant_clear(struct tb_grant *grant);

/* With its grant.  -1: no memory. */
int tb_replay_begin(struct tb_replay *replay, unsigned job);
void tb_replay_end(struct tb_replay *replay, unsigned job);

#endif
