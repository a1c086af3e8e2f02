/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node_values.h - the components of priority functions, as they are outside of slurmctld
 *
 * topobind_policies(7) says what each is; select_topobind/order/node_facts.h has them in
 * slurmctld.  What it has learned comes from its file, where that can be read.
 */
#ifndef TB_TOOLS_POLICY_NODE_VALUES_H
#define TB_TOOLS_POLICY_NODE_VALUES_H

#include <stdbool.h>

#include "cluster/cluster.h"
#include "core/policy/priority_function.h"
#include "core/request/request.h"

struct tb_node_values;

/*
 * All that is pointed to must outlive it.  job: NULL for none, and request: that of the
 * job; partition: NULL for none.  The caller destroys.  NULL: out of memory.
 */
struct tb_node_values *tb_node_values_create(const struct tb_cluster *cluster,
					     const job_info_t *job,
					     const struct tb_request *request,
					     const partition_info_t *partition);
void tb_node_values_destroy(struct tb_node_values *values); /* NULL is fine */

/* Of the cluster's node of this number.  False: only slurmctld knows it. */
bool tb_node_values_get(const struct tb_node_values *values, unsigned node,
			const struct tb_priority_term *term, double *value);

#endif
