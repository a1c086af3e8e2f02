/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node_view.h - the nodes of the cluster: what units they have, who is there
 *
 * Of Slurm's records: a node's Extra field, and the jobs.  Equal topologies are
 * counted once.
 */
#ifndef TB_TOOLS_NODES_NODE_VIEW_H
#define TB_TOOLS_NODES_NODE_VIEW_H

#include "cluster/cluster.h"
#include "core/topology/census.h"

struct tb_node_view {
	const node_info_t *info;
	const struct tb_census *census; /* NULL: no topology is known */
	char *inuse; /* the topology, what is in use in lower case; or NULL */
	char *reserved; /* the same with what is reserved, now or later */
	char *lost; /* the same with CPUs that jobs cannot have at present */
	const job_info_t **jobs; /* on the node, in Slurm's order */
	unsigned njobs;
};

struct tb_node_views {
	struct tb_cluster *cluster;
	struct tb_node_view *nodes; /* in Slurm's order; some have no name */
	unsigned nnodes;
	const char *partitions; /* private */
	void *known;		/* private: censuses by text */
};

/*
 * what: of TB_CLUSTER_*, beside jobs.  Where a node does not show what is in use
 * (NodeRecord=no) the jobs' cores are asked for, too.  warn is told of
 * topologies that make no sense.  NULL with a sentence.
 *
 * With TB_CLUSTER_CONF and TB_CLUSTER_PARTITIONS, what filters of topobind.conf
 * mask for jobs of all these partitions (a list; NULL: all that a node is in) counts
 * neither as used nor as free.
 */
struct tb_node_views *tb_node_views_load(unsigned what, const char *partitions,
					 void (*warn)(const char *sentence),
					 struct tb_error *err);
void tb_node_views_destroy(struct tb_node_views *views); /* NULL is fine */

/*
 * "S:1/2,X:14/16": what print says of each kind of unit that the node has.
 */
void tb_node_view_units(const struct tb_node_view *node, FILE *out,
			void (*print)(const struct tb_unit_census *units,
				      FILE *out));

/* Could a job start there, if it had free units? */
bool tb_node_is_in_service(const node_info_t *node);

/* Of the free cores, which part cannot be had with their neighbours: 0 to 1. */
double tb_fragmentation(uint64_t fragments, uint64_t free_cores);

#endif
