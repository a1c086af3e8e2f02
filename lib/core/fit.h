/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fit.h - how well a placement fits a node, for the node allocation policies
 * BESTFIT and BESTTOPOLOGY (DESIGN.md, section 6)
 */
#ifndef TB_CORE_FIT_H
#define TB_CORE_FIT_H

#include <stdint.h>

#include "bitset.h"
#include "topology.h"

/*
 * How many containers (NUMA nodes, sockets, L3 and L2 caches, and the node
 * itself) are broken up: partly in use, so that nobody can have them whole.
 */
uint32_t tb_broken_containers(const struct tb_topology *topology,
			      const struct tb_bitset *used);

/*
 * How far apart these threads are: 0 when there are none or all of one core, more
 * for the smallest object that holds them being an L2 cache, an L3 cache, the
 * inner and the outer of NUMA node and socket, the node; among equals by the
 * largest distance between the NUMA nodes that they touch.  Comparable between
 * nodes of any shape.
 */
uint32_t tb_diameter(const struct tb_topology *topology,
		     const struct tb_bitset *threads);

#endif
