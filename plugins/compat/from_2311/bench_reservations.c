/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See bench_reservations.h: since Slurm 23.11 a struct excludes. */
#include "compat/bench_reservations.h"

#include "src/common/xmalloc.h"
#include "src/slurmctld/reservation.h"

void tb_test_heed_reservations(struct tb_test *test)
{
	resv_exc_t *excluded = xmalloc(sizeof(*excluded));
	time_t when = time(NULL);
	bitstr_t *nodes = NULL;
	bool overlap = false;

	if (job_test_resv(test->job, &when, true, &nodes, excluded, &overlap,
			  false) != SLURM_SUCCESS)
		bit_clear_all(test->nodes);
	else if (nodes)
		bit_and(test->nodes, nodes);
	FREE_NULL_BITMAP(nodes);
	test->excluded = excluded;
}

void tb_test_forget_reservations(struct tb_test *test)
{
	reservation_delete_resv_exc(test->excluded);
	test->excluded = NULL;
}
