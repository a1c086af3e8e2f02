/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_output.c - see map_output.h */
#include <stdio.h>

#include "map_draw.h"
#include "map_markup.h"
#include "map_output.h"

static int print_json(const struct tb_command *command,
		      const struct tb_map *map)
{
	json_t *json = tb_map_to_json(map);
	int rc = tb_command_print_json(command->name, json);

	json_decref(json);
	return rc;
}

static int print_text(const struct tb_command *command,
		      const struct tb_map *map)
{
	struct tb_map_style style =
		tb_map_style_here(tb_color_is_on(command->color));

	return tb_map_draw(map, &style, stdout);
}

int tb_map_print(const struct tb_command *command, const struct tb_map *map,
		 enum tb_map_form form)
{
	int rc = 0;

	switch (form) {
	case TB_MAP_JSON:
		return print_json(command, map);
	case TB_MAP_TEXT:
		rc = print_text(command, map);
		break;
	case TB_MAP_SVG:
		rc = tb_map_svg(map, stdout);
		break;
	case TB_MAP_HTML:
		rc = tb_map_html(map, stdout);
		break;
	}
	return rc ? tb_command_fail(command->name, "out of memory") :
		    TB_EXIT_OK;
}
