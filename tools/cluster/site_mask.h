/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * site_mask.h - what filters of topobind.conf keep from jobs
 */
#ifndef TB_TOOLS_CLUSTER_SITE_MASK_H
#define TB_TOOLS_CLUSTER_SITE_MASK_H

#include "cluster.h"

/*
 * Is there a filter on the node for jobs of each of these partitions that it is in
 * (NULL: of any)?  False: nothing is masked there for them.
 */
bool tb_site_masks(const struct tb_cluster *cluster, const node_info_t *node,
		   const char *partitions);

/*
 * Add to threads, of the node's topology, those that jobs of none of these
 * partitions may have.  -1 with a sentence.
 */
int tb_site_mask_add(const struct tb_cluster *cluster, const node_info_t *node,
		     const char *partitions, const struct tb_topology *topology,
		     struct tb_bitset *threads, struct tb_error *err);

#endif
