/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cores_taken.h"

/* For the system. */
static void add_system_cores(uint32_t node, struct tb_bitset *cores)
{
	bitstr_t *usable = node_record_table_ptr[node]->node_spec_bitmap;

	for (uint32_t core = 0;
	     usable && core < cores->nbits && core < bit_size(usable); core++)
		if (!bit_test(usable, core))
			tb_bitset_set(cores, core);
}

/* They come back: a job that needs them is not refused. */
static void add_lost_cores(uint32_t node, const struct tb_test *test,
			   struct tb_bitset *cores)
{
	const struct tb_bitset *lost = tb_node_lost_cores(node);

	if (lost && tb_test_mode(test) != TB_TEST_ONLY)
		tb_bitset_or(cores, lost);
}

void tb_node_taken(uint32_t node, const struct tb_view *view,
		   const struct tb_test *test, struct tb_bitset *cores)
{
	if (view)
		tb_view_taken(view, node, cores);
	else
		tb_bitset_clear_all(cores);
	add_system_cores(node, cores);
	add_lost_cores(node, test, cores);
	if (tb_test_excludes_cores(test))
		tb_test_add_excluded(test, node, cores);
}

void tb_node_mask(const struct tb_filter *filter, const struct tb_shape *shape,
		  struct tb_scratch *scratch)
{
	scratch->is_masked = filter;
	if (!filter)
		return;
	tb_bitset_clear_all(scratch->masked);
	tb_filter_add(filter, shape->topology, scratch->masked);
}

void tb_node_used(uint32_t node, const struct tb_shape *shape,
		  const struct tb_view *view, const struct tb_test *test,
		  struct tb_scratch *scratch)
{
	const struct tb_filter *filter =
		tb_node_filter(node, shape, tb_job_filter(test->job));

	tb_node_taken(node, view, test, scratch->cores);
	tb_shape_threads(shape, scratch->cores, scratch->used);
	tb_node_mask(filter, shape, scratch);
}
