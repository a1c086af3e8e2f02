/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * expand.h - jobs that are submitted to make another larger (expand:JOBID)
 *
 * Bound jobs are merged when both have the same binding, or tasks of the one
 * would not find slots in what the other had, and the same nodes: select/cons_tres
 * loses track of cores when it merges jobs on different nodes (seen with 22.05:
 * it gives them to others).  Slurm is not prepared for a merge that is refused
 * (the job never ends), so such a job is refused when it is submitted.  Plain
 * jobs are Slurm's alone.
 */
#ifndef TB_SELECT_EXPAND_H
#define TB_SELECT_EXPAND_H

#include "compat/select_compat.h"

/*
 * Limit the test of a job that is to expand another to the nodes of that one.
 * binding is what its line binding= would say, NULL for none.  SLURM_SUCCESS,
 * also for all other jobs, or SLURM_ERROR: it could not be merged.
 */
int tb_expand_limit(struct tb_test *test, const char *binding);

/* SLURM_SUCCESS, or ESLURM_NOT_SUPPORTED: they must not be merged. */
int tb_expand_may_merge(const job_record_t *from, const job_record_t *to);

#endif
