/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select_gres_devices.c - the places of devices, and who has these */
#include "select_gres_devices.h"

struct nth {
	uint32_t left;
	gres_state_t *found;
};

static int count_down(void *item, void *arg)
{
	struct nth *nth = arg;

	if (nth->left--)
		return 0;
	nth->found = item;
	return -1;
}

gres_state_t *tb_gres_find_entry(const job_record_t *job, uint32_t entry)
{
	struct nth nth = { .left = entry };

	list_for_each(job->gres_list_req, count_down, &nth);
	return nth.found;
}

static int has_plugin_id(void *item, void *key)
{
	const gres_state_t *state = item;

	return state->plugin_id == *(uint32_t *)key;
}

gres_state_t *tb_gres_find_on_node(uint32_t plugin_id, uint32_t node)
{
	list_t *list = node_record_table_ptr[node]->gres_list;

	return list ? list_find_first(list, has_plugin_id, &plugin_id) : NULL;
}

/* Devices of their own, not a number of them. */
static bool has_places(const gres_node_state_t *there,
		       const gres_job_state_t *asked)
{
	if (tb_gres_is_one_place(there))
		return there->gres_bit_alloc && !asked->type_name;
	return there->topo_gres_bitmap;
}

gres_node_state_t *tb_gres_find_places(const gres_state_t *entry, uint32_t node)
{
	gres_state_t *state = tb_gres_find_on_node(entry->plugin_id, node);
	gres_node_state_t *there = state ? state->gres_data : NULL;

	if (!there || there->no_consume ||
	    !has_places(there, entry->gres_data) ||
	    gres_id_shared(state->config_flags))
		return NULL;
	return there;
}

/* find_parts(): the shared GRES that are parts of these devices, or NULL */
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 4)
static int has_data(void *item, void *key)
{
	const gres_state_t *state = item;

	return state->gres_data == key;
}

static const gres_state_t *find_parts(const gres_node_state_t *there,
				      uint32_t node)
{
	return there->alt_gres_ns
		       ? list_find_first(node_record_table_ptr[node]->gres_list,
					 has_data, there->alt_gres_ns)
		       : NULL;
}
#else
static const gres_state_t *find_parts(const gres_node_state_t *there,
				      uint32_t node)
{
	(void)node;
	return there->alt_gres;
}
#endif

/* is_reserved(): do reservations keep this device of a node from the test's job? */
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 0)
static bool is_reserved(const struct tb_test *test, uint32_t node,
			uint32_t plugin_id, bitoff_t device)
{
	(void)test;
	(void)node;
	(void)plugin_id;
	(void)device;
	return false;
}
#else
/* A device of a node, and what a list says of devices of its name. */
struct in_list {
	uint32_t node;
	uint32_t plugin_id;
	bitoff_t device;
	bool has_name, has_device;
};

static int look_into_entry(void *item, void *arg)
{
	const gres_state_t *state = item;
	const gres_job_state_t *kept = state->gres_data;
	struct in_list *in_list = arg;

	if (state->plugin_id != in_list->plugin_id)
		return 0;
	in_list->has_name = true;
	if (kept->gres_bit_alloc && in_list->node < kept->node_cnt &&
	    tb_gres_is_set(kept->gres_bit_alloc[in_list->node],
			   in_list->device))
		in_list->has_device = true;
	return 0;
}

/* A job outside must not have what is listed, a job inside nothing else. */
static bool is_reserved(const struct tb_test *test, uint32_t node,
			uint32_t plugin_id, bitoff_t device)
{
	const resv_exc_t *excluded = test ? test->excluded : NULL;
	struct in_list in_list = { .node = node,
				   .plugin_id = plugin_id,
				   .device = device };

	if (!excluded)
		return false;
	if (excluded->gres_list_exc) {
		list_for_each(excluded->gres_list_exc, look_into_entry,
			      &in_list);
		return in_list.has_device;
	}
	if (excluded->gres_list_inc)
		list_for_each(excluded->gres_list_inc, look_into_entry,
			      &in_list);
	return in_list.has_name && !in_list.has_device;
}
#endif

struct tb_gres_in_use tb_gres_find_in_use(const gres_node_state_t *there,
					  uint32_t node, uint32_t plugin_id,
					  const struct tb_gres_view *view)
{
	const gres_state_t *parts = find_parts(there, node);
	struct tb_gres_in_use in_use = {
		.whole = there->gres_bit_alloc,
		.whole_back = tb_gres_find_given_back(view->back, node,
						      plugin_id),
		.test = view->test,
		.node = node,
		.plugin_id = plugin_id,
	};

	if (parts) {
		const gres_node_state_t *shared = parts->gres_data;

		in_use.parts = shared->gres_bit_alloc;
		in_use.parts_back = tb_gres_find_given_back(view->back, node,
							    parts->plugin_id);
	}
	return in_use;
}

bool tb_gres_is_in_use(const struct tb_gres_in_use *in_use, bitoff_t bit)
{
	return (tb_gres_is_set(in_use->whole, bit) &&
		!tb_gres_is_set(in_use->whole_back, bit)) ||
	       (tb_gres_is_set(in_use->parts, bit) &&
		!tb_gres_is_set(in_use->parts_back, bit)) ||
	       is_reserved(in_use->test, in_use->node, in_use->plugin_id, bit);
}

uint32_t tb_gres_count_free(const gres_node_state_t *there, uint32_t place,
			    const struct tb_gres_in_use *in_use, bool idle)
{
	bitstr_t *all = tb_gres_is_one_place(there)
				? there->gres_bit_alloc
				: there->topo_gres_bitmap[place];
	uint32_t free = 0;

	for (bitoff_t bit = 0; all && bit < bit_size(all); bit++)
		if (tb_gres_is_in_place(there, place, bit) &&
		    (idle || !tb_gres_is_in_use(in_use, bit)))
			free++;
	return free;
}

bool tb_gres_is_of_type(const gres_node_state_t *there, uint32_t place,
			const gres_job_state_t *asked)
{
	return !asked->type_name || tb_gres_is_one_place(there) ||
	       asked->type_id == there->topo_type_id[place];
}
