/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choose.h - which nodes a job of a replay gets
 *
 * Private to lib/core/replay.
 */
#ifndef TB_CORE_REPLAY_CHOOSE_H
#define TB_CORE_REPLAY_CHOOSE_H

#include "state.h"

/*
 * Choose nodes for a job of which each node has room for so many tasks on a floor, into
 * replay->choice.  0: they do not suffice; -1: no memory.
 */
int tb_replay_choose(struct tb_replay *replay, unsigned job,
		     const struct tb_floor *floor, const uint32_t *room);

/* The same, by the nodes of select/cons_tres alone.  False: they do not suffice. */
bool tb_replay_choose_as_slurm(struct tb_replay *replay, unsigned job,
			       const uint32_t *room);

#endif
