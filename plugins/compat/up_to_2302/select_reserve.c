/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_reserve.c - in Slurm 22.05 and 23.02 reservations have a question of
 * their own
 */
#include "compat/select_ops.h"

#include "select_topobind/hooks.h"
#include "select_topobind/try/reservation.h"

int tb_answer(struct tb_test *test)
{
	return tb_hook_job_test(test);
}

/* topobind chooses the cores, but FIRST_CORES are the first ones of each node. */
bitstr_t *select_p_resv_test(resv_desc_msg_t *resv, uint32_t node_count,
			     bitstr_t *nodes, bitstr_t **cores)
{
	bitstr_t *avoid = cores && *cores ? bit_copy(*cores) : NULL;
	bitstr_t *chosen = tb_ops.resv_test(resv, node_count, nodes, cores);

	if (chosen && resv->core_cnt && cores && *cores &&
	    !(resv->flags & RESERVE_FLAG_FIRST_CORES))
		tb_reservation_choose(chosen, avoid, *cores);
	FREE_NULL_BITMAP(avoid);
	return chosen;
}
