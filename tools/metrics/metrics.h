/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.h - numbers for Prometheus: of the cluster, of this node
 */
#ifndef TB_TOOLS_METRICS_METRICS_H
#define TB_TOOLS_METRICS_METRICS_H

#include <stdio.h>

#include "common/soft/soft_registry.h"
#include "nodes/node_view.h"

/*
 * metrics_cluster.c: units and jobs by partition; views were loaded with
 * TB_CLUSTER_PARTITIONS and TB_CLUSTER_CORES.  -1 when out of memory.
 */
int tb_metrics_of_cluster(const struct tb_node_views *views, FILE *out);

/* metrics_soft.c: the soft-bound steps of this node.  -1 with a sentence. */
int tb_metrics_of_soft(struct tb_registry *registry, FILE *out,
		       struct tb_error *err);

/*
 * metrics_usage.c: look so many seconds how busy the units are of which jobs have a part
 * on the node that this machine is; views as for topobind nodes.  -1 with a sentence.
 */
int tb_metrics_of_usage(const struct tb_node_views *views, const char *node,
			unsigned seconds, FILE *out, struct tb_error *err);

#endif
