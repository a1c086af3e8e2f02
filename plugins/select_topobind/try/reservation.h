/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reservation.h - which cores of a node a reservation of cores gets
 *
 * select/cons_tres says how many cores of which nodes, and takes the first free
 * ones.  A reservation of whole units breaks up fewer units, for those who use it
 * and for everybody else.
 */
#ifndef TB_SELECT_TOPOBIND_TRY_RESERVATION_H
#define TB_SELECT_TOPOBIND_TRY_RESERVATION_H

#include "compat/select_compat.h"

/*
 * Choose on each of the nodes as many cores as are set in chosen, but others: out
 * of those that are not in avoid (may be NULL: out of all).  Both have a bit for
 * each core of all nodes.  First the largest free units that are not larger than
 * the number; what is left is chosen inside of the most used units.
 */
void tb_reservation_choose(const bitstr_t *nodes, const bitstr_t *avoid,
			   bitstr_t *chosen);

#endif
