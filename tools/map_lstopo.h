/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map_lstopo.h - a node of a map as XML that lstopo draws
 */
#ifndef TB_TOOLS_MAP_LSTOPO_H
#define TB_TOOLS_MAP_LSTOPO_H

#include "map.h"

/* Where hwloc has the node's machine from: both NULL: it is this one. */
struct tb_map_machine {
	const char *xml, *synthetic;
};

/*
 * To stdout.  -1 with a sentence: there is not just one node with a topology in
 * the map, the machine cannot be loaded or has another one, or hwloc fails.
 */
int tb_map_lstopo(const struct tb_map *map,
		  const struct tb_map_machine *machine, struct tb_error *err);

#endif
