/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window_nodes.h - nodes on which a job's window can hold a unit at some time
 */
#ifndef TB_SELECT_TOPOBIND_TRY_WINDOW_NODES_H
#define TB_SELECT_TOPOBIND_TRY_WINDOW_NODES_H

#include "compat/select_compat.h"
#include "core/request/request.h"

#include "offers.h"

/*
 * Those of the test's nodes, whatever jobs come to use there.  The caller frees.
 */
bitstr_t *tb_window_nodes(const struct tb_test *test,
			  const struct tb_request *request);

/* To the slots that the request's window can ever hold on each node. */
void tb_window_limit_offers(struct tb_offers *offers,
			    const struct tb_request *request);

#endif
