/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * granted.h - how many units a job holds
 */
#ifndef TB_TOOLS_JOBS_GRANTED_H
#define TB_TOOLS_JOBS_GRANTED_H

#include "nodes/node_view.h"

/*
 * Of a running job with a binding: units of the kind that it asked for; threads,
 * where that was a list of CPUs.  By its SystemComment, and for nodes that this
 * has no room for by its cores (TB_CLUSTER_CORES).  False: it has no binding, or
 * that makes no sense.
 */
bool tb_granted_units(const struct tb_node_views *views, const job_info_t *job,
		      struct tb_unit *unit, uint64_t *count);

#endif
