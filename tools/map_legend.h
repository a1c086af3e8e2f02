/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map_legend.h - symbols, colours and legend of a map
 */
#ifndef TB_TOOLS_MAP_LEGEND_H
#define TB_TOOLS_MAP_LEGEND_H

#include <stdio.h>

#include "map_draw.h"

/* The character that stands for the holder of a thread. */
char tb_holder_symbol(int holder);

/* Its colour for tb_color_print(); -1: none. */
int tb_holder_color(int holder);

/* Switch to a colour, or with -1 back to normal. */
void tb_color_print(int color, FILE *out);

/*
 * Print text that users chose: what is not printable ASCII becomes "?".  With
 * a width it is cut or filled to that many columns.
 */
void tb_text_print(const char *text, unsigned width, FILE *out);

/* The symbols that occur and what they mean, and the jobs.  -1: no memory. */
int tb_legend_draw(const struct tb_map *map, const struct tb_map_style *style,
		   FILE *out);

#endif
