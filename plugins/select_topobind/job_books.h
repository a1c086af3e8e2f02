/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_books.h - what a job holds, in all books that are kept of jobs
 *
 * Its cores (ledger.h), those that it shares (sharing.h), its memory (memory_books.h),
 * what it consumes and what is learned of it (order/), and what its nodes show of it.
 * Under slurmctld's write locks on jobs and nodes.
 */
#ifndef TB_SELECT_TOPOBIND_JOB_BOOKS_H
#define TB_SELECT_TOPOBIND_JOB_BOOKS_H

#include "common/conf/conf.h"
#include "compat/select_compat.h"

/*
 * A job that an administrator suspended has priority 0 and has given its cores
 * back.  One that the gang scheduler suspended still has them.
 */
bool tb_job_books_hold_cores(const job_record_t *job);
/*
 * May a job that does not hold its cores have them back?  Not where others have them
 * that do not share them with it.
 */
bool tb_job_books_may_return(const job_record_t *job);

/* It holds what its allocation has. */
void tb_job_books_put(job_record_t *job);
/* Its memory alone.  A suspended job has it, whoever suspended it. */
void tb_job_books_put_memory(const job_record_t *job);
/* It gives back its cores, and keeps its memory. */
void tb_job_books_remove(job_record_t *job);

/* All anew, from the list of jobs. */
void tb_job_books_rebuild(const struct tb_conf *site);

#endif
