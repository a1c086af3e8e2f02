/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cluster.h - what Slurm's controller says of its nodes and jobs
 *
 * The one place of the command that asks for lists of them.  Records are
 * Slurm's own; what topobind keeps in those of nodes is read here: the topology,
 * and what is in use of it.
 */
#ifndef TB_TOOLS_CLUSTER_CLUSTER_H
#define TB_TOOLS_CLUSTER_CLUSTER_H

#include <stdbool.h>

#include "compat/slurm_types.h"

#include "core/topology/topology.h"

/* What to ask for beside the nodes. */
enum {
	TB_CLUSTER_JOBS = 1,	   /* ids, states, comments */
	TB_CLUSTER_CORES = 2,	   /* and their cores: common/job/job_cores.h */
	TB_CLUSTER_SITE = 4,	   /* partitions and reservations */
	TB_CLUSTER_PARTITIONS = 8, /* and which ones each node is in */
	TB_CLUSTER_CONF = 16,	   /* configurations, Slurm's and topobind's */
	TB_CLUSTER_DEVICES = 32,   /* and how many GRES of a node are in use */
};

struct tb_conf;

/* Lists that were not asked for are NULL. */
struct tb_cluster {
	node_info_msg_t *nodes;
	job_info_msg_t *jobs; /* without those that this user may not see */
	partition_info_msg_t *partitions;
	reserve_info_msg_t *reservations;
	slurm_conf_t *slurm;	  /* slurmctld's */
	struct tb_conf *conf;	  /* topobind.conf of this host; NULL: wrong, */
	struct tb_error conf_why; /* for this reason; else empty */
};

/* slurm_init() comes before.  NULL with a sentence. */
struct tb_cluster *tb_cluster_load(unsigned what, struct tb_error *err);
void tb_cluster_destroy(struct tb_cluster *cluster); /* NULL is fine */

/* NULL: Slurm knows none of this name. */
const node_info_t *tb_cluster_node(const struct tb_cluster *cluster,
				   const char *name);
/*
 * Of a list without names twice, the first that Slurm does not know; malloc()ed, NULL
 * when it knows all.
 */
char *tb_cluster_find_unknown(const struct tb_cluster *cluster,
			      tb_hostlist_t names);
const partition_info_t *tb_cluster_partition(const struct tb_cluster *cluster,
					     const char *name);

/*
 * The value of a token of the node's Extra field (common/node/node_extra.h);
 * malloc()ed, NULL when it is not there.
 */
char *tb_cluster_token(const node_info_t *node, const char *name);

/*
 * Topology of a node with its distances, and its threads in use in a new set;
 * with NodeRecord=no in topobind.conf that is empty.  Both are the caller's.
 * NULL with a sentence where none is shown or it makes no sense.
 */
struct tb_topology *tb_cluster_topology(const node_info_t *node,
					struct tb_bitset **inuse,
					struct tb_error *err);

/* Add the threads of cores that Slurm leaves to the system. */
void tb_cluster_add_system(const node_info_t *node,
			   const struct tb_topology *topology,
			   struct tb_bitset *threads);

/* Add those that the node has lost (TB_EXTRA_LOST).  False: none. */
bool tb_cluster_add_lost(const node_info_t *node,
			 const struct tb_topology *topology,
			 struct tb_bitset *threads);

/* Does it run, or is it suspended or about to leave its nodes? */
bool tb_cluster_job_holds(const job_info_t *job);

/* An administrator's suspension gives the cores back, a gang's not. */
bool tb_cluster_job_gave_back(const job_info_t *job);

/* When it must end by its time limit; 0: there is no such time. */
time_t tb_cluster_job_end(const job_info_t *job);

/* "123", "123_4" of an array, "123+1" of a heterogeneous job; malloc()ed. */
char *tb_cluster_job_id(const job_info_t *job);
/* malloc()ed */
char *tb_cluster_job_user(const job_info_t *job);

#endif
