/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reservation.h - which cores of a node a reservation of cores gets
 *
 * select/cons_tres says how many cores of which nodes and takes the first free
 * ones; a reservation of whole units breaks fewer of them up, on both sides.
 */
#ifndef TB_SELECT_RESERVATION_H
#define TB_SELECT_RESERVATION_H

#include "compat/select_compat.h"

/*
 * Choose as many cores as are set in chosen on each of the nodes anew, out of
 * those not in avoid (may be NULL: all).  Both have a bit for each core of all
 * nodes.  The largest free units that the number holds first, inside the units
 * left the most used ones.
 */
void tb_reservation_choose(const bitstr_t *nodes, const bitstr_t *avoid,
			   bitstr_t *chosen);

#endif
