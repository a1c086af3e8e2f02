/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reasons.h - why bound jobs wait, kept true while they do
 *
 * A job that could not start has its sentence in SystemComment and as its
 * Reason (show.h).  Slurm's scheduler wipes the latter whenever it has tried the
 * job again, and calls no select plugin afterwards; and when a job begins to
 * wait for something else, as it is held or its nodes are down, it does not
 * look at SystemComment.  A thread puts both right, half a second later at most,
 * with slurmctld's write lock on jobs.  It looks at jobs with a sentence only,
 * and is there only when there was one.
 */
#ifndef TB_SELECT_REASONS_H
#define TB_SELECT_REASONS_H

#include "compat/select_compat.h"

/* Instead of tb_show_waiting(), with slurmctld's write lock on jobs. */
void tb_reasons_tell(job_record_t *job, const char *why);

/* After a restart: nobody waits; a job that has a sentence does. */
void tb_reasons_reset(void);
void tb_reasons_recovered(const job_record_t *job);

/* End the thread; called without locks. */
void tb_reasons_fini(void);

#endif
