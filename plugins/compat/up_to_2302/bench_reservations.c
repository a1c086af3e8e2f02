/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See bench_reservations.h: Slurm 22.05 excludes by one bitmap of cores. */
#include "compat/bench_reservations.h"

#include "src/slurmctld/reservation.h"

void tb_test_heed_reservations(struct tb_test *test)
{
	bitstr_t *nodes = NULL, *cores = NULL;
	time_t when = time(NULL);
	bool overlap = false;

	if (job_test_resv(test->job, &when, true, &nodes, &cores, &overlap,
			  false) != SLURM_SUCCESS)
		bit_clear_all(test->nodes);
	else if (nodes)
		bit_and(test->nodes, nodes);
	FREE_NULL_BITMAP(nodes);
	test->excluded = cores;
}

void tb_test_forget_reservations(struct tb_test *test)
{
	FREE_NULL_BITMAP(test->excluded);
}
