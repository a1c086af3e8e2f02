/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prefer.h - the features of nodes that a request prefers (--bprefer)
 */
#ifndef TB_CORE_REQUEST_PREFER_H
#define TB_CORE_REQUEST_PREFER_H

#include "request.h"

/*
 * Is each feature of the request one that some node can have, by is_known(name, arg)?
 * -1 with a sentence about the first one that is not.
 */
int tb_request_check_features(const struct tb_request *request,
			      bool (*is_known)(const char *name, void *arg),
			      void *arg, struct tb_error *err);

#endif
