/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select_gres_back.c - the devices that jobs give back, for select_gres.h */
#include "select_gres_devices.h"

#include "src/common/job_resources.h"
#include "src/common/xmalloc.h"

/* The devices of one name that jobs gave back on a node. */
struct given {
	uint32_t plugin_id;
	bitstr_t *devices;
	struct given *next;
};

struct tb_gres_back {
	uint32_t node_count;
	struct given **nodes;
};

const bitstr_t *tb_gres_find_given_back(const struct tb_gres_back *back,
					uint32_t node, uint32_t plugin_id)
{
	const struct given *given = back ? back->nodes[node] : NULL;

	while (given && given->plugin_id != plugin_id)
		given = given->next;
	return given ? given->devices : NULL;
}

struct giving {
	struct tb_gres_back *back;
	uint32_t node;
	uint32_t index; /* of the node among the job's */
	bool back_again;
};

static bitstr_t *get_given_devices(struct tb_gres_back *back, uint32_t node,
				   uint32_t plugin_id, bitoff_t count)
{
	struct given *given = back->nodes[node];

	while (given && given->plugin_id != plugin_id)
		given = given->next;
	if (!given) {
		given = xmalloc(sizeof(*given));
		given->plugin_id = plugin_id;
		given->devices = bit_alloc(count);
		given->next = back->nodes[node];
		back->nodes[node] = given;
	}
	return given->devices;
}

static int give_devices(void *item, void *arg)
{
	const gres_state_t *state = item;
	const gres_job_state_t *held = state->gres_data;
	struct giving *giving = arg;
	bitstr_t *devices, *given;

	if (!held->gres_bit_alloc || giving->index >= held->node_cnt)
		return 0;
	devices = held->gres_bit_alloc[giving->index];
	if (!devices)
		return 0;
	given = get_given_devices(giving->back, giving->node, state->plugin_id,
				  bit_size(devices));
	if (bit_size(given) != bit_size(devices))
		return 0;
	if (giving->back_again)
		bit_and_not(given, devices);
	else
		bit_or(given, devices);
	return 0;
}

static void move_devices(struct tb_gres_back **back, const job_record_t *job,
			 bool back_again)
{
	const bitstr_t *nodes = job->job_resrcs ? job->job_resrcs->node_bitmap
						: NULL;
	struct giving giving = { .back_again = back_again };

	if (!job->gres_list_alloc || !nodes)
		return;
	if (!*back) {
		*back = xmalloc(sizeof(**back));
		(*back)->node_count = tb_node_count();
		(*back)->nodes = xcalloc((*back)->node_count + 1,
					 sizeof(*(*back)->nodes));
	}
	giving.back = *back;
	for (; giving.node < (*back)->node_count; giving.node++) {
		if (!tb_gres_is_set(nodes, giving.node))
			continue;
		list_for_each(job->gres_list_alloc, give_devices, &giving);
		giving.index++;
	}
}

void tb_gres_give_back(struct tb_gres_back **back, const job_record_t *job)
{
	move_devices(back, job, false);
}

void tb_gres_take_back(struct tb_gres_back **back, const job_record_t *job)
{
	move_devices(back, job, true);
}

void tb_gres_back_destroy(struct tb_gres_back *back)
{
	if (!back)
		return;
	for (uint32_t node = 0; node < back->node_count; node++)
		while (back->nodes[node]) {
			struct given *given = back->nodes[node];

			back->nodes[node] = given->next;
			FREE_NULL_BITMAP(given->devices);
			xfree(given);
		}
	xfree(back->nodes);
	xfree(back);
}
