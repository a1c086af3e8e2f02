/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slots.h - placing the slots of a request
 *
 * Private to lib/core.
 */
#ifndef TB_CORE_PLACE_SLOTS_H
#define TB_CORE_PLACE_SLOTS_H

#include "placer.h"

/* What others have: threads in use, or where jobs share units their use. */
struct tb_others {
	const struct tb_bitset *used;
	const struct tb_thread_use *use;
	unsigned limit; /* jobs that may share a unit */
	bool together;	/* the slots of a job, see together.h */
};

/*
 * How many slots to place at most: 0 when the request asks for none, a negative
 * number (see place.h) when it is for other nodes.
 */
int tb_slots_wanted(const struct tb_placer *placer,
		    const struct tb_request *request, unsigned nslots);

/*
 * Place so many slots at most.  devices is NULL when the job asks for none; what
 * is in it says which units have the right ones near.
 */
void tb_place_slots(struct tb_placer *placer, const struct tb_request *request,
		    const struct tb_others *others,
		    struct tb_device_state *devices, unsigned wanted);

/* What tb_place() returns of a placement. */
int tb_slots_placed(const struct tb_placer *placer,
		    const struct tb_request *request, unsigned nslots);

#endif
