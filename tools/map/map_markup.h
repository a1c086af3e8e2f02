/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map_markup.h - a map as a picture (SVG) or as a page (HTML)
 *
 * Both are whole files that need nothing else.  What users chose, names of jobs
 * and their own, is text in them and never markup.
 */
#ifndef TB_TOOLS_MAP_MAP_MARKUP_H
#define TB_TOOLS_MAP_MAP_MARKUP_H

#include <stdio.h>

#include "map.h"

/* -1 when out of memory. */
int tb_map_svg(const struct tb_map *map, FILE *out);
int tb_map_html(const struct tb_map *map, FILE *out);

#endif
