/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select_gres_selected.c - the devices that are selected for a job, for select_gres.h */
#include "select_gres_devices.h"

#include "src/common/macros.h"

uint32_t tb_gres_selected(const job_record_t *job, uint32_t entry,
			  uint32_t node)
{
	const gres_job_state_t *asked =
		tb_gres_find_entry(job, entry)->gres_data;

	if (!asked->gres_cnt_node_select || node >= asked->total_node_cnt)
		return 0;
	return asked->gres_cnt_node_select[node];
}

struct selecting {
	const gres_state_t *state; /* whose selection is changed */
	uint32_t node;
	bitstr_t *others; /* what the job's other entries of this name have */
	struct tb_gres_in_use in_use;
};

static bitstr_t *get_selection(const gres_state_t *state, uint32_t node)
{
	const gres_job_state_t *asked = state->gres_data;

	return asked->gres_bit_select && node < asked->total_node_cnt
		       ? asked->gres_bit_select[node]
		       : NULL;
}

static int add_others(void *item, void *arg)
{
	struct selecting *selecting = arg;
	bitstr_t *selected = get_selection(item, selecting->node);

	if (item != selecting->state && selected &&
	    ((gres_state_t *)item)->plugin_id == selecting->state->plugin_id &&
	    bit_size(selected) == bit_size(selecting->others))
		bit_or(selecting->others, selected);
	return 0;
}

static uint32_t find_place(const gres_node_state_t *there,
			   const gres_job_state_t *asked, bitoff_t device)
{
	uint32_t place = 0;

	while (place < tb_gres_count_places(there) &&
	       !(tb_gres_is_in_place(there, place, device) &&
		 tb_gres_is_of_type(there, place, asked)))
		place++;
	return place;
}

/* Those that were selected before come first. */
static void take_devices(const struct selecting *selecting,
			 const gres_node_state_t *there, bool selected_ones,
			 const uint32_t *pool_of, uint32_t *of_pool,
			 uint32_t pools, bitstr_t *taken)
{
	const gres_job_state_t *asked = selecting->state->gres_data;
	bitstr_t *before = get_selection(selecting->state, selecting->node);

	for (bitoff_t bit = 0; bit < bit_size(taken); bit++) {
		uint32_t place = find_place(there, asked, bit), pool;

		if (place == tb_gres_count_places(there) ||
		    tb_gres_is_set(before, bit) != selected_ones ||
		    tb_gres_is_set(selecting->others, bit) ||
		    tb_gres_is_in_use(&selecting->in_use, bit))
			continue;
		pool = pool_of[place];
		if (pool >= pools || !of_pool[pool])
			continue;
		of_pool[pool]--;
		bit_set(taken, bit);
	}
}

static void set_number(gres_job_state_t *asked, uint32_t node, uint32_t number)
{
	asked->total_gres += number;
	asked->total_gres -= asked->gres_cnt_node_select[node];
	asked->gres_cnt_node_select[node] = number;
}

/* Of devices without places Slurm selects a number, and which ones when the job begins. */
static bool select_number(const struct selecting *selecting,
			  const gres_node_state_t *there, uint32_t number)
{
	gres_job_state_t *asked = selecting->state->gres_data;
	uint32_t node = selecting->node;

	if (!tb_gres_is_one_place(there) || !asked->gres_cnt_node_select ||
	    node >= asked->total_node_cnt ||
	    tb_gres_count_free(there, 0, &selecting->in_use, false) < number)
		return false;
	set_number(asked, node, number);
	return true;
}

bool tb_gres_select(const struct tb_test *test, uint32_t entry, uint32_t node,
		    const uint32_t *pool_of, uint32_t *of_pool, uint32_t pools,
		    uint32_t number)
{
	const struct tb_gres_view now = { .test = test };
	struct selecting selecting = { .state = tb_gres_find_entry(test->job,
								   entry),
				       .node = node };
	const gres_node_state_t *there = tb_gres_find_places(selecting.state,
							     node);
	bitstr_t *before = get_selection(selecting.state, node), *taken;
	bool possible;

	if (!there)
		return false;
	selecting.in_use = tb_gres_find_in_use(there, node,
					       selecting.state->plugin_id,
					       &now);
	if (!before)
		return select_number(&selecting, there, number);
	selecting.others = bit_alloc(bit_size(before));
	list_for_each(test->job->gres_list_req, add_others, &selecting);
	taken = bit_alloc(bit_size(before));
	take_devices(&selecting, there, true, pool_of, of_pool, pools, taken);
	take_devices(&selecting, there, false, pool_of, of_pool, pools, taken);
	possible = bit_set_count(taken) == (int)number;
	if (possible) {
		bit_copybits(before, taken);
		set_number(selecting.state->gres_data, node, number);
	}
	FREE_NULL_BITMAP(taken);
	FREE_NULL_BITMAP(selecting.others);
	return possible;
}
