/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place_why.h - topobind place --why: why a slot got its units
 */
#ifndef TB_TOOLS_PLACE_PLACE_WHY_H
#define TB_TOOLS_PLACE_PLACE_WHY_H

#include <jansson.h>

#include "place.h"

/*
 * Print which containers were looked at for the first slot, and what decided.  The
 * slot, which fits, is placed again for this.  -1 when out of memory.
 */
int tb_print_why(const struct tb_offline_node *node,
		 const struct tb_request *request);

/* The same for programs; NULL when out of memory. */
json_t *tb_why_json(const struct tb_offline_node *node,
		    const struct tb_request *request);

#endif
