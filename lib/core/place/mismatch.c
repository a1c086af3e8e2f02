/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mismatch.h"

int tb_find_mismatch(const struct tb_topology *topology,
		     const struct tb_request *request)
{
	if (!tb_request_matches(request, topology))
		return TB_PLACE_TOPOLOGY_MISMATCH;
	if (request->filter && !tb_filter_matches(request->filter, topology))
		return TB_PLACE_FILTER_MISMATCH;
	return 0;
}
