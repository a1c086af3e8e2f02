/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map_draw.h - a map as text
 *
 *	n1: 2 of 4 cores and 3 of 8 threads in use
 *	+-N0 S0 X0+
 *	|AA a.    |
 *	|.. ..    |
 *	+---------+
 *
 * A box for each object (map_layout.h).  In it a group of characters is a core,
 * a character a thread, as map_legend.h has them; "'" follows an efficiency
 * core.
 */
#ifndef TB_TOOLS_MAP_MAP_DRAW_H
#define TB_TOOLS_MAP_MAP_DRAW_H

#include <stdbool.h>
#include <stdio.h>

#include "map.h"

struct tb_map_style {
	unsigned width; /* columns */
	bool color;	/* ANSI, 256 colours */
	bool utf8;	/* lines are drawn with more than ASCII */
};

/* For stdout: as wide as it is, with what its locale has. */
struct tb_map_style tb_map_style_here(bool color);

/* Draw all nodes and the legend.  -1 when out of memory. */
int tb_map_draw(const struct tb_map *map, const struct tb_map_style *style,
		FILE *out);

/* How many cores and threads of a node are in use. */
void tb_map_count_busy(const struct tb_map_node *node, unsigned *cores,
		       unsigned *threads);

#endif
