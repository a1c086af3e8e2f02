/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_reason_devices.h - why a bound job waits when its units must be near devices
 */
#ifndef TB_SELECT_TOPOBIND_ANSWER_WAIT_REASON_DEVICES_H
#define TB_SELECT_TOPOBIND_ANSWER_WAIT_REASON_DEVICES_H

#include "compat/select_compat.h"
#include "core/request/request.h"

#include "select_topobind/books/ledger.h"

/*
 * One sentence when units are free, but not near free devices.  xmalloc()ed;
 * NULL when that is not the reason.
 */
char *tb_explain_devices(const struct tb_test *test,
			 const struct tb_request *request,
			 const struct tb_view *view);

#endif
