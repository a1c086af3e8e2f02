/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_gres_devices.h - the devices of a node, in places, and which are in use
 *
 * Private to select_gres*.c; select_gres.h says what a place is.
 */
#ifndef TB_COMPAT_SELECT_GRES_DEVICES_H
#define TB_COMPAT_SELECT_GRES_DEVICES_H

#include "select_gres.h"
#include "slurm_gres.h"

/* An entry of what a job asks for, by its number. */
gres_state_t *tb_gres_find_entry(const job_record_t *job, uint32_t entry);

/* What a node has of a name; NULL: nothing. */
gres_state_t *tb_gres_find_on_node(uint32_t plugin_id, uint32_t node);

static inline bool tb_gres_is_set(const bitstr_t *bits, bitoff_t bit)
{
	return bits && bit < bit_size((bitstr_t *)bits) &&
	       bit_test((bitstr_t *)bits, bit);
}

/*
 * Of devices without Cores= some releases keep no places: of these are all devices of
 * one, without a type.
 */
static inline bool tb_gres_is_one_place(const gres_node_state_t *there)
{
	return !there->topo_core_bitmap;
}

static inline uint32_t tb_gres_count_places(const gres_node_state_t *there)
{
	return tb_gres_is_one_place(there) ? 1 : there->topo_cnt;
}

static inline bool tb_gres_is_in_place(const gres_node_state_t *there,
				       uint32_t place, bitoff_t device)
{
	return tb_gres_is_one_place(there) ||
	       tb_gres_is_set(there->topo_gres_bitmap[place], device);
}

/* NULL: the node has no devices with places for this entry. */
gres_node_state_t *tb_gres_find_places(const gres_state_t *entry,
				       uint32_t node);
/* Does a place have devices of the type that is asked for? */
bool tb_gres_is_of_type(const gres_node_state_t *there, uint32_t place,
			const gres_job_state_t *asked);

/* Those of a name that jobs gave back on a node; NULL: none. */
const bitstr_t *tb_gres_find_given_back(const struct tb_gres_back *back,
					uint32_t node, uint32_t plugin_id);

/* Devices that jobs have, whole or in parts, and those that jobs gave back. */
struct tb_gres_in_use {
	const bitstr_t *whole, *whole_back;
	const bitstr_t *parts, *parts_back;
	/* For those that are reserved. */
	const struct tb_test *test;
	uint32_t node;
	uint32_t plugin_id;
};
struct tb_gres_in_use tb_gres_find_in_use(const gres_node_state_t *there,
					  uint32_t node, uint32_t plugin_id,
					  const struct tb_gres_view *view);
bool tb_gres_is_in_use(const struct tb_gres_in_use *in_use, bitoff_t bit);
/* How many devices of a place are free; idle: how many it has. */
uint32_t tb_gres_count_free(const gres_node_state_t *there, uint32_t place,
			    const struct tb_gres_in_use *in_use, bool idle);

#endif
