/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * near.h - units near the devices of a job
 *
 * A site says which cores are near a device, a GPU for example.  Devices that
 * are near the same cores form a pool.  A unit is near a pool when one of its
 * cores (of its kind) is.  So a socket is near all the devices that are near
 * one of its NUMA nodes, and these are near a device of the whole socket.
 *
 * All is near when each unit of the job is near one of its devices, and each of
 * its devices near one of its units.  Where so many devices are asked for each
 * slot, this holds for each slot alone.  Of what strategy and sort would take,
 * units are left out until all is near:
 *
 * 1. Devices for the whole node: all units near one pool that has enough of
 *    them; first the pool with the fewest free.
 * 2. Several pools: units that are near so many free devices as are asked for,
 *    then half as many and so on.  Devices go with the slots: each slot gets its
 *    share of them, or with more slots than devices each device as many slots.
 * 3. The two pools with the most free units near them, then three and so on.
 *
 * A request that scatters or sorts says more about where units should be than
 * that they be close together: for it 2 comes first.  These are a few tries, not
 * all that there are: where pieces of many sizes are left of a node, a way can
 * be missed.
 */
#ifndef TB_CORE_NEAR_H
#define TB_CORE_NEAR_H

#include <stdbool.h>
#include <stdint.h>

#include "bitset.h"
#include "place.h"
#include "share.h"

struct tb_near_pool {
	struct tb_bitset *threads; /* of the topology: near ones */
	uint32_t free;             /* devices */
	/* Result: so many of them are for the job. */
	uint32_t taken;
	/* Scratch of a placement. */
	uint32_t fresh; /* taken for the slot that is being placed */
	uint32_t room;  /* slots that the taken ones can still serve */
	bool open;      /* units near it can be taken */
	uint32_t slots; /* that fit near it */
};

/* One kind of device.  One of the two numbers is 0. */
struct tb_near_kind {
	uint32_t per_slot;
	uint32_t per_node; /* for all slots of the node together */
	uint32_t npools;
	struct tb_near_pool *pools;
	uint32_t left; /* scratch: of per_node, to be taken still */
};

/* What a job asks for on one node, and what there is.  The caller's. */
struct tb_near {
	bool must; /* place nothing that is not near; else what can be */
	uint32_t nkinds;
	struct tb_near_kind *kinds;
	/* Scratch of a placement. */
	uint32_t least;  /* devices that a unit must have near it */
	uint32_t only;   /* the only pool of the first kind, or any */
	uint32_t most;   /* so many largest pools of it, or any */
	uint32_t wanted, placed; /* slots */
	enum { TB_NEAR_ALL, TB_NEAR_FIRST, TB_NEAR_SOME, TB_ANYWHERE } where;
	bool all_near;
};

/*
 * tb_place(), or where held is not NULL tb_place_shared(), near devices.  With
 * must: as many slots as fit while all is near.  Else never fewer than without
 * devices: when not all slots fit near, as many as do are, and the others are
 * placed anywhere.  In near->kinds is then how many devices to take of which
 * pool; fewer than asked for when there are not enough.  Does not allocate.
 */
int tb_place_near(struct tb_placer *placer, const struct tb_request *request,
		  const struct tb_bitset *used, const struct tb_holding *held,
		  unsigned limit, struct tb_near *near, unsigned nslots);

#endif
