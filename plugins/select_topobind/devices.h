/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * devices.h - the GPUs and other GRES of a bound job, and which units are near
 *
 * The site says in gres.conf by Cores= which cores are near a device.  A job
 * that asks for units and devices gets units near free ones: always with
 * --gres-flags=enforce-binding, else as far as there are any (lib/core/near.h).
 * select/cons_tres, which only knows of sockets, then selects devices for the
 * job; those that the placement was made for are put in their place, as many.
 */
#ifndef TB_SELECT_DEVICES_H
#define TB_SELECT_DEVICES_H

#include "compat/select_compat.h"
#include "core/near.h"
#include "core/request.h"

#include "ledger.h"
#include "nodes.h"

/* NULL: the job asks for none, or with disable-binding.  The caller destroys. */
struct tb_devices;
struct tb_devices *tb_devices_create(const struct tb_test *test);
void tb_devices_destroy(struct tb_devices *devices); /* NULL is fine */

/* Do units that are not near not count? */
bool tb_devices_must_be_near(const struct tb_devices *devices);

/*
 * What is free on a node, for so many tasks there; without tasks for each slot.
 * Uses shape->cores.  NULL: the node has nothing that is near some cores only.
 * Owned by devices, valid until the next call.
 */
struct tb_near *tb_devices_find(struct tb_devices *devices, uint32_t node,
				struct tb_shape *shape,
				const struct tb_view *view, uint32_t tasks);

/*
 * From now on as many devices are asked for on each node as are selected for
 * the job.  Only known once a test gave it an allocation.
 */
void tb_devices_count_selected(struct tb_devices *devices);

/* Select the devices that the last placement, on this node, was near. */
void tb_devices_select(struct tb_devices *devices, uint32_t node);

#endif
