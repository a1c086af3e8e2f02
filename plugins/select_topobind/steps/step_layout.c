/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "step_layout.h"

#include <string.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "core/plan/deal.h"

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
static uint32_t get_limit(const slurm_step_layout_t *layout)
{
	return layout->plane_size == NO_VAL16 ? 0 : layout->plane_size;
}

bool tb_step_layout_fit(const slurm_step_layout_t *layout,
			const uint32_t *slots, uint16_t *tasks)
{
	uint32_t count = layout->node_cnt, limit = get_limit(layout), left;
	struct tb_dealt *dealt = xcalloc(count, sizeof(*dealt));
	bool all_have = true;

	for (uint32_t i = 0; i < count; i++)
		dealt[i] = (struct tb_dealt){
			.slots = layout->tasks[i],
			.most = tb_deal_limit(slots[i], limit),
		};
	left = tb_deal_again(dealt, count);
	for (uint32_t i = 0; i < count; i++) {
		tasks[i] = dealt[i].slots;
		all_have = all_have && layout->tasks[i] && tasks[i];
	}
	xfree(dealt);
	return !left && all_have;
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
