/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_blocked.h - threads that a job keeps from others and none of its tasks may use
 *
 * Slurm books whole cores, and whoever has a unit has all of it: the other threads of
 * cores of which tasks have one, and what a filter masks of the job's units, nobody
 * can use.  They count for the job in Slurm's books.
 */
#ifndef TB_TOOLS_JOBS_JOB_BLOCKED_H
#define TB_TOOLS_JOBS_JOB_BLOCKED_H

#include "job_view.h"

/*
 * Fill in blocked of the nodes of bound jobs that have them now.  One question to the
 * controller, none where no job needs it.  What cannot be found stays NULL.
 */
void tb_job_blocked_find(struct tb_job_view *jobs, unsigned njobs);

/* Has the job any, on any node? */
bool tb_job_has_blocked(const struct tb_job_view *job);

#endif
