/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * network.h - nodes in the order of their network, for the policy CONTIGUOUS
 *
 * Slurm says below which switches each node is, from the top to the leaf switch:
 * "top.left.".  Blocks are like leaf switches.  In the network's order all nodes of
 * a switch lie beside each other; switches are in the order of their first nodes,
 * and the nodes of a leaf switch in Slurm's.
 */
#ifndef TB_CORE_POLICY_NETWORK_H
#define TB_CORE_POLICY_NETWORK_H

#include <stdint.h>

struct tb_network;

/*
 * places has one for each node of Slurm's order, each name with a dot behind it; a name
 * that is missing in the middle is empty.  NULL or no leaf switch: the node is a leaf of
 * its own.  NULL: out of memory.  The caller destroys.
 */
struct tb_network *tb_network_create(const char *const *places, uint32_t count);
void tb_network_destroy(struct tb_network *network); /* NULL is fine */

/* Where the node is in the network's order. */
uint32_t tb_network_rank(const struct tb_network *network, uint32_t node);

/*
 * How far up the lowest switch is that is above both nodes: 0 for a leaf switch, or the
 * node itself; the number of levels where there is none.
 */
uint32_t tb_network_height(const struct tb_network *network, uint32_t a,
			   uint32_t b);

#endif
