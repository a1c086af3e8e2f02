/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_try.h - can a bound job have its units, when so much is taken
 *
 * These functions try.  What is tried, and what Slurm is told, is decided in
 * job_answer.h, preempt.h and future.h.
 */
#ifndef TB_SELECT_TOPOBIND_ANSWER_JOB_TRY_H
#define TB_SELECT_TOPOBIND_ANSWER_JOB_TRY_H

#include "compat/select_compat.h"
#include "core/request/request.h"

#include "select_topobind/books/ledger.h"

/*
 * In the test's mode (RUN_NOW or WILL_RUN), with the cores that the view leaves
 * free.  Returns what Slurm expects of a job test; on success test->nodes are
 * the chosen ones.
 */
int tb_try_job(const struct tb_test *test, const struct tb_request *request,
	       const struct tb_view *view);
/* The same, but a later start is no success. */
int tb_try_job_now(const struct tb_test *test, const struct tb_request *request,
		   const struct tb_view *view);
/* In mode TEST_ONLY: could idle nodes hold the job? */
int tb_try_job_ever(const struct tb_test *test,
		    const struct tb_request *request);

/* Are there enough units, whatever else the job needs?  Without cons_tres. */
bool tb_units_suffice(const struct tb_test *test,
		      const struct tb_request *request,
		      const struct tb_view *view);

#endif
