/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_output.c - see map_output.h */
#include <stdio.h>

#include "map_draw.h"
#include "map_lstopo.h"
#include "map_markup.h"
#include "map_output.h"

static int print_map_json(const struct tb_command *command,
			  const struct tb_map *map)
{
	json_t *json = tb_map_to_json(map);
	int rc = tb_command_print_json(command->name, json);

	json_decref(json);
	return rc;
}

static int print_map_text(const struct tb_command *command,
			  const struct tb_map *map)
{
	struct tb_map_style style = tb_map_style_here(
		tb_color_is_on(command->color));

	return tb_map_draw(map, &style, stdout);
}

static enum tb_map_form find_form(int option)
{
	switch (option) {
	case 'j':
		return TB_MAP_JSON;
	case 's':
		return TB_MAP_SVG;
	case 't':
		return TB_MAP_HTML;
	default:
		return TB_MAP_LSTOPO;
	}
}

int tb_map_take_form(struct tb_map_output *output, int option,
		     struct tb_error *err)
{
	enum tb_map_form form = find_form(option);

	if (output->form != TB_MAP_TEXT && output->form != form)
		return tb_fail(
			err,
			"--json, --svg, --html and --lstopo exclude each other, give one of them");
	output->form = form;
	return 0;
}

int tb_map_print(const struct tb_command *command, const struct tb_map *map,
		 const struct tb_map_output *output)
{
	struct tb_error err = { "out of memory" };
	int rc = 0;

	switch (output->form) {
	case TB_MAP_JSON:
		return print_map_json(command, map);
	case TB_MAP_TEXT:
		rc = print_map_text(command, map);
		break;
	case TB_MAP_SVG:
		rc = tb_map_svg(map, stdout);
		break;
	case TB_MAP_HTML:
		rc = tb_map_html(map, stdout);
		break;
	case TB_MAP_LSTOPO:
		rc = tb_map_lstopo(map, output->xml, &err);
		break;
	}
	return rc ? tb_command_fail(command->name, "%s", err.text) : TB_EXIT_OK;
}
