/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * known_topologies.h - the topologies of nodes, also where topobind is not in use
 *
 * Of the command line (--topology); else what the node shows in its Extra field; else
 * this machine's, for the node that it is.  Nothing is guessed: one that has not as many
 * cores as Slurm's node, or as many threads, is not the node's.
 */
#ifndef TB_TOOLS_REPORT_KNOWN_TOPOLOGIES_H
#define TB_TOOLS_REPORT_KNOWN_TOPOLOGIES_H

#include "cluster/cluster.h"

struct tb_given_topology;

/* All zero is right before the first. */
struct tb_known_topologies {
	struct tb_given_topology *given; /* in the order of the command line */
	unsigned ngiven;
	struct tb_topology
		*here; /* this machine's; NULL: not looked yet, or none */
	bool looked_here;
};

/*
 * "NODES=STRING" or "NODES=FILE", a file where it ends in .xml or has a slash; of
 * several for a node the last counts.  -1 with a sentence.
 */
int tb_known_topologies_add(struct tb_known_topologies *known, const char *text,
			    struct tb_error *err);
void tb_known_topologies_clear(struct tb_known_topologies *known);

/* Nodes sorted by name; the topologies are owned by known. */
struct tb_named_topologies {
	const struct tb_topology **topologies;
	char **names;
	unsigned count;
};

/* Those of the command line alone.  -1 when out of memory; clear is right then, too. */
int tb_known_topologies_list(const struct tb_known_topologies *known,
			     struct tb_named_topologies *list,
			     struct tb_error *err);
void tb_named_topologies_clear(struct tb_named_topologies *list);

/* Are all the nodes Slurm's?  -1 with a sentence. */
int tb_known_topologies_check(const struct tb_known_topologies *known,
			      const struct tb_cluster *cluster,
			      struct tb_error *err);

/*
 * Of a node; owned by known, or new and in *own, too, which is NULL else.  NULL: none is
 * known, with a sentence where there is one that cannot be right; else it is empty.
 */
const struct tb_topology *
tb_known_topologies_find(struct tb_known_topologies *known,
			 const node_info_t *node, struct tb_topology **own,
			 struct tb_error *why);

#endif
