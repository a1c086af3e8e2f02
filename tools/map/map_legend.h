/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map_legend.h - symbols, colours and legend of a map
 */
#ifndef TB_TOOLS_MAP_MAP_LEGEND_H
#define TB_TOOLS_MAP_MAP_LEGEND_H

#include <stdint.h>
#include <stdio.h>

#include "map_draw.h"

/*
 * The character that stands for the holder of a thread: "." free, "-" free but
 * filtered, "~" free but reserved, a capital letter or digit for each bound job, a
 * small letter for each soft-bound one (letters take turns), "#" for plain jobs, "&"
 * where several jobs share.
 */
char tb_holder_symbol(const struct tb_map *map, int holder);

/*
 * Its colour for tb_color_print(); -1: none.  Black can be read on all of them.
 * The same as red << 16 | green << 8 | blue.
 */
int tb_holder_color(int holder);
unsigned tb_color_rgb(int color);

/* "N NUMA node, S socket": the letters of boxes that occur.  False: none does. */
bool tb_legend_boxes(const struct tb_map *map, FILE *out);

/* Has any thread this holder? */
bool tb_holder_occurs(const struct tb_map *map, int holder);

/* The colours of jobs, which take turns: tb_holder_color() of the first ones. */
#define TB_JOB_COLORS 24

/* Switch to a colour, or with -1 back to normal. */
void tb_color_print(int color, FILE *out);

/* "2-03:04:05", "1:02:03"; malloc()ed, NULL when out of memory. */
char *tb_duration_print(int64_t seconds);

/*
 * The symbols that occur and what they mean, the jobs, and those that wait.  -1: no
 * memory.
 */
int tb_legend_draw(const struct tb_map *map, const struct tb_map_style *style,
		   FILE *out);

#endif
