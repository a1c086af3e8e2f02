/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hooks.h - where slurmctld's calls enter topobind
 *
 * compat/select_abi.c calls them under slurmctld's write locks on jobs and nodes,
 * unless said otherwise; after select/cons_tres' own function, or for job_test
 * instead of it.
 */
#ifndef TB_SELECT_HOOKS_H
#define TB_SELECT_HOOKS_H

#include "compat/select_compat.h"

/* Read topobind.conf.  SLURM_SUCCESS, or SLURM_ERROR (the log says why). */
int tb_hook_init(void);
void tb_hook_fini(void);

/*
 * slurmctld has read slurm.conf and the node table is new: read topobind.conf
 * again and rebuild from the jobs.
 */
void tb_hook_node_init(void);
/* Nodes or partitions may have changed: rebuild from the jobs.  No files. */
void tb_hook_reconfigure(void);

/*
 * Nodes are about to be shown: their record may have been overwritten.  may_write: it
 * may be written again, else a thread does it soon.
 */
void tb_hook_nodes_shown(bool may_write);

int tb_hook_job_test(struct tb_test *test);

/* The job got its resources: show the grant. */
void tb_hook_job_begin(job_record_t *job);
/*
 * The job holds other cores than before: the cores of its allocation while it
 * runs, also while a gang scheduler pauses it; none when an administrator
 * suspended it or it ended.
 */
void tb_hook_job_changed(job_record_t *job);
void tb_hook_job_ended(job_record_t *job);
/* By an administrator: it gives back its cores, and keeps its memory. */
void tb_hook_job_suspended(job_record_t *job);
/* Its run has ended; it may be requeued. */
void tb_hook_job_finished(job_record_t *job);

/* slurmctld has control.  Also called while it has had control for long. */
void tb_hook_control_begins(void);
/* It ends, gives control to another, or goes on in another; no locks are held. */
void tb_hook_control_ends(void);

/* The running job has less memory than before; nodes may not be written. */
void tb_hook_job_memory_reduced(job_record_t *job);

/* The job lost this node: its request became smaller, or the node failed. */
void tb_hook_job_resized(job_record_t *job, uint32_t node);
/* The job to is about to be given all that the job from has; then it was. */
void tb_hook_job_expanding(job_record_t *from, job_record_t *to);
void tb_hook_job_expanded(job_record_t *from, job_record_t *to);

/*
 * An administrator wants to resume the job.  SLURM_SUCCESS; or, where others have its
 * units, or it has units of others, EINPROGRESS: it is resumed later (late_resume.h),
 * and EALREADY when somebody asks once more.  EBUSY: Slurm has paused it for others, and
 * resumes it by itself.
 */
int tb_hook_job_may_resume(job_record_t *job);
/* Resumed by an administrator; its state may still say suspended. */
void tb_hook_job_resumed(job_record_t *job);
/*
 * Does the job hold its cores at this moment?  A job that a gang scheduler paused
 * does: when an administrator resumes it nothing may be added for it.
 */
bool tb_hook_job_holds(const job_record_t *job);

/* Slurm has placed a step, and not yet made its credential. */
void tb_hook_step_start(step_record_t *step);
/*
 * Since Slurm 25.05, where the former comes before Slurm counts the cores, CPUs,
 * memory and devices of that step: it has done so, with the same locks still held.
 */
void tb_hook_step_counted(void);

#endif
