/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * future.h - when will there be units for a bound job
 */
#ifndef TB_SELECT_TOPOBIND_ANSWER_FUTURE_H
#define TB_SELECT_TOPOBIND_ANSWER_FUTURE_H

#include "compat/select_compat.h"
#include "core/request/request.h"

#include "select_topobind/books/ledger.h"

/*
 * As running jobs end, at their time limits: the first moment at which the job
 * has its units and, by select/cons_tres, memory, GRES and nodes with them.  What
 * has ended in the view has made way before.
 *
 * SLURM_SUCCESS: the job's start_time is that moment, test->nodes are the nodes.
 * SLURM_ERROR: not even when all have ended.
 */
int tb_future_find(const struct tb_test *test, const struct tb_request *request,
		   struct tb_view *view);

#endif
