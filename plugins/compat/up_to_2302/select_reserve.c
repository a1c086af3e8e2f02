/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_reserve.c - in Slurm 22.05 and 23.02 reservations have a question of
 * their own
 */
#include "compat/select_ops.h"

#include "select_topobind/hooks.h"
#include "select_topobind/try/reservation.h"
#include "select_topobind/try/unit_reservation.h"

int tb_answer(struct tb_test *test)
{
	return tb_hook_job_test(test);
}

static const char *find_text(const resv_desc_msg_t *resv, bool *again)
{
	const char *text = resv->TB_RESERVATION_TEXT;

	*again = !text;
	/* Of one that lost its node Slurm says little more than its name. */
	return text ? text
		    : tb_unit_reservation_find_text(resv->start_time,
						    resv->core_cnt[0], again);
}

/*
 * Choose the units that a reservation asks for.  False: it asks for none.  Or else
 * *chosen are the nodes, NULL when units are missing.
 */
static bool choose_units(const resv_desc_msg_t *resv, bitstr_t *nodes,
			 bitstr_t **cores, bitstr_t **chosen)
{
	struct tb_reserved_request wanted;
	bool again;
	const char *text = find_text(resv, &again);
	struct tb_unit_reservation asked = {
		.wanted = &wanted,
		.partition = resv->partition ? find_part_record(resv->partition)
					     : NULL,
		.nodes = nodes,
		.all_nodes = resv->flags & RESERVE_FLAG_SPEC_NODES,
		.excluded = *cores,
		.cores = again ? resv->core_cnt[0] : 0,
		.start = resv->start_time,
	};
	bool found = !tb_reserved_request_read(&wanted, text, NULL);
	bitstr_t *units = NULL;

	*chosen = NULL;
	if (found)
		units = tb_unit_reservation_choose(&asked);
	tb_reserved_request_clear(&wanted);
	if (units) {
		*chosen = tb_unit_reservation_nodes(units);
		FREE_NULL_BITMAP(*cores);
		*cores = units;
	}
	return found;
}

/* topobind chooses the cores, but FIRST_CORES are the first ones of each node. */
bitstr_t *select_p_resv_test(resv_desc_msg_t *resv, uint32_t node_count,
			     bitstr_t *nodes, bitstr_t **cores)
{
	bool by_core = resv->core_cnt && cores && *cores &&
		       !(resv->flags & RESERVE_FLAG_FIRST_CORES);
	bitstr_t *avoid, *chosen;

	if (by_core && choose_units(resv, nodes, cores, &chosen))
		return chosen;
	avoid = cores && *cores ? bit_copy(*cores) : NULL;
	chosen = tb_ops.resv_test(resv, node_count, nodes, cores);
	if (chosen && by_core)
		tb_reservation_choose(chosen, avoid, *cores);
	FREE_NULL_BITMAP(avoid);
	return chosen;
}
