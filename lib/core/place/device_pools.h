/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device_pools.h - the devices of a job while its slots are placed
 *
 * Private to lib/core.  device_affinity.h says what pools are and when a unit is
 * near one.  This is the state of one attempt: which pools are open (a unit near
 * them may be taken) and which devices the placed slots have.
 */
#ifndef TB_CORE_PLACE_DEVICE_POOLS_H
#define TB_CORE_PLACE_DEVICE_POOLS_H

#include "placer.h"

#define TB_ANY_POOL UINT32_MAX

struct tb_pool_state {
	const struct tb_bitset *threads; /* near ones */
	uint32_t free;			 /* devices */
	uint32_t taken;			 /* devices of the job */
	uint32_t fresh; /* of these, taken for the slot that is being placed */
	uint32_t room;	/* slots that the taken devices can still serve */
	uint32_t slots; /* that fit near this pool alone */
	uint32_t near;	/* units that are free at first, where free > 0 */
	struct tb_bitset units; /* near ones, as the placer numbers them */
	bool open;		/* units near it can be taken */
};

/* One kind of device.  One of the first two numbers is 0. */
struct tb_kind_state {
	uint32_t per_slot;
	uint32_t per_node;
	uint32_t left; /* of per_node, still to be taken */
	uint32_t npools;
	struct tb_pool_state *pools;
};

/* One attempt to place near devices. */
struct tb_device_attempt {
	uint32_t least; /* free devices that a unit must have near it */
	uint32_t only;	/* the only pool of the first kind, or TB_ANY_POOL */
	uint32_t most;	/* so many largest pools of it, or TB_ANY_POOL */
	enum {
		TB_ALL_NEAR,   /* each slot with all of its devices */
		TB_NEAR_FIRST, /* as many slots as fit so, the others anywhere */
		TB_SOME_NEAR,  /* units near any free device */
		TB_ANYWHERE
	} where;
};

struct tb_device_state {
	struct tb_device_attempt attempt;
	uint32_t wanted, placed; /* slots */
	bool all_near;
	uint32_t nkinds;
	struct tb_kind_state *kinds;
	struct tb_pool_state *pools;	 /* of all kinds */
	uint32_t kinds_room, pools_room; /* as many the arrays can take */
	struct tb_bitset free_units;	 /* before the first slot */
	struct tb_bitset open;		 /* scratch: units near open pools */
	uint64_t *words;		 /* of these and of the pools' units */
	size_t words_room;
};

/* NULL when out of memory. */
struct tb_device_state *tb_device_state_create(void);
void tb_device_state_destroy(struct tb_device_state *devices); /* NULL ok */
/*
 * Make room for so many kinds and pools, and a set of so many units for each pool.
 * Allocates only when there are more of them than ever before.  False when out of
 * memory.
 */
bool tb_device_state_reserve(struct tb_device_state *devices, uint32_t nkinds,
			     uint32_t npools, unsigned nunits);

/* How many devices of a kind a job asks for, for a slot or for the node. */
uint32_t tb_devices_asked(const struct tb_kind_state *kind);

/* Which units are near each pool?  The placer has begun; its devices are these. */
void tb_devices_find_units(const struct tb_placer *placer,
			   struct tb_device_state *devices);

/* Begin an attempt to place so many slots: no device is taken. */
void tb_devices_begin(struct tb_device_state *devices,
		      struct tb_device_attempt attempt, uint32_t wanted);
/* No device is taken. */
void tb_devices_forget(struct tb_device_state *devices);

/* Close the available units that are not near what the next slot needs. */
void tb_devices_close_units(struct tb_placer *placer);

/* Does what the next slot can have depend on the devices of those before it? */
bool tb_devices_follow_slots(const struct tb_placer *placer);

/* Give the group that was just taken its devices. */
enum tb_served {
	TB_SERVED,
	TB_SERVED_OTHERWISE, /* and from now on other units are near */
	TB_NOT_SERVED,
};
enum tb_served tb_devices_serve(struct tb_placer *placer);

/*
 * No more slots fit.  Open what can still be opened, in the end all units.
 * False when nothing is left to try.
 */
bool tb_devices_open_more(struct tb_placer *placer);

/* All slots are placed: take the devices that the job does not have yet. */
void tb_devices_complete(const struct tb_placer *placer);

#endif
