/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_reason_limits.h - which limit of Slurm's keeps a job from free units
 *
 * Sentences for a job that could not start; xmalloc()ed.
 */
#ifndef TB_SELECT_TOPOBIND_ANSWER_WAIT_REASON_LIMITS_H
#define TB_SELECT_TOPOBIND_ANSWER_WAIT_REASON_LIMITS_H

#include "compat/select_compat.h"

/* MaxCPUsPerNode of its partition (try/partition_limit.h) does. */
char *tb_explain_partition_limit(const struct tb_test *test);
/*
 * There are enough slots, and memory: is it MaxCPUsPerSocket, which only
 * select/cons_tres counts?  NULL: it is something else.
 */
char *tb_explain_socket_limit(const struct tb_test *test);
/* There are enough slots: is it --switches?  NULL: it is something else. */
char *tb_explain_switches(const struct tb_test *test);

#endif
