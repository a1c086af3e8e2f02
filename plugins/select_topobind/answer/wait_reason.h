/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_reason.h - why a bound job waits, for its Reason
 */
#ifndef TB_SELECT_TOPOBIND_ANSWER_WAIT_REASON_H
#define TB_SELECT_TOPOBIND_ANSWER_WAIT_REASON_H

#include "compat/select_compat.h"
#include "core/request/request.h"

#include "select_topobind/books/ledger.h"
#include "select_topobind/show/metrics.h"

/*
 * One sentence about the units of the test's candidate nodes, such as "no node
 * has 2 free X units: 12 nodes have 1, 3 have 0 (fragmented: 9)".  A node is
 * fragmented when it has as many free cores as the units would take, but in
 * units that are partly used.  For a list of CPUs: on how many nodes they are in
 * use.  Nodes of another shape than btopology asks for are told apart.  Where
 * there are enough units, but too little memory or no GRES with them, the sentence
 * says so.  xmalloc()ed; NULL when the reason is none of these.  *kind, which the
 * caller sets before, becomes the kind of the sentence.
 */
char *tb_explain_wait(const struct tb_test *test,
		      const struct tb_request *request,
		      const struct tb_view *view, enum tb_refusal *kind);

#endif
