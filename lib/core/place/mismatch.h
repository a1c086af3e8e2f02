/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mismatch.h - requests that are for another shape of node
 */
#ifndef TB_CORE_PLACE_MISMATCH_H
#define TB_CORE_PLACE_MISMATCH_H

#include "core/request/request.h"
#include "core/topology/topology.h"

#define TB_PLACE_FILTER_MISMATCH (-1)
#define TB_PLACE_TOPOLOGY_MISMATCH (-2)

/*
 * Is the request (btopology), or its filter, for another shape of node?  0, or
 * which of them.
 */
int tb_find_mismatch(const struct tb_topology *topology,
		     const struct tb_request *request);

#endif
