/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "near_devices.h"

#include "halving.h"

uint32_t tb_devices_free_in_pools(const struct tb_device_kind *kind)
{
	uint32_t free = 0;

	for (uint32_t i = 0; i < kind->npools; i++)
		free += kind->pools[i].free;
	return free;
}

uint32_t tb_devices_tasks_in_pools(const struct tb_devices_asked *asked,
				   const struct tb_device_kind *kind)
{
	uint64_t each = asked->per_task;

	return each ? (uint32_t)(tb_devices_free_in_pools(kind) / each)
		    : UINT32_MAX;
}

/* Of so many for all nodes, an even share; or all that the node has free. */
static uint32_t find_share(const struct tb_devices_asked *asked, uint32_t nodes,
			   const struct tb_device_kind *kind)
{
	uint64_t share = (asked->per_job + nodes - 1) / nodes;
	uint32_t free = tb_devices_free_in_pools(kind);

	if (share > free)
		share = free;
	return share ? (uint32_t)share : 1;
}

void tb_devices_set_numbers(const struct tb_devices_asked *asked,
			    uint32_t nodes, uint32_t assumed, uint32_t joint,
			    struct tb_device_kind *kind)
{
	kind->per_slot = kind->per_node = 0;
	if (asked->per_task && !joint)
		kind->per_slot = (uint32_t)asked->per_task;
	else if (asked->per_task)
		kind->per_node = (uint32_t)asked->per_task * joint;
	else if (asked->per_node)
		kind->per_node = (uint32_t)asked->per_node;
	else if (asked->per_job && nodes == 1)
		kind->per_node = (uint32_t)asked->per_job;
	else if (asked->per_job)
		kind->per_node = assumed ? assumed
					 : find_share(asked, nodes, kind);
}

uint32_t tb_devices_for_most_slots(tb_near_place place, void *arg,
				   uint32_t slots)
{
	static const uint32_t others[] = { TB_DEVICES_ALL_FREE, 1 };
	uint32_t best = 0, most = place(arg, 0);

	for (int i = 0; i < 2 && most < slots; i++) {
		uint32_t count = place(arg, others[i]);

		if (count <= most)
			continue;
		most = count;
		best = others[i];
	}
	return best;
}

/* Do so many slots all fit? */
struct all_fit {
	tb_near_place place;
	void *arg;
};

static bool all_fit(void *arg, uint32_t slots)
{
	const struct all_fit *asked = arg;

	return asked->place(asked->arg, slots) == slots;
}

struct tb_reach_range tb_near_slots(tb_near_place place, void *arg,
				    uint32_t each, uint32_t most)
{
	struct all_fit asked = { place, arg };
	struct tb_reach_range range = { each, each };

	if (each) {
		range.most = all_fit(&asked, each) ? each : 0;
		return range;
	}
	range.most = place(arg, most);
	range.least = range.most ? tb_halve_least(all_fit, &asked, 1,
						  range.most, UINT32_MAX)
				 : 0;
	return range;
}

struct tb_reach_range tb_near_tasks_of_host(tb_near_place place, void *arg,
					    uint32_t each, uint32_t holds)
{
	struct tb_reach_range range = { each ? each : 1, 0 };

	if (place(arg, 1))
		range.most = each ? each : holds;
	return range;
}
