/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reserved_cores.h"

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

static bool is_set(const bitstr_t *bits, uint32_t bit)
{
	return bits && bit < bit_size((bitstr_t *)bits) &&
	       bit_test((bitstr_t *)bits, bit);
}

static int add_reservation(void *item, void *arg)
{
	const slurmctld_resv_t *reservation = item;
	struct tb_reserved_cores *reserved = arg;

	/* After nodes were added those of older ones can have fewer bits. */
	if (!reservation->node_bitmap ||
	    bit_size(reservation->node_bitmap) != bit_size(reserved->nodes))
		return 0;
	reserved->list[reserved->count++] = reservation;
	bit_or(reserved->nodes, reservation->node_bitmap);
	return 0;
}

void tb_reserved_cores_find(struct tb_reserved_cores *reserved)
{
	*reserved = (struct tb_reserved_cores){ 0 };
	if (!resv_list || !list_count(resv_list) || !tb_node_count())
		return;
	reserved->list = xcalloc(list_count(resv_list),
				 sizeof(*reserved->list));
	reserved->nodes = bit_alloc(tb_node_count());
	list_for_each(resv_list, add_reservation, reserved);
}

void tb_reserved_cores_clear(struct tb_reserved_cores *reserved)
{
	xfree(reserved->list);
	FREE_NULL_BITMAP(reserved->nodes);
}

/* One without a set of cores has whole nodes. */
static void add_cores(const slurmctld_resv_t *reservation, uint32_t first,
		      struct tb_bitset *cores)
{
	for (uint32_t core = 0; core < cores->nbits; core++)
		if (!reservation->core_bitmap ||
		    is_set(reservation->core_bitmap, first + core))
			tb_bitset_set(cores, core);
}

bool tb_reserved_cores_of(const struct tb_reserved_cores *reserved,
			  uint32_t node, struct tb_bitset *cores)
{
	tb_bitset_clear_all(cores);
	if (!is_set(reserved->nodes, node))
		return false;
	for (uint32_t i = 0; i < reserved->count; i++)
		if (bit_test(reserved->list[i]->node_bitmap, node))
			add_cores(reserved->list[i], tb_node_first_core(node),
				  cores);
	return !tb_bitset_is_empty(cores);
}
