/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain_job.h - select_p_job_test for jobs without a binding
 *
 * A plain job is select/cons_tres' business.  topobind only keeps it off granted
 * units where jobs may share cores, and offers nodes in the order of a policy.
 */
#ifndef TB_SELECT_TOPOBIND_ANSWER_PLAIN_JOB_H
#define TB_SELECT_TOPOBIND_ANSWER_PLAIN_JOB_H

#include "compat/select_compat.h"

/* What Slurm expects of select_p_job_test. */
int tb_test_plain_job(const struct tb_test *test);

#endif
