/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "step_layout.h"

#include <string.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

bool tb_step_layout_is_free(const step_record_t *step)
{
	uint32_t how = step->step_layout->task_dist & SLURM_DIST_STATE_BASE;

	if (how == SLURM_DIST_ARBITRARY || how == SLURM_DIST_PLANE)
		return false;
	/* Slurm has counted ports and GRES by the tasks of each node. */
	if (step->resv_port_cnt && step->resv_port_cnt != NO_VAL16)
		return false;
	return !xstrstr(step->tres_per_task, "gres");
}

/* Slurm sends --ntasks-per-node as the size of a plane. */
static uint32_t limit_tasks(const slurm_step_layout_t *layout, uint32_t slots)
{
	if (!layout->plane_size || layout->plane_size == NO_VAL16)
		return slots;
	return MIN(slots, layout->plane_size);
}

bool tb_step_layout_fit(const slurm_step_layout_t *layout,
			const uint32_t *slots, uint16_t *tasks)
{
	uint32_t left = 0;
	bool dealt = true;

	for (uint32_t i = 0; i < layout->node_cnt; i++) {
		tasks[i] = MIN(layout->tasks[i], limit_tasks(layout, slots[i]));
		left += layout->tasks[i] - tasks[i];
		if (!tasks[i])
			return false;
	}
	while (left && dealt) {
		dealt = false;
		for (uint32_t i = 0; i < layout->node_cnt && left; i++) {
			if (tasks[i] >= limit_tasks(layout, slots[i]))
				continue;
			tasks[i]++;
			left--;
			dealt = true;
		}
	}
	return !left;
}

static void number_in_blocks(slurm_step_layout_t *layout)
{
	uint32_t task = 0;

	for (uint32_t i = 0; i < layout->node_cnt; i++)
		for (uint32_t j = 0; j < layout->tasks[i]; j++)
			layout->tids[i][j] = task++;
}

static void number_in_turns(slurm_step_layout_t *layout)
{
	uint32_t task = 0;

	for (uint32_t j = 0; task < layout->task_cnt; j++)
		for (uint32_t i = 0; i < layout->node_cnt; i++)
			if (j < layout->tasks[i])
				layout->tids[i][j] = task++;
}

void tb_step_layout_set(slurm_step_layout_t *layout, const uint16_t *tasks)
{
	for (uint32_t i = 0; i < layout->node_cnt; i++) {
		layout->tasks[i] = tasks[i];
		xrecalloc(layout->tids[i], tasks[i], sizeof(**layout->tids));
	}
	if ((layout->task_dist & SLURM_DIST_NODEMASK) == SLURM_DIST_NODECYCLIC)
		number_in_turns(layout);
	else
		number_in_blocks(layout);
}
