/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain_memory.h - does a bound job wait for memory only
 */
#ifndef TB_SELECT_EXPLAIN_MEMORY_H
#define TB_SELECT_EXPLAIN_MEMORY_H

#include "compat/select_compat.h"
#include "core/request.h"

#include "ledger.h"

/*
 * One sentence when the job would start if it asked for next to no memory.  One
 * test more, so only to be asked when units are not the reason.  xmalloc()ed;
 * NULL when memory is not it either.
 */
char *tb_explain_memory(const struct tb_test *test,
			const struct tb_request *request,
			const struct tb_view *view);

#endif
