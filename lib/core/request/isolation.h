/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * isolation.h - which jobs have their CPUs for themselves alone (bisolate)
 *
 * doc/design.md, "Node".
 */
#ifndef TB_CORE_REQUEST_ISOLATION_H
#define TB_CORE_REQUEST_ISOLATION_H

#include "request.h"

/* What a site says of isolated jobs: none, those that ask, all that can be. */
enum tb_isolation { TB_ISOLATE_NO, TB_ISOLATE_ALLOW, TB_ISOLATE_YES };

/*
 * Are the CPUs of a job with a binding to be kept from everything else on the node?
 * When the site says yes, so are those of each job that can be (hard, held by topobind,
 * of whole cores) and does not say no.
 */
bool tb_request_isolates(const struct tb_request *request,
			 enum tb_isolation site);
/* -1 with a sentence when a request asks for it and for what does not go with it. */
int tb_request_check_isolated(const struct tb_request *request,
			      struct tb_error *err);
/* -1 with a sentence when a request asks for it and its site does not allow that. */
int tb_request_check_isolation(const struct tb_request *request,
			       enum tb_isolation site, struct tb_error *err);

#endif
