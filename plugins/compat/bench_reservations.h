/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_reservations.h - what slurmctld asks of its reservations before it asks
 * select_p_job_test; for test/bench/slurmctld_bench.c, which asks in its place
 */
#ifndef TB_COMPAT_BENCH_RESERVATIONS_H
#define TB_COMPAT_BENCH_RESERVATIONS_H

#include "select_compat.h"

/*
 * Remove from the nodes of the test those that others have reserved now, and set
 * the cores that reservations exclude; that lives until it is forgotten.  With
 * slurmctld's locks.
 */
void tb_test_heed_reservations(struct tb_test *test);
void tb_test_forget_reservations(struct tb_test *test);

#endif
