/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain_json.c - an explanation as JSON; see explain.h */
#include "explain.h"

json_t *tb_explain_when_json(int64_t when)
{
	return when == TB_END_NEVER || when < 0 ? json_null()
						: json_integer(when);
}

static json_t *json_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *json_of_owner(const struct tb_scene *scene, unsigned holder)
{
	const struct tb_owner *owner = &scene->owners[holder];

	return json_pack("{s:o, s:o, s:o}", "job", json_or_null(owner->id),
			 "user", json_or_null(owner->user), "end",
			 tb_explain_when_json(scene->ends[holder]));
}

static json_t *json_of_holds(const struct tb_scene *scene,
			     const struct tb_scene_node *node)
{
	json_t *holds = json_array();

	for (unsigned i = 0; i < node->nholds; i++) {
		const struct tb_hold *hold = &node->holds[i];
		json_t *json = json_of_owner(scene, hold->holder);

		json_object_set_new(json, "units",
				    json_integer(node->held_units[i]));
		json_array_append_new(holds, json);
	}
	return holds;
}

json_t *tb_explain_rows_json(const struct tb_explanation *explanation)
{
	const struct tb_scene *scene = explanation->scene;
	json_t *rows = json_array();

	for (unsigned i = 0; i < explanation->nrows; i++) {
		const struct tb_explain_row *row = &explanation->rows[i];
		const struct tb_scene_node *node = row->node;

		json_array_append_new(rows, json_pack(
			"{s:s, s:b, s:i, s:i, s:i, s:i, s:o, s:o, s:o}",
			"nodes", row->nodes, "required", node->required,
			"free_units", (int)node->free_units,
			"units", (int)node->units,
			"needed_units", (int)tb_scene_needed_units(scene),
			"slots", (int)tb_scene_room(scene, node),
			"closed", json_or_null(node->closed),
			"note", json_or_null(node->note),
			"held_by", json_of_holds(scene, node)));
	}
	return rows;
}

json_t *tb_explain_ended_json(const struct tb_explanation *explanation)
{
	const struct tb_bitset *ended = explanation->ended;
	json_t *jobs = json_array();

	for (unsigned i = tb_bitset_next(ended, 0); i < ended->nbits;
	     i = tb_bitset_next(ended, i + 1))
		json_array_append_new(jobs,
				      json_of_owner(explanation->scene, i));
	return jobs;
}
