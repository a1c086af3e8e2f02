/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_test.h - Slurm asks about a job: the request that counts is found, checked,
 * answered and counted
 */
#ifndef TB_SELECT_TOPOBIND_ANSWER_JOB_TEST_H
#define TB_SELECT_TOPOBIND_ANSWER_JOB_TEST_H

#include "common/conf/conf.h"
#include "compat/select_compat.h"

/* What select_p_job_test returns. */
int tb_job_test(struct tb_test *test, const struct tb_conf *site);

#endif
