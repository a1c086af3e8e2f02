/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plain_try.h"

#include "now_only.h"
#include "select_topobind/books/ledger.h"
#include "select_topobind/books/one_row.h"
#include "select_topobind/books/sharing.h"

/* What is hidden of the candidates. */
struct hiding {
	const bitstr_t *nodes;
	struct tb_mask *mask;
};

static void forbid_cores(uint32_t node, uint32_t word, uint64_t cores,
			 void *arg)
{
	const struct hiding *hiding = arg;
	uint32_t from = 0;

	if (!bit_test((bitstr_t *)hiding->nodes, node))
		return;
	while (from < 64 && cores >> from) {
		uint32_t first = from + __builtin_ctzll(cores >> from);
		uint64_t gaps = ~(cores >> first);
		uint32_t count = gaps ? __builtin_ctzll(gaps) : 64;

		tb_mask_forbid(hiding->mask, node, 64 * word + first, count);
		from = first + count;
	}
}

static struct tb_mask *hide_bound(const struct tb_test *test, list_t *gone)
{
	struct hiding hiding = { test->nodes, tb_mask_open(test) };

	tb_ledger_visit_bound(gone, tb_sharing_turns(test->job),
			      tb_one_row_of(test->job), forbid_cores, &hiding);
	return hiding.mask;
}

int tb_plain_try(const struct tb_test *test, list_t *gone)
{
	struct tb_mask *mask = hide_bound(test, gone);
	int rc = tb_cons_tres_job_test(test, mask);

	tb_mask_destroy(mask);
	return rc;
}

/* The others of the candidates are not looked at, which is quicker. */
static void drop_full_nodes(const struct tb_test *test, struct tb_mask *mask)
{
	const bitstr_t *required = test->job->details->req_node_bitmap;

	for (uint32_t node = 0; node < tb_node_count(); node++) {
		if (!bit_test(test->nodes, node) ||
		    (required && bit_test((bitstr_t *)required, node)) ||
		    tb_mask_leaves_some(mask, node))
			continue;
		bit_clear(test->nodes, node);
		tb_mask_allow(mask, node, 0,
			      node_record_table_ptr[node]->tot_cores);
	}
}

int tb_plain_try_some_nodes(const struct tb_test *test, list_t *gone)
{
	struct tb_mask *mask = hide_bound(test, gone);
	int rc;

	drop_full_nodes(test, mask);
	rc = tb_cons_tres_job_test(test, mask);
	tb_mask_destroy(mask);
	return rc;
}

int tb_plain_try_now(const struct tb_test *test, list_t *gone)
{
	uint64_t before = tb_now_only_begin(test->job);
	int rc = tb_plain_try(test, gone);

	if (rc == SLURM_SUCCESS && tb_starts_too_late(test))
		rc = SLURM_ERROR;
	tb_now_only_end(test->job, before);
	return rc;
}
