/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map_output.h - a map in the form that the command line asks for
 */
#ifndef TB_TOOLS_MAP_MAP_OUTPUT_H
#define TB_TOOLS_MAP_MAP_OUTPUT_H

#include "command.h"
#include "map.h"

enum tb_map_form {
	TB_MAP_TEXT, /* map_draw.h */
	TB_MAP_JSON, /* map.h */
	TB_MAP_SVG,  /* map_markup.h, and the following */
	TB_MAP_HTML,
	TB_MAP_LSTOPO, /* map_lstopo.h */
};

struct tb_map_output {
	enum tb_map_form form;
	const char *xml; /* for TB_MAP_LSTOPO: the machine; NULL: this one */
};

/*
 * The letters 'j' --json, 's' --svg, 't' --html and 'l' --lstopo for a form,
 * of which one at most is given.  -1 with a sentence.
 */
int tb_map_take_form(struct tb_map_output *output, int option,
		     struct tb_error *err);

/* To stdout; an exit code. */
int tb_map_print(const struct tb_command *command, const struct tb_map *map,
		 const struct tb_map_output *output);

#endif
