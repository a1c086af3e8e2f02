/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_reason_limits.h - which limit of Slurm's keeps a job from free units
 */
#ifndef TB_SELECT_TOPOBIND_ANSWER_WAIT_REASON_LIMITS_H
#define TB_SELECT_TOPOBIND_ANSWER_WAIT_REASON_LIMITS_H

#include "compat/select_compat.h"

#include "select_topobind/try/offers.h"

/*
 * The sentence for a job that does not start on any of these offers because of
 * --switches, or of the MaxCPUsPerNode of its partition.  xmalloc()ed; NULL: it is
 * neither.  Looks at all jobs of a partition that has such a limit.
 */
char *tb_explain_limits(const struct tb_offers *offers,
			const struct tb_test *test);

#endif
