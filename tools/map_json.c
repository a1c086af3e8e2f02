/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_json.c - a map as JSON and back; see map.h */
#include <stdlib.h>

#include "map.h"

static json_t *json_of_node(const struct tb_map_node *node)
{
	char *topology = NULL, *inuse = NULL;
	json_t *json;

	if (node->topology) {
		topology = tb_topology_print(node->topology, NULL);
		inuse = tb_topology_print(node->topology, node->inuse);
	}
	json = json_pack("{s:s, s:s*, s:s*}", "name", node->name,
			 "topology", topology, "inuse", inuse);
	free(topology);
	free(inuse);
	return json;
}

static json_t *json_of_job(const struct tb_map_job *job)
{
	json_t *grants = json_array();

	for (unsigned i = 0; i < job->ngrants; i++)
		json_array_append_new(grants,
			json_pack("{s:s, s:s}", "nodes", job->grants[i].nodes,
				  "topology", job->grants[i].string));
	return json_pack("{s:s, s:s, s:s, s:s, s:o}", "id", job->id,
			 "user", job->user, "name", job->name,
			 "request", job->request, "grants", grants);
}

json_t *tb_map_to_json(const struct tb_map *map)
{
	json_t *nodes = json_array(), *jobs = json_array();

	for (unsigned i = 0; i < map->nnodes; i++)
		json_array_append_new(nodes, json_of_node(&map->nodes[i]));
	for (unsigned i = 0; i < map->njobs; i++)
		json_array_append_new(jobs, json_of_job(&map->jobs[i]));
	return json_pack("{s:o, s:o}", "nodes", nodes, "jobs", jobs);
}

static int add_node(struct tb_map *map, json_t *json, struct tb_error *err)
{
	const char *name, *topology = NULL, *inuse = NULL;
	json_error_t why;

	if (json_unpack_ex(json, &why, 0, "{s:s, s?s, s?s}", "name", &name,
			   "topology", &topology, "inuse", &inuse))
		return tb_fail(err, "a node of the map is not as it should be: %s",
			       why.text);
	return tb_map_add_node(map, name, topology, inuse, err);
}

static int add_job(struct tb_map *map, json_t *json, struct tb_error *err)
{
	const char *id, *user, *name, *request, *nodes, *string;
	json_t *grants, *grant;
	json_error_t why;
	size_t i;
	int job;

	if (json_unpack_ex(json, &why, 0, "{s:s, s:s, s:s, s:s, s:o}",
			   "id", &id, "user", &user, "name", &name,
			   "request", &request, "grants", &grants))
		return tb_fail(err, "a job of the map is not as it should be: %s",
			       why.text);
	job = tb_map_add_job(map, id, user, name, request, err);
	if (job < 0)
		return -1;
	json_array_foreach(grants, i, grant) {
		if (json_unpack_ex(grant, &why, 0, "{s:s, s:s}",
				   "nodes", &nodes, "topology", &string))
			return tb_fail(err, "a grant of the map is not as it should be: %s",
				       why.text);
		if (tb_map_add_grant(map, job, nodes, string, err))
			return -1;
	}
	return 0;
}

struct tb_map *tb_map_of_json(const json_t *json, struct tb_error *err)
{
	json_t *nodes = json_object_get(json, "nodes");
	json_t *jobs = json_object_get(json, "jobs");
	struct tb_map *map = tb_map_create();
	json_t *item;
	size_t i;

	if (!map) {
		tb_fail(err, "out of memory while making the map");
		return NULL;
	}
	if (!json_is_array(nodes) || !json_is_array(jobs)) {
		tb_fail(err, "the map must be a JSON object with the arrays \"nodes\" and \"jobs\"");
		goto fail;
	}
	json_array_foreach(nodes, i, item)
		if (add_node(map, item, err))
			goto fail;
	json_array_foreach(jobs, i, item)
		if (add_job(map, item, err))
			goto fail;
	return map;

fail:
	tb_map_destroy(map);
	return NULL;
}
