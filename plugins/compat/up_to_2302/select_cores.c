/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_cores.c - the exclusion argument of Slurm 22.05 and 23.02: one
 * bitmap over the cores of all nodes, a set bit is a core that must not be used
 */
#include "compat/select_compat.h"

#include "src/common/node_conf.h"
#include "src/common/xmalloc.h"

#include "compat/core_mask.h"
#include "compat/select_ops.h"

static bitstr_t *get_excluded_cores(const struct tb_test *test)
{
	return test->spared ? test->spared->excluded[0] : test->excluded;
}

void tb_test_add_excluded(const struct tb_test *test, uint32_t node,
			  struct tb_bitset *cores)
{
	bitstr_t *excluded = get_excluded_cores(test);

	if (excluded)
		tb_add_bits(cores, excluded, tb_node_first_core(node));
}

/* The mask owns the bitmap. */
static struct tb_mask *create_mask(bitstr_t *excluded)
{
	struct tb_mask *mask = xmalloc(sizeof(*mask));

	mask->count = 1;
	mask->excluded = xcalloc(1, sizeof(*mask->excluded));
	mask->excluded[0] = excluded;
	return mask;
}

struct tb_mask *tb_mask_closed(const bitstr_t *nodes)
{
	bitstr_t *excluded = bit_alloc(tb_all_cores());

	for (uint32_t node = 0; node < tb_node_count(); node++)
		if (bit_test((bitstr_t *)nodes, node))
			bit_nset(excluded, tb_node_first_core(node),
				 tb_node_first_core(node + 1) - 1);
	return create_mask(excluded);
}

struct tb_mask *tb_mask_open(const struct tb_test *test)
{
	bitstr_t *excluded = get_excluded_cores(test);

	if (excluded && bit_size(excluded) == tb_all_cores())
		return create_mask(bit_copy(excluded));
	return create_mask(bit_alloc(tb_all_cores()));
}

void tb_mask_allow(struct tb_mask *mask, uint32_t node, uint32_t first,
		   uint32_t count)
{
	first += tb_node_first_core(node);
	bit_nclear(mask->excluded[0], first, first + count - 1);
}

void tb_mask_forbid(struct tb_mask *mask, uint32_t node, uint32_t first,
		    uint32_t count)
{
	first += tb_node_first_core(node);
	bit_nset(mask->excluded[0], first, first + count - 1);
}

bool tb_mask_leaves_some(const struct tb_mask *mask, uint32_t node)
{
	uint32_t first = tb_node_first_core(node);
	uint32_t end = tb_node_first_core(node + 1);

	return bit_set_count_range(mask->excluded[0], first, end) <
	       (int32_t)(end - first);
}

int tb_cons_tres_job_test(const struct tb_test *test, struct tb_mask *mask)
{
	return tb_ops.job_test(test->job, test->nodes, test->min_nodes,
			       test->max_nodes, test->req_nodes, test->mode,
			       test->preemptees, test->preempted,
			       mask ? mask->excluded[0] : test->excluded);
}
