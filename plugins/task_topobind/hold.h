/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hold.h - take CPUs for a step, away from soft-bound tasks that have spread there
 *
 * Before any task of the step runs.  When it returns they have left, and none
 * comes back as long as the hold is kept (common/soft_registry.h).
 *
 * No Slurm in here.
 */
#ifndef TB_TASK_HOLD_H
#define TB_TASK_HOLD_H

#include "common/soft_registry.h"

/*
 * Set *hold, which tb_hold_release() gives back; NULL when the step keeps
 * nothing for itself.  -1 with a sentence, also when some soft-bound task could
 * not be moved.
 */
int tb_hold_take(struct tb_registry *registry,
		 const struct tb_hold_input *input, struct tb_hold **hold,
		 struct tb_error *err);

/*
 * Remove what killed slurmstepds left, and put back soft-bound tasks that lost
 * theirs.
 */
void tb_hold_sweep(struct tb_registry *registry);

#endif
