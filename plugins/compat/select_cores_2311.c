/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_cores_2311.c - the exclusion argument since Slurm 23.11: a struct with a
 * bitmap for each node, NULL where nothing is excluded; a set bit is a core that
 * must not be used
 *
 * What reservations say about GRES is in the same struct and stays as it came.
 */
#include "select_compat.h"

#include "src/common/node_conf.h"
#include "src/common/xmalloc.h"

#include "select_ops.h"

struct tb_mask {
	uint32_t nodes;
	bitstr_t **excluded; /* by node index; NULL: nothing, or no such node */
};

static bitstr_t **excluded_cores(const struct tb_test *test)
{
	const resv_exc_t *excluded = test->excluded;

	return excluded ? excluded->exc_cores : NULL;
}

bool tb_test_core_excluded(const struct tb_test *test, uint32_t node,
			   uint32_t core)
{
	bitstr_t **cores = excluded_cores(test);

	return cores && cores[node] && core < bit_size(cores[node]) &&
	       bit_test(cores[node], core);
}

/* For these nodes; NULL: for all. */
static struct tb_mask *mask_create(const bitstr_t *nodes)
{
	struct tb_mask *mask = xmalloc(sizeof(*mask));

	mask->nodes = tb_node_count();
	mask->excluded = xcalloc(mask->nodes, sizeof(*mask->excluded));
	for (uint32_t i = 0; i < mask->nodes; i++)
		if (node_record_table_ptr[i] &&
		    (!nodes || bit_test((bitstr_t *)nodes, i)))
			mask->excluded[i] =
				bit_alloc(node_record_table_ptr[i]->tot_cores);
	return mask;
}

struct tb_mask *tb_mask_closed(const bitstr_t *nodes)
{
	struct tb_mask *mask = mask_create(nodes);

	for (uint32_t i = 0; i < mask->nodes; i++)
		if (mask->excluded[i])
			bit_set_all(mask->excluded[i]);
	return mask;
}

struct tb_mask *tb_mask_open(const struct tb_test *test)
{
	struct tb_mask *mask = mask_create(NULL);
	bitstr_t **cores = excluded_cores(test);

	for (uint32_t i = 0; cores && i < mask->nodes; i++)
		if (mask->excluded[i] && cores[i])
			bit_or(mask->excluded[i], cores[i]);
	return mask;
}

void tb_mask_allow(struct tb_mask *mask, uint32_t node, uint32_t first,
		   uint32_t count)
{
	bit_nclear(mask->excluded[node], first, first + count - 1);
}

void tb_mask_forbid(struct tb_mask *mask, uint32_t node, uint32_t core)
{
	bit_set(mask->excluded[node], core);
}

void tb_mask_destroy(struct tb_mask *mask)
{
	if (!mask)
		return;
	for (uint32_t i = 0; i < mask->nodes; i++)
		FREE_NULL_BITMAP(mask->excluded[i]);
	xfree(mask->excluded);
	xfree(mask);
}

static int ask_cons_tres(const struct tb_test *test, resv_exc_t *excluded)
{
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(24, 11, 0)
	return tb_ops.job_test(test->job, test->nodes, test->min_nodes,
			       test->max_nodes, test->req_nodes, test->mode,
			       test->preemptees, test->preempted, excluded);
#else
	return tb_ops.job_test(test->job, test->nodes, test->min_nodes,
			       test->max_nodes, test->req_nodes, test->mode,
			       test->preemptees, test->preempted, excluded,
			       test->will_run);
#endif
}

int tb_cons_tres_job_test(const struct tb_test *test, struct tb_mask *mask)
{
	resv_exc_t *caller = test->excluded; /* NULL: as if nothing were */
	resv_exc_t masked = { 0 };
	int rc;

	if (caller)
		masked = *caller;
	if (mask)
		masked.exc_cores = mask->excluded;
	rc = ask_cons_tres(test, &masked);
	/* What the callee made of the rest is the caller's to see and to free. */
	if (caller) {
		masked.exc_cores = caller->exc_cores;
		*caller = masked;
	}
	return rc;
}
