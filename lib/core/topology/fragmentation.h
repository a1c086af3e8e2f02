/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fragmentation.h - how a placement breaks up a node and how far apart its threads
 * are, for the node allocation policies BESTFIT and BESTTOPOLOGY (doc/design.md,
 * "Policies")
 */
#ifndef TB_CORE_TOPOLOGY_FRAGMENTATION_H
#define TB_CORE_TOPOLOGY_FRAGMENTATION_H

#include <stdint.h>

#include "core/base/bitset.h"
#include "topology.h"

/*
 * How many containers (NUMA nodes, sockets, L3 and L2 caches, and the node
 * itself) are broken up: partly in use, so that no job can get them as a whole.
 * not_free are the used threads, and the masked ones (place.h), which do not count.
 */
uint32_t tb_broken_containers(const struct tb_topology *topology,
			      const struct tb_bitset *used,
			      const struct tb_bitset *not_free);

/*
 * How many more there are when these threads, of which none is used, are used, too; below
 * 0: fewer.  No threads are masked.
 */
int32_t tb_broken_more(const struct tb_topology *topology,
		       const struct tb_bitset *used,
		       const struct tb_bitset *more);

/*
 * How far apart these threads are.  0 when there are none or all lie in one core.
 * Else the number grows with the smallest object around them, in this order: L2
 * cache, L3 cache, the inner and the outer of NUMA node and socket, the node.
 * For equal objects it grows with the largest distance between NUMA nodes that
 * have one of the threads, then with the number of sockets, NUMA nodes, L3 and L2
 * caches that have one: two caches of a socket are nearer than four.  Numbers of
 * nodes of any shape can be compared, also as double.
 */
uint64_t tb_diameter(const struct tb_topology *topology,
		     const struct tb_bitset *threads);

#endif
