/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain_try.h - can a plain job start, when so many bound jobs are gone
 *
 * Where jobs may share cores select/cons_tres would give a plain job the cores of
 * bound ones too.  These are hidden from it.
 */
#ifndef TB_SELECT_TOPOBIND_ANSWER_PLAIN_TRY_H
#define TB_SELECT_TOPOBIND_ANSWER_PLAIN_TRY_H

#include "compat/select_compat.h"

/*
 * select/cons_tres' answer in the test's mode, with the cores of all bound jobs
 * hidden, except those of the jobs in gone (may be NULL).  A heterogeneous job is
 * in gone by its leader.
 */
int tb_plain_try(const struct tb_test *test, list_t *gone);

/*
 * The same about a start in the future.  Candidates on which nothing is left are no
 * candidates then, unless the job requires them.
 */
int tb_plain_try_some_nodes(const struct tb_test *test, list_t *gone);

/* The first in mode WILL_RUN or RUN_NOW, but a later start is no success. */
int tb_plain_try_now(const struct tb_test *test, list_t *gone);

#endif
