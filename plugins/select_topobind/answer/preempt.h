/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preempt.h - which jobs make way for a bound job, or for a plain one
 *
 * Slurm says who may be preempted.  select/cons_tres alone would choose among
 * them by counting cores; here exactly those are chosen whose units are needed,
 * or whose cores a plain job needs where it may share cores, but not with bound
 * jobs.
 */
#ifndef TB_SELECT_TOPOBIND_ANSWER_PREEMPT_H
#define TB_SELECT_TOPOBIND_ANSWER_PREEMPT_H

#include "compat/select_compat.h"
#include "core/request/request.h"

#include "select_topobind/books/ledger.h"

/*
 * Choose among test->preemptees the jobs to preempt, so that this job can start
 * now.  Each of them is needed (but see PREEMPT_TRIES_MAX).  Jobs that are being
 * preempted already come first, then those whose units the fewest jobs share.
 *
 * The caller destroys the list.  test->nodes are then the chosen nodes, and in
 * the view the chosen jobs have ended.  NULL: the job does not fit even when all
 * of test->preemptees have ended; in the view all of them have ended then.
 */
list_t *tb_preempt_choose(const struct tb_test *test,
			  const struct tb_request *request,
			  struct tb_view *view);

/*
 * The same for a plain job; the order is Slurm's, except that jobs that are being
 * preempted already come first.  try_plain tries the job in mode WILL_RUN as if
 * the preemptees of the test it is given had ended; a later start is no success.
 */
typedef int (*tb_preempt_try)(const struct tb_test *test);
list_t *tb_preempt_choose_for_plain(const struct tb_test *test,
				    tb_preempt_try try_plain);

/*
 * Does one of them have to end, rather than to be suspended?  Then the job is
 * given nothing before that one is gone.
 */
bool tb_preempt_must_end(list_t *preemptees);

/*
 * Put into *test->preempted the jobs that Slurm has to preempt.  To start a job:
 * those that have to end; the others follow when Slurm asks the next time.  When
 * all are to be suspended: none, as the gang scheduler does that by itself.  When
 * the question was when: all of them.
 */
void tb_preempt_tell(const struct tb_test *test, list_t *preemptees);

#endif
