/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reserved.h - what a reservation has of a node
 */
#ifndef TB_TOOLS_CLUSTER_RESERVED_H
#define TB_TOOLS_CLUSTER_RESERVED_H

#include "compat/slurm_types.h"

#include "core/topology/topology.h"

/*
 * The reserved cores of the node as threads of its topology, a new set; NULL: it has the
 * whole node, or none of it.
 */
struct tb_bitset *tb_reserved_threads(const reserve_info_t *reservation,
				      const node_info_t *node,
				      const struct tb_topology *topology);

#endif
