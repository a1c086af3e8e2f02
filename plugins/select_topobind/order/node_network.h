/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node_network.h - how the nodes lie in the network, as Slurm knows it
 *
 * Slurm is asked for each node, once after the node table has changed, and then only
 * when somebody wants to know.
 */
#ifndef TB_SELECT_TOPOBIND_ORDER_NODE_NETWORK_H
#define TB_SELECT_TOPOBIND_ORDER_NODE_NETWORK_H

#include <stdbool.h>

#include "core/policy/network.h"

/* Has it switches, or blocks? */
bool tb_network_has_switches(void);

/* All nodes; borrowed until the node table changes.  NULL: it has no switches. */
const struct tb_network *tb_node_network(void);

/* The node table is new, or the network. */
void tb_node_network_reset(void);

#endif
