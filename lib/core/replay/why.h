/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why.h - what some jobs wait for
 *
 * Private to lib/core/replay.
 */
#ifndef TB_CORE_REPLAY_WHY_H
#define TB_CORE_REPLAY_WHY_H

#include "state.h"

/* Before time begins.  -1: no memory. */
int tb_whys_open(struct tb_replay *replay);

/* Time passes, so many seconds, in which nothing changes. */
void tb_whys_pass(struct tb_replay *replay, int64_t seconds);

/* Have all of them started that ever do?  False where none is asked for. */
bool tb_whys_are_told(const struct tb_replay *replay);

#endif
