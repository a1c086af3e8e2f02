/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_json.c - a report for programs */
#include <stdlib.h>

#include "report.h"
#include "terminal/utf8.h"

/* ---- jobs and nodes ---- */

static json_t *json_of_locality(const struct tb_locality *of)
{
	return json_pack("{s:i, s:i, s:i, s:i, s:f}", "touched",
			 (int)of->touched, "fewest", (int)of->fewest, "shared",
			 (int)of->shared, "strangers", (int)of->strangers,
			 "locality", tb_locality_score(of));
}

static json_t *json_of_share(const struct tb_report_share *share)
{
	json_t *units = json_object();

	for (unsigned kind = 0; kind < TB_REPORT_KINDS; kind++)
		json_object_set_new(units, tb_report_kinds[kind].name,
				    json_of_locality(&share->of[kind]));
	return json_pack("{s:i, s:o}", "cores", (int)share->cores, "units",
			 units);
}

static void set_new_string(json_t *json, const char *key, char *text)
{
	json_object_set_new(json, key, json_string(text ? text : ""));
	free(text);
}

/* Without its cores where nobody can tell all of them. */
static json_t *json_of_job(const struct tb_report_job *job)
{
	json_t *json = job->scored ? json_of_share(&job->all) : json_object();

	set_new_string(json, "job", tb_cluster_job_id(job->info));
	set_new_string(json, "user", tb_cluster_job_user(job->info));
	set_new_string(json, "name",
		       tb_utf8_copy(job->info->name ? job->info->name : ""));
	json_object_set_new(json, "scored", json_boolean(job->scored));
	json_object_set_new(json, "nodes", json_array());
	return json;
}

static json_t *json_of_node(const struct tb_report_node *node)
{
	json_t *json = json_pack("{s:s, s:s?}", "node", node->view->info->name,
				 "topology", node->topology);

	if (node->topology)
		json_object_update_new(json,
				       json_pack("{s:i, s:i}", "containers",
						 (int)node->containers,
						 "broken", (int)node->broken));
	return json;
}

static void add_rows(const struct tb_report *report, json_t *json)
{
	json_t *jobs = json_array(), *nodes = json_array();

	for (unsigned i = 0; i < report->njobs; i++)
		json_array_append_new(jobs, json_of_job(&report->jobs[i]));
	for (unsigned i = 0; i < report->nnodes; i++)
		json_array_append_new(nodes, json_of_node(&report->nodes[i]));
	for (unsigned i = 0; i < report->nparts; i++) {
		const struct tb_report_part *part = &report->parts[i];
		json_t *has = json_of_share(&part->has);

		json_object_set(has, "node",
				json_object_get(json_array_get(nodes,
							       part->node),
						"node"));
		json_array_append_new(json_object_get(json_array_get(jobs,
								     part->job),
						      "nodes"),
				      has);
	}
	json_object_set_new(json, "jobs", jobs);
	json_object_set_new(json, "nodes", nodes);
}

/* ---- totals ---- */

static json_t *json_of_worst(const struct tb_report_job *job, unsigned kind)
{
	json_t *json = json_of_locality(&job->all.of[kind]);

	set_new_string(json, "job", tb_cluster_job_id(job->info));
	set_new_string(json, "user", tb_cluster_job_user(job->info));
	return json;
}

static json_t *json_of_total(const struct tb_report *report, unsigned kind)
{
	const struct tb_report_total *total = &report->totals[kind];
	json_t *json = json_pack("{s:i, s:i, s:I, s:I, s:f}", "spanning",
				 (int)total->spanning, "sharing",
				 (int)total->sharing, "touched",
				 (json_int_t)total->touched, "fewest",
				 (json_int_t)total->fewest, "locality",
				 tb_report_locality(report, kind));

	if (total->worst >= 0)
		json_object_set_new(json, "worst",
				    json_of_worst(&report->jobs[total->worst],
						  kind));
	return json;
}

static json_t *json_of_totals(const struct tb_report *report)
{
	json_t *units = json_object();

	for (unsigned kind = 0; kind < TB_REPORT_KINDS; kind++)
		json_object_set_new(units, tb_report_kinds[kind].name,
				    json_of_total(report, kind));
	return json_pack("{s:i, s:i, s:i, s:i, s:I, s:I, s:o}", "jobs",
			 (int)report->njobs, "scored", (int)report->scored,
			 "nodes", (int)report->nnodes, "known_nodes",
			 (int)report->known, "containers",
			 (json_int_t)report->containers, "broken",
			 (json_int_t)report->broken, "units", units);
}

json_t *tb_report_to_json(const struct tb_report *report, bool with_rows)
{
	json_t *json = json_pack("{s:I, s:o}", "time", (json_int_t)report->time,
				 "totals", json_of_totals(report));

	if (json && with_rows)
		add_rows(report, json);
	return json;
}
