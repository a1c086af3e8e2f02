/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * late_resume.h - jobs that are resumed when nobody else has their cores any more
 *
 * An administrator resumes a suspended job, and others have been given its cores.  It
 * stays suspended and waits for them: a word of its AdminComment, which Slurm saves with
 * the job, says so, and its Reason, for people.  Who takes the word away withdraws the
 * resume.  (Slurm calls no plugin when a job is suspended once more.)  Called with
 * slurmctld's write lock on jobs.
 */
#ifndef TB_SELECT_TOPOBIND_BOOKS_LATE_RESUME_H
#define TB_SELECT_TOPOBIND_BOOKS_LATE_RESUME_H

#include "compat/select_compat.h"

/* Forget all; tb_late_resume_recovered() finds them again.  may: has it its cores back? */
void tb_late_resume_reset(bool (*may)(const job_record_t *job));
void tb_late_resume_fini(void);
void tb_late_resume_recovered(const job_record_t *job);

/* It shall be resumed later.  EINPROGRESS, or EALREADY if that was known. */
int tb_late_resume_wait(job_record_t *job);
/* It is resumed, has ended or waits for a start. */
void tb_late_resume_forget(job_record_t *job);

/*
 * It was resumed, and takes turns.  Slurm's gang scheduler takes it for suspended until
 * it has a turn, though it runs: soon it is, where others run on its cores.
 */
void tb_late_resume_in_turn(const job_record_t *job);

/* Cores were given back: soon those are resumed that have theirs. */
void tb_late_resume_look(void);

#endif
