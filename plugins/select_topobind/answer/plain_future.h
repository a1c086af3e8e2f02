/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain_future.h - when can a plain job start that bound jobs are in the way of
 */
#ifndef TB_SELECT_TOPOBIND_ANSWER_PLAIN_FUTURE_H
#define TB_SELECT_TOPOBIND_ANSWER_PLAIN_FUTURE_H

#include "compat/select_compat.h"

/*
 * For a test in mode WILL_RUN of a job that cannot start now.  SLURM_SUCCESS: the
 * job's start_time is the first moment at which select/cons_tres can start it
 * without the cores of bound jobs that still run then, test->nodes are the nodes.
 * SLURM_ERROR: not even when all have ended.
 */
int tb_plain_future_find(const struct tb_test *test);

#endif
