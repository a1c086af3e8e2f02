/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plain_try.h"

#include "now_only.h"
#include "select_topobind/books/ledger.h"
#include "select_topobind/books/sharing.h"

static void forbid_core(uint32_t node, uint32_t core, void *mask)
{
	tb_mask_forbid(mask, node, core, 1);
}

int tb_plain_try(const struct tb_test *test, list_t *gone)
{
	struct tb_mask *mask = tb_mask_open(test);
	int rc;

	tb_ledger_visit_bound(gone, tb_sharing_turns(test->job), forbid_core,
			      mask);
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
