/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * step_layout.h - which tasks of a step on which of its nodes
 */
#ifndef TB_SELECT_TOPOBIND_STEPS_STEP_LAYOUT_H
#define TB_SELECT_TOPOBIND_STEPS_STEP_LAYOUT_H

#include "compat/select_compat.h"

/* May tasks be moved?  Not where the user or GRES say where they are. */
bool tb_step_layout_is_free(const step_record_t *step);

/*
 * How many tasks each node should have, into tasks, when node i has slots[i]
 * slots.  Tasks stay where Slurm put them if they fit; the others are dealt out
 * to the nodes in turns.  False: there are too few slots, or a node has none;
 * tasks is undefined.
 */
bool tb_step_layout_fit(const slurm_step_layout_t *layout,
			const uint32_t *slots, uint16_t *tasks);

/* Number the tasks anew, as the layout's distribution says. */
void tb_step_layout_set(slurm_step_layout_t *layout, const uint16_t *tasks);

#endif
