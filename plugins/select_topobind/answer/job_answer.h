/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_answer.h - select_p_job_test for bound jobs: ever, now or when
 */
#ifndef TB_SELECT_TOPOBIND_ANSWER_JOB_ANSWER_H
#define TB_SELECT_TOPOBIND_ANSWER_JOB_ANSWER_H

#include "compat/select_compat.h"
#include "core/request/request.h"

/*
 * What Slurm expects of select_p_job_test, for a job with a binding
 * (doc/design.md, "Controller").  A job that waits for units is told why.
 */
int tb_test_bound_job(const struct tb_test *test,
		      const struct tb_request *request);

#endif
