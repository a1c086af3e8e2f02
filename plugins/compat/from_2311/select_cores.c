/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_cores.c - the exclusion argument since Slurm 23.11: a struct with a
 * bitmap for each node, NULL where nothing is excluded; a set bit is a core that
 * must not be used
 *
 * What reservations say about GRES is in the same struct and stays as it came.
 */
#include "compat/select_compat.h"

#include "src/common/node_conf.h"
#include "src/common/xmalloc.h"

#include "compat/core_mask.h"
#include "compat/select_ops.h"
#include "compat/slurm_gres.h"

static bitstr_t **get_excluded_cores(const struct tb_test *test)
{
	const resv_exc_t *excluded = test->excluded;

	if (test->spared)
		return test->spared->excluded;
	return excluded ? excluded->exc_cores : NULL;
}

void tb_test_add_excluded(const struct tb_test *test, uint32_t node,
			  struct tb_bitset *cores)
{
	bitstr_t **excluded = get_excluded_cores(test);

	if (excluded && excluded[node])
		tb_add_bits(cores, excluded[node], 0);
}

/* For these nodes; NULL: for all.  Nothing is excluded yet. */
static struct tb_mask *create_mask(const bitstr_t *nodes)
{
	struct tb_mask *mask = xmalloc(sizeof(*mask));

	mask->count = tb_node_count();
	mask->excluded = xcalloc(mask->count, sizeof(*mask->excluded));
	for (uint32_t i = 0; i < mask->count; i++)
		if (node_record_table_ptr[i] &&
		    (!nodes || bit_test((bitstr_t *)nodes, i)))
			mask->excluded[i] = bit_alloc(
				node_record_table_ptr[i]->tot_cores);
	return mask;
}

struct tb_mask *tb_mask_closed(const bitstr_t *nodes)
{
	struct tb_mask *mask = create_mask(nodes);

	for (uint32_t i = 0; i < mask->count; i++)
		if (mask->excluded[i])
			bit_set_all(mask->excluded[i]);
	return mask;
}

struct tb_mask *tb_mask_open(const struct tb_test *test)
{
	struct tb_mask *mask = create_mask(NULL);
	bitstr_t **cores = get_excluded_cores(test);

	for (uint32_t i = 0; cores && i < mask->count; i++)
		if (mask->excluded[i] && cores[i])
			bit_or(mask->excluded[i], cores[i]);
	return mask;
}

void tb_mask_allow(struct tb_mask *mask, uint32_t node, uint32_t first,
		   uint32_t count)
{
	bit_nclear(mask->excluded[node], first, first + count - 1);
}

void tb_mask_forbid(struct tb_mask *mask, uint32_t node, uint32_t first,
		    uint32_t count)
{
	bit_nset(mask->excluded[node], first, first + count - 1);
}

bool tb_mask_leaves_some(const struct tb_mask *mask, uint32_t node)
{
	bitstr_t *excluded = mask->excluded[node];

	return bit_set_count(excluded) < bit_size(excluded);
}

static int call_job_test(const struct tb_test *test, resv_exc_t *excluded)
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

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 5, 0) && \
	SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 0)
static int is_per_job(void *item, void *arg)
{
	const gres_job_state_t *asked = ((gres_state_t *)item)->gres_data;

	(void)arg;
	return asked->gres_per_job != 0;
}

/*
 * Where Slurm 24.05 and 24.11 spread a job over nodes (--spread-job) and count its devices
 * per job (--gpus=2), slurmctld ends with a segmentation fault.  Such a job is placed as
 * one that is not to be spread.
 */
static bool must_not_spread(const job_record_t *job)
{
	return job->gres_list_req &&
	       list_find_first(job->gres_list_req, is_per_job, NULL);
}
#else
static bool must_not_spread(const job_record_t *job)
{
	(void)job;
	return false;
}
#endif

int tb_cons_tres_job_test(const struct tb_test *test, struct tb_mask *mask)
{
	resv_exc_t *caller = test->excluded; /* NULL: nothing is excluded */
	resv_exc_t masked = { 0 };
	uint64_t flags = test->job->bit_flags;
	int rc;

	if (caller)
		masked = *caller;
	if (mask)
		masked.exc_cores = mask->excluded;
	if (must_not_spread(test->job))
		test->job->bit_flags &= ~(uint64_t)SPREAD_JOB;
	rc = call_job_test(test, &masked);
	test->job->bit_flags |= flags & SPREAD_JOB;
	/* What select/cons_tres changed in the rest belongs to the caller. */
	if (caller) {
		masked.exc_cores = caller->exc_cores;
		*caller = masked;
	}
	return rc;
}
