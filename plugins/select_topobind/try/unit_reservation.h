/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit_reservation.h - the cores of a reservation of units (topobind-reserve(1))
 *
 * The planner finds them as for a job that starts when the reservation does: offers of
 * the nodes (offers.h), one class of equal slots at a time, and a deal of the slots.
 * Taken is what running jobs hold that do not end before, and what the caller excludes,
 * which are other reservations in that time.
 */
#ifndef TB_SELECT_TOPOBIND_TRY_UNIT_RESERVATION_H
#define TB_SELECT_TOPOBIND_TRY_UNIT_RESERVATION_H

#include <time.h>

#include "common/job/reserved_request.h"
#include "compat/select_compat.h"

struct tb_unit_reservation {
	const struct tb_reserved_request *wanted;
	part_record_t *partition; /* NULL: none is known */
	bitstr_t *nodes;	  /* candidates; does not change */
	bool all_nodes;		  /* each of them must have a slot */
	void *excluded;		  /* tb_excluded_t (select_compat.h) */
	uint32_t cores; /* exactly so many, in all; 0: as the units have */
	time_t start;
};

/*
 * A bit for each core of all nodes.  NULL: there are too few free units.  The caller
 * frees.
 */
bitstr_t *tb_unit_reservation_choose(const struct tb_unit_reservation *asked);

/* The nodes that have any of such cores.  The caller frees. */
bitstr_t *tb_unit_reservation_nodes(const bitstr_t *cores);

/*
 * The text (reserved_request.h) of a reservation that is about to be made, where Slurm
 * does not hand it on; or of one that lost its node, which is made again.  It is the one
 * that begins at start and has so many cores.  NULL: it is no reservation of units, or
 * there are several such ones with unlike texts.  *again tells which of both.
 */
const char *tb_unit_reservation_find_text(time_t start, uint32_t cores,
					  bool *again);

#endif
