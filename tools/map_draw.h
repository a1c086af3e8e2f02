/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map_draw.h - a map as text
 *
 *	n1: 3 of 8 cores and 6 of 16 threads in use
 *	S0 X0  [AA AA] [.. ..]
 *	   X1  [## ..] [.. ..]
 *
 * A line per L3 cache, or per socket or NUMA node where there is none.  A cell
 * is a core, a character in it a thread: "." free, "#" held by jobs without a
 * binding, "&" shared by several bound jobs, else the letter or digit of the
 * bound job that holds it ("*" when there are more jobs than those).  Cores in
 * one pair of brackets share an L2 cache; "'" follows an efficiency core.
 */
#ifndef TB_TOOLS_MAP_DRAW_H
#define TB_TOOLS_MAP_DRAW_H

#include <stdbool.h>
#include <stdio.h>

#include "map.h"

struct tb_map_style {
	unsigned width; /* columns */
	bool color;     /* ANSI, 256 colours */
};

/* Draw all nodes and the legend.  -1 when out of memory. */
int tb_map_draw(const struct tb_map *map, const struct tb_map_style *style,
		FILE *out);

#endif
