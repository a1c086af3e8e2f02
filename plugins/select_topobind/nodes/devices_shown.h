/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * devices_shown.h - the devices of a node and the cores near them, for people to see
 */
#ifndef TB_SELECT_TOPOBIND_NODES_DEVICES_SHOWN_H
#define TB_SELECT_TOPOBIND_NODES_DEVICES_SHOWN_H

#include <stdint.h>

/*
 * As core/topology/device_places.h has them, of a node with so many cores.  NULL: no
 * cores are nearer to a device than others, or the text would be too long.  free() it.
 */
char *tb_devices_print(uint32_t node, unsigned ncores);

/*
 * Differs when the places of its devices have changed, which nodes tell when they
 * register: cheap, as it is asked of all nodes at each change of one.
 */
uint64_t tb_devices_digest(uint32_t node);

#endif
