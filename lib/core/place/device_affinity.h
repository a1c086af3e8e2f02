/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device_affinity.h - units near the devices of a job (doc/design.md, "Devices")
 *
 * A site says which cores are near a device, a GPU for example.  Devices that
 * are near the same cores form a pool.  A unit is near a pool when one of its
 * cores (of its kind) is.  So a socket is near all devices that are near one of
 * its NUMA nodes, and these are near a device of the whole socket.
 *
 * A job has affinity to its devices when each of its units is near one of them
 * and each of them is near one of its units.  Where a job asks for devices for
 * each slot, this holds for each slot alone.  Strategy and sort say which units
 * to take; units are left out until the job has affinity.  These are the attempts:
 *
 * 1. Devices for the whole node: all units near one pool that has enough of
 *    them; first the pool with the fewest free devices.
 * 2. Several pools: units near as many free devices as the job asks for, then
 *    near half as many, and so on.  Devices go with the slots: each slot gets its
 *    share of them; with more slots than devices, each device serves an equal
 *    number of slots.
 * 3. The two pools with the most free units near them, then three, and so on.
 *
 * A request with scatter or a sort says how units should be spread, which matters
 * more than that they are near one pool: for it attempt 2 comes first.  There are
 * more ways than these attempts.  Where free pieces of many sizes are left of a
 * node, they can miss one.
 */
#ifndef TB_CORE_PLACE_DEVICE_AFFINITY_H
#define TB_CORE_PLACE_DEVICE_AFFINITY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/bitset.h"
#include "place.h"
#include "share.h"

#define TB_PLACE_NO_MEMORY (-3)

struct tb_device_pool {
	struct tb_bitset *threads; /* of the topology: near ones */
	uint32_t free;		   /* devices */
	uint32_t taken;		   /* result: so many of them are for the job */
};

/* One kind of device.  One of the two numbers is 0. */
struct tb_device_kind {
	uint32_t per_slot;
	uint32_t per_node; /* for all slots of the node together */
	uint32_t npools;
	struct tb_device_pool *pools;
};

/* What a job asks for on one node, and what there is.  The caller owns it. */
struct tb_affinity {
	bool must; /* place only slots with affinity; else rather these */
	uint32_t nkinds;
	struct tb_device_kind *kinds;
};

/*
 * tb_place(), or where use is not NULL tb_place_shared(), with affinity to devices.
 * With must: as many slots as fit while the job has affinity.  Without: never fewer
 * slots than for a job without devices; as many as fit are near devices, the others are
 * placed anywhere.  Each pool's taken says how many of its devices to take; together
 * they are fewer than asked for when there are not enough.  Parts of a request are not
 * placed near devices, and take none.  Returns what tb_place() returns, or
 * TB_PLACE_NO_MEMORY.  Allocates only when there are more pools than ever before.
 */
int tb_place_with_devices(struct tb_placer *placer,
			  const struct tb_request *request,
			  const struct tb_bitset *used,
			  const struct tb_thread_use *use, unsigned limit,
			  struct tb_affinity *affinity, unsigned nslots);

#endif
