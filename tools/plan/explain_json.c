/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain_json.c - an explanation as JSON; see explain.h */
#include "cluster/hosts.h"
#include "explain.h"

json_t *tb_explain_when_json(int64_t when)
{
	return when == TB_END_NEVER || when < 0 ? json_null()
						: json_integer(when);
}

static json_t *json_of_holder(const struct tb_candidates *candidates,
			      unsigned index)
{
	const struct tb_holder *holder = &candidates->holders[index];

	return json_pack("{s:s?, s:s?, s:o}", "job", holder->id, "user",
			 holder->user, "end",
			 tb_explain_when_json(candidates->ends[index]));
}

static json_t *json_of_holds(const struct tb_candidates *candidates,
			     const struct tb_candidate_node *node)
{
	json_t *holds = json_array();

	for (unsigned i = 0; i < node->nholds; i++) {
		const struct tb_holder_job *hold = &node->holds[i];
		json_t *json = json_of_holder(candidates, hold->holder);

		json_object_set_new(json, "units",
				    json_integer(node->held_units[i]));
		json_array_append_new(holds, json);
	}
	return holds;
}

json_t *tb_explain_rows_json(const struct tb_explanation *explanation)
{
	const struct tb_candidates *candidates = explanation->candidates;
	json_t *rows = json_array();

	for (unsigned i = 0; i < explanation->nrows; i++) {
		const struct tb_explain_row *row = &explanation->rows[i];
		const struct tb_candidate_node *node = row->node;

		json_array_append_new(
			rows,
			json_pack("{s:o, s:b, s:i, s:i, s:i, s:i, s:s?, s:s*, s:s?, s:o}",
				  "nodes", tb_hosts_to_json(row->nodes),
				  "required", node->required, "free_units",
				  (int)node->free_units, "units",
				  (int)node->units, "needed_units",
				  (int)tb_candidates_needed_units(candidates,
								  node),
				  "slots",
				  (int)tb_candidates_room(candidates, node),
				  "closed", node->closed, "reserved_by",
				  node->reserved_by, "note", node->note,
				  "held_by", json_of_holds(candidates, node)));
	}
	return rows;
}

json_t *tb_explain_ended_json(const struct tb_explanation *explanation)
{
	const struct tb_bitset *ended = explanation->ended;
	json_t *jobs = json_array();

	TB_BITSET_EACH(i, ended)
		json_array_append_new(jobs,
				      json_of_holder(explanation->candidates,
						     i));
	return jobs;
}

static json_t *json_of_answer(const struct tb_explanation *explanation,
			      bool fits)
{
	return fits && explanation->unknown ? json_null() : json_boolean(fits);
}

json_t *tb_explain_fits_json(const struct tb_explanation *explanation)
{
	return json_of_answer(explanation,
			      explanation->fits && explanation->has_memory);
}

json_t *tb_explain_found_json(const struct tb_explanation *explanation)
{
	return json_of_answer(explanation, explanation->found);
}
