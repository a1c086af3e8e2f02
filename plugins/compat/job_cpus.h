/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_cpus.h - the cores of a job on a node, as slurmctld tells its clients
 */
#ifndef TB_COMPAT_JOB_CPUS_H
#define TB_COMPAT_JOB_CPUS_H

#include "slurm_types.h"

#include "core/base/bitset.h"
#include "core/base/error.h"

/*
 * The node has n cores.  The caller destroys.  NULL with a sentence in err when
 * Slurm does not say which cores it are.
 */
struct tb_bitset *tb_job_cpus_on_node(const job_info_t *job, const char *node,
				      unsigned n, struct tb_error *err);

/*
 * Has the job, which has started, all of its nodes?  In a partition with FORCE its
 * record's "shared" does not tell.
 */
bool tb_job_has_whole_nodes(const job_info_t *job);

#endif
