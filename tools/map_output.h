/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map_output.h - a map in the form that the command line asks for
 */
#ifndef TB_TOOLS_MAP_OUTPUT_H
#define TB_TOOLS_MAP_OUTPUT_H

#include "command.h"
#include "map.h"

enum tb_map_form {
	TB_MAP_TEXT, /* map_draw.h */
	TB_MAP_JSON, /* map.h */
	TB_MAP_SVG,  /* map_markup.h, and the following */
	TB_MAP_HTML,
};

/* To stdout; an exit code. */
int tb_map_print(const struct tb_command *command, const struct tb_map *map,
		 enum tb_map_form form);

#endif
