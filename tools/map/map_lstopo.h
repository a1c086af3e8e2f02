/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map_lstopo.h - a node of a map as XML that lstopo draws
 */
#ifndef TB_TOOLS_MAP_MAP_LSTOPO_H
#define TB_TOOLS_MAP_MAP_LSTOPO_H

#include "map.h"

/*
 * To stdout.  xml: what lstopo wrote on the node, NULL: it is this machine.  -1
 * with a sentence: there is not just one node with a topology in the map, the
 * machine cannot be loaded or has another one, or hwloc fails.
 */
int tb_map_lstopo(const struct tb_map *map, const char *xml,
		  struct tb_error *err);

#endif
