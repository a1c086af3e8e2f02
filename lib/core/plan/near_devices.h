/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * near_devices.h - for how many devices a placement on a node is made, and how many slots
 * it has then
 *
 * What units are near place/device_affinity.h decides.  slurmctld (try/devices.h,
 * try/offers.h, try/device_reach.h) and the command (node_offers.h) both ask here for
 * the numbers.
 */
#ifndef TB_CORE_PLAN_NEAR_DEVICES_H
#define TB_CORE_PLAN_NEAR_DEVICES_H

#include "core/place/device_affinity.h"

#include "device_counts.h"

/*
 * Set the two numbers of a kind; both are 0 where none are asked for.  Slots that have
 * their units together are placed for so many tasks (joint); 0: each has its own.  Of
 * devices for all nodes, of which the job has so many, a node is asked for its share; or
 * for as many as are assumed, if that is not 0.
 */
void tb_devices_set_numbers(const struct tb_devices_asked *asked,
			    uint32_t nodes, uint32_t assumed, uint32_t joint,
			    struct tb_device_kind *kind);

/* So many are free in its pools; and for so many tasks, where these ask for some. */
uint32_t tb_devices_free_in_pools(const struct tb_device_kind *kind);
uint32_t tb_devices_tasks_in_pools(const struct tb_devices_asked *asked,
				   const struct tb_device_kind *kind);

/*
 * Near how many of the devices for all nodes does a node have most slots, of so many: its
 * share (0), all that are free (TB_DEVICES_ALL_FREE), or one?  place says how many it has.
 */
#define TB_DEVICES_ALL_FREE UINT32_MAX
typedef uint32_t (*tb_near_place)(void *arg, uint32_t number);
uint32_t tb_devices_for_most_slots(tb_near_place place, void *arg,
				   uint32_t slots);

/*
 * How many slots can a node have whose units are all near?  place says how many of
 * number slots are.  each as for tb_devices_range(); most: so many it offers.  Tasks of a
 * host share its units, and it holds so many of them.
 */
struct tb_reach_range tb_near_slots(tb_near_place place, void *arg,
				    uint32_t each, uint32_t most);
struct tb_reach_range tb_near_tasks_of_host(tb_near_place place, void *arg,
					    uint32_t each, uint32_t holds);

#endif
