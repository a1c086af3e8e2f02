/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kept_placements.h - placements that are remembered from one question to the next
 *
 * A scheduler asks about many jobs that want the same, again and again, while few
 * nodes change.  What was placed for such a request on a node in some state is looked
 * up when it is asked for again, by this job or another.  Nothing becomes old: all
 * that a placement depends on is in the key (make_key() in offer_placement.c), or here, or
 * makes tb_kept_placements_forget() necessary.
 */
#ifndef TB_SELECT_TOPOBIND_TRY_KEPT_PLACEMENTS_H
#define TB_SELECT_TOPOBIND_TRY_KEPT_PLACEMENTS_H

#include "compat/select_compat.h"
#include "core/base/memo.h"
#include "core/request/request.h"

/*
 * Values of struct tb_placed for the plain request, until
 * tb_kept_placements_end_question(); NULL when out of memory.
 */
struct tb_memo *tb_kept_placements(const struct tb_test *test,
				   const struct tb_request *request);

/*
 * Nobody has one in his hands: what need not, or cannot, be kept goes.  In bytes what
 * is kept is bounded, however many nodes and requests there are.
 */
void tb_kept_placements_end_question(void);

/* All of them: the configuration is read again, or this is the end. */
void tb_kept_placements_forget(void);

#endif
