/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * expand.h - jobs that are submitted to make another larger (expand:JOBID)
 *
 * Bound jobs are merged only when both have the same binding and the same nodes.
 * With another binding, tasks of the one would not find slots in what the other
 * had.  On other nodes select/cons_tres loses track of cores (seen with 22.05: it
 * gives them to other jobs).  When a merge is refused the job never ends in Slurm,
 * so such a job is refused when it is submitted.  Plain jobs are left to Slurm.
 */
#ifndef TB_SELECT_TOPOBIND_REQUEST_EXPAND_H
#define TB_SELECT_TOPOBIND_REQUEST_EXPAND_H

#include "compat/select_compat.h"

/*
 * Limit the test of a job that shall expand another to the nodes of that one.
 * binding is what its line binding= would say, NULL for none.  SLURM_SUCCESS,
 * also for all other jobs, or SLURM_ERROR: it could not be merged.
 */
int tb_expand_limit(struct tb_test *test, const char *binding);

/* SLURM_SUCCESS, or ESLURM_NOT_SUPPORTED: they must not be merged. */
int tb_expand_may_merge(const job_record_t *from, const job_record_t *to);

#endif
