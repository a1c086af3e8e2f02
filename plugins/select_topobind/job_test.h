/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_test.h - select_p_job_test for bound and for plain jobs
 *
 * Both return what Slurm expects of select_p_job_test.  A plain job is
 * select/cons_tres' business; topobind only keeps it off granted units where
 * jobs may share cores, and offers nodes in the order of a policy.
 */
#ifndef TB_SELECT_JOB_TEST_H
#define TB_SELECT_JOB_TEST_H

#include "compat/select_compat.h"
#include "core/request.h"

#include "ledger.h"

int tb_test_bound_job(const struct tb_test *test,
		      const struct tb_request *request);
/*
 * In the test's mode, with what the view leaves free.  Pass 1 and, where there
 * is an allocation, pass 2.  On success test->nodes are the chosen ones.
 */
int tb_test_view(const struct tb_test *test, const struct tb_request *request,
		 const struct tb_view *view);
/* The same; when the question is when, only now is an answer. */
int tb_test_view_now(const struct tb_test *test,
		     const struct tb_request *request,
		     const struct tb_view *view);
/* Are the units there, whatever else the job needs?  Without cons_tres. */
bool tb_units_suffice(const struct tb_test *test,
		      const struct tb_request *request,
		      const struct tb_view *view);
int tb_test_plain_job(const struct tb_test *test);

#endif
