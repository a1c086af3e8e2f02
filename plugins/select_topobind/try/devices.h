/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * devices.h - the GPUs and other GRES of a bound job, and which units are near
 *
 * The site says in gres.conf by Cores= which cores are near a device.  A job
 * that asks for units and devices gets units near free ones: always with
 * --gres-flags=enforce-binding, else as far as there are any (lib/core/place/device_affinity.h).
 * select/cons_tres, which only knows of sockets, then selects devices for the
 * job; those that the placement was made for are put in their place, as many.
 */
#ifndef TB_SELECT_TOPOBIND_TRY_DEVICES_H
#define TB_SELECT_TOPOBIND_TRY_DEVICES_H

#include "compat/select_compat.h"
#include "compat/select_gres.h"
#include "core/place/device_affinity.h"
#include "core/plan/device_counts.h"
#include "core/request/request.h"

#include "select_topobind/books/ledger.h"
#include "select_topobind/nodes/nodes.h"

/*
 * NULL: the job asks for none.  With --gres-flags=disable-binding they are counted, and
 * no units are near them.  The caller destroys, and keeps the test until then.
 */
struct tb_devices;
struct tb_devices *tb_devices_create(const struct tb_test *test);
void tb_devices_destroy(struct tb_devices *devices); /* NULL is fine */

/* --gres-flags=enforce-binding: do only units near devices count? */
bool tb_devices_must_be_near(const struct tb_devices *devices);

/* What is asked for.  False: that is not all, more kinds of devices are asked for. */
bool tb_devices_asked_one(const struct tb_devices *devices,
			  struct tb_devices_asked *asked);

/* Has each of the tasks that share a slot some (lib/core/plan/device_counts.h)? */
bool tb_devices_are_for_tasks_of_slots(const struct tb_devices *devices);

/* Can devices be on several nodes? */
bool tb_devices_are_for_nodes(const struct tb_devices *devices);

/*
 * From now on a node is asked for so many of the devices for all nodes; 0: for its
 * share.  Until the numbers of an allocation are counted.
 */
void tb_devices_assume(struct tb_devices *devices, uint32_t number);

/*
 * The free devices of a node, for so many tasks there; tasks 0: for each slot.  Changes
 * cores, Slurm's of the node.  NULL: the node has no such devices near some cores only.
 * Owned by devices, valid until the next call.
 */
struct tb_affinity *tb_devices_find(struct tb_devices *devices, uint32_t node,
				    struct tb_shape *shape,
				    const struct tb_view *view, uint32_t tasks,
				    struct tb_bitset *cores);

/* How many of the first kind are free on the node of the last tb_devices_find(). */
uint32_t tb_devices_free(const struct tb_devices *devices);

/* For how many tasks there are free ones, where these ask for some; found likewise. */
uint32_t tb_devices_most_tasks(const struct tb_devices *devices);

/*
 * How many of the first entry are free on a node, near whatever cores; 0 also where
 * Slurm only counts them.
 */
uint32_t tb_devices_count(const struct tb_devices *devices, uint32_t node,
			  const struct tb_view *view);

/*
 * All that the placement depends on, after the node's cores in use: these, and what
 * tb_devices_find() has just returned.  Valid until the next call.
 */
const struct tb_bitset *tb_devices_state(struct tb_devices *devices,
					 const struct tb_affinity *affinity,
					 const struct tb_bitset *cores);

/*
 * How many pools the last node has; how many devices of each the placement was made
 * for, to be remembered, and to be the last placement's again.
 */
uint32_t tb_devices_pools(const struct tb_devices *devices);
void tb_devices_get_taken(const struct tb_devices *devices, uint32_t *taken);
void tb_devices_set_taken(struct tb_devices *devices, const uint32_t *taken);

/*
 * The job has an allocation: from now on ask on each node for as many devices as
 * are selected for it there.
 */
void tb_devices_count_selected(struct tb_devices *devices);

/* It has none any more: from now on as before. */
void tb_devices_forget_selected(struct tb_devices *devices);

/*
 * Are those free that select/cons_tres has selected on each node of the allocation?  Only of
 * the first entry, and where Slurm does more than count them.  Slurm 22.05 takes a GPU for
 * free that another job has a part of.
 */
bool tb_devices_selected_are_free(const struct tb_devices *devices,
				  const struct tb_view *view);

/*
 * The devices are dealt out: from now on ask on each node for as many as it is dealt;
 * at first for none.
 */
void tb_devices_begin_deal(struct tb_devices *devices);
void tb_devices_deal(struct tb_devices *devices, uint32_t node,
		     uint32_t number);

/*
 * Between these two calls the job asks for so many devices on each node, whatever its
 * tasks.
 */
struct tb_gres_ask tb_devices_ask_per_node(const struct tb_devices *devices,
					   uint32_t number);
void tb_devices_ask_again(const struct tb_devices *devices,
			  const struct tb_gres_ask *before);

/*
 * Select the devices that the last placement, on this node, was near.  False: other
 * ones, or as many as it was made for, cannot be selected.
 */
bool tb_devices_select(struct tb_devices *devices, uint32_t node);

/* Likewise, and where units need not be near, other ones: as many as were dealt. */
bool tb_devices_select_dealt(struct tb_devices *devices, uint32_t node);

#endif
