/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_nodes.h - the nodes of a job's allocation, one after another
 */
#ifndef TB_SELECT_TOPOBIND_NODES_JOB_NODES_H
#define TB_SELECT_TOPOBIND_NODES_JOB_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "compat/select_compat.h"
#include "src/common/job_resources.h"

/* One of them; { 0 } before the first. */
struct tb_allocated_node {
	uint32_t node;	     /* in the node table */
	uint32_t index;	     /* among the job's nodes, from 0 */
	uint32_t first_core; /* where its cores begin in core_bitmap */
	/* Private: where the walk goes on. */
	uint32_t next_node, next_index, next_core;
};

/*
 * Find the next node, in the order of the node table.  False: there are no more.
 * A job without an allocation (granted is NULL) has no nodes.
 */
bool tb_allocated_node_next(const job_resources_t *granted,
			    struct tb_allocated_node *at);

#endif
