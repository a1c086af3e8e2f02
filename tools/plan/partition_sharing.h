/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * partition_sharing.h - what OverSubscribe of partitions means for a job
 */
#ifndef TB_TOOLS_PLAN_PARTITION_SHARING_H
#define TB_TOOLS_PLAN_PARTITION_SHARING_H

#include "candidate_nodes.h"

/* How many jobs of the partition may have a unit of this one; 1: only itself. */
unsigned tb_partition_sharers(const struct tb_job_spec *spec,
			      const partition_info_t *partition);

/* Do jobs that share take turns? */
bool tb_partition_turns(const struct tb_cluster *cluster);

/* As what a running job of the partition lets others have its cores of the node. */
struct tb_share_of tb_partition_share(const struct tb_cluster *cluster,
				      const job_info_t *job,
				      const struct tb_candidate_node *node);

/*
 * Slurm lets no jobs that share onto a node with one that does not, and the other way
 * round: can the job, in its partition, have nothing of the nodes of another?
 */
bool tb_partition_bars(const struct tb_cluster *cluster,
		       const struct tb_job_spec *spec,
		       const partition_info_t *partition,
		       const job_info_t *other);

#endif
