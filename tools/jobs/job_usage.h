/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_usage.h - how busy the units of a job are on this machine
 *
 * For topobind job --usage.  A bound job has its CPUs for itself, so what is used of
 * them is used by the job: the kernel's counters of each CPU say it, whoever asks and
 * whatever cgroups there are.  Of a job without a binding it is what all do there.
 */
#ifndef TB_TOOLS_JOBS_JOB_USAGE_H
#define TB_TOOLS_JOBS_JOB_USAGE_H

#include "core/topology/busy.h"
#include "job_view.h"

/* Of one job on the node that this machine is. */
struct tb_job_usage {
	const struct tb_job_node *node; /* NULL: the job has nothing here */
	struct tb_unit unit; /* of its request; cores, if it has none */
	struct tb_busy busy;
};

/*
 * The name in slurm.conf of the node that this machine is, as given, or else that of
 * the job in which the command runs, or that of the host.  malloc()ed, or NULL.
 */
char *tb_job_usage_node(const char *given);

/*
 * Look so long, and measure each of the jobs: by job, which the caller destroys.  NULL
 * with a sentence, also when none of them is on the node.
 */
struct tb_job_usage *tb_job_usage_measure(const struct tb_job_views *views,
					  const char *node, unsigned seconds,
					  struct tb_error *err);
void tb_job_usage_destroy(struct tb_job_usage *usage, unsigned njobs);

#endif
