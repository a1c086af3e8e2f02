/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain_room.h - how many bound jobs must end before a plain job has room
 */
#ifndef TB_SELECT_TOPOBIND_ANSWER_PLAIN_ROOM_H
#define TB_SELECT_TOPOBIND_ANSWER_PLAIN_ROOM_H

#include "compat/select_compat.h"

#include "job_ends.h"

/*
 * The fewest of the first ends, of jobs on the test's nodes, with which the nodes have
 * as many CPUs as the job needs, if no other job ran.  Of all bound jobs that nobody
 * preempts: with fewer it cannot start; with as many, perhaps.
 */
uint32_t tb_plain_room_ends(const struct tb_test *test,
			    const struct tb_job_ends *ends);

/*
 * False: now it cannot start, as the jobs that keep their cores from it
 * (tb_ledger_visit_kept()) and that it does not preempt leave it too few CPUs.
 */
bool tb_plain_has_room(const struct tb_test *test);

#endif
