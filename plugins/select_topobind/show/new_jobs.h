/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * new_jobs.h - the requests of jobs that Slurm has not asked about
 *
 * slurmctld asks no select plugin about a job that is held, over a limit, or for
 * nodes that are down.  A thread shows the requests of such jobs, too.  It looks
 * at a job at most a second after it came, unless its request is shown then, and as
 * soon after somebody wants another binding for it (request/changed_request.h).
 */
#ifndef TB_SELECT_TOPOBIND_SHOW_NEW_JOBS_H
#define TB_SELECT_TOPOBIND_SHOW_NEW_JOBS_H

#include "compat/select_compat.h"

/*
 * Call show for each pending job now, for new ones when they come, and for each job,
 * started or not, that shall have another binding, with
 * slurmctld's write lock on jobs and its read locks on configuration and
 * partitions.  Once more: all of them are looked at again.
 */
void tb_new_jobs_watch(void (*show)(job_record_t *job));
/* End the thread; called without locks. */
void tb_new_jobs_fini(void);

#endif
