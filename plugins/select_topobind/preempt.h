/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preempt.h - which jobs make way for a bound job
 *
 * Slurm says who may be preempted.  select/cons_tres alone would choose among
 * them by counting cores; here exactly those are chosen whose units are needed.
 */
#ifndef TB_SELECT_PREEMPT_H
#define TB_SELECT_PREEMPT_H

#include "compat/select_compat.h"
#include "core/request.h"

#include "ledger.h"

/*
 * The jobs out of test->preemptees that have to make way for this one to start
 * now.  Without any one of them it would not fit (but see PREEMPT_TRIES_MAX),
 * and the fewer jobs hold a unit, the sooner it is taken.  Jobs that are on
 * their way out already come first.
 *
 * The caller destroys the list.  test->nodes are then the chosen nodes, and in
 * the view the victims have ended.  NULL when it would not fit with all of them
 * gone; all of them have ended in the view then.
 */
list_t *tb_preempt_choose(const struct tb_test *test,
		       const struct tb_request *request, struct tb_view *view);

/*
 * Is there one that is ended, not suspended?  The job is given nothing before
 * it is gone.
 */
bool tb_preempt_must_end(list_t *victims);

/*
 * Put into *test->preempted what Slurm has to do: when jobs have to end those,
 * the others when Slurm asks the next time; when all are suspended nothing, as
 * the gang scheduler does it by itself.  All of them when the question was when.
 */
void tb_preempt_tell(const struct tb_test *test, list_t *victims);

#endif
