/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turn.h - a turn of the scheduler
 *
 * Private to lib/core/replay.
 */
#ifndef TB_CORE_REPLAY_TURN_H
#define TB_CORE_REPLAY_TURN_H

#include "choose.h"

/*
 * Somebody waits, and since the last turn jobs have ended, or some came, the first of
 * them from (njobs: none).  Start what may start.  -1: no memory.
 */
int tb_turn_easy(struct tb_replay *replay, bool ended, unsigned from);
int tb_turn_conservative(struct tb_replay *replay);
int tb_turn_slurm(struct tb_replay *replay);

/* Of slurm.c.  -1: no memory; tb_promises_close() is right then, too. */
int tb_promises_open(struct tb_replay *replay);
void tb_promises_close(struct tb_replay *replay);

/* -1: no memory; tb_reservations_close() is right then, too. */
int tb_reservations_open(struct tb_replay *replay);
void tb_reservations_close(struct tb_replay *replay);
/* A job has ended: the rest of its time is free. */
void tb_reservations_end(struct tb_replay *replay, unsigned job);
/* When the next one begins; INT64_MAX: none. */
int64_t tb_reservations_next(const struct tb_replay *replay);

#endif
