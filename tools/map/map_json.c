/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_json.c - a map as JSON and back; see map.h */
#include <stdlib.h>
#include <string.h>

#include "cluster/hosts.h"
#include "map.h"

static json_t *json_of_node(const struct tb_map_node *node)
{
	char *topology = NULL, *inuse = NULL, *filtered = NULL;
	char *reserved = NULL;
	json_t *json;

	if (node->topology) {
		topology = tb_topology_print(node->topology, NULL);
		inuse = tb_topology_print(node->topology, node->inuse);
	}
	if (node->filtered)
		filtered = tb_topology_print(node->topology, node->filtered);
	if (node->reserved)
		reserved = tb_topology_print(node->topology, node->reserved);
	json = json_pack("{s:s, s:s*, s:s*, s:s*, s:s*, s:s*, s:s*}", "node",
			 node->name, "topology", topology, "inuse", inuse,
			 "filtered", filtered, "reserved", reserved, "state",
			 node->state, "reason", node->reason);
	if (node->memory.count)
		json_object_set_new(json, "numa_memory",
				    tb_node_memory_to_json(&node->memory));
	free(topology);
	free(inuse);
	free(filtered);
	free(reserved);
	return json;
}

static json_t *json_of_job(const struct tb_map_job *job)
{
	json_t *granted = json_array();

	for (unsigned i = 0; i < job->ngrants; i++)
		json_array_append_new(granted,
				      json_pack("{s:o, s:s}", "nodes",
						tb_hosts_to_json(
							job->grants[i].nodes),
						"topology",
						job->grants[i].string));
	return json_pack("{s:s, s:s, s:s, s:o*, s:s, s:s, s:o*, s:o, s:[]}",
			 "job", job->id, "user", job->user, "name", job->name,
			 "task", job->task < 0 ? NULL : json_integer(job->task),
			 "kind", tb_map_kind_name(job->kind), "request",
			 job->request, "end",
			 job->end ? json_integer(job->end) : NULL, "grants",
			 granted, "holds");
}

/* What each job has of a node, to the arrays of the jobs. */
static void add_holds(json_t *jobs, const struct tb_map_node *node)
{
	for (unsigned i = 0; i < node->njobs; i++) {
		const struct tb_map_job_threads *has = &node->jobs[i];
		json_t *job = json_array_get(jobs, has->job);
		char *list = tb_bitset_print_list(has->threads);

		json_array_append_new(json_object_get(job, "holds"),
				      json_pack("{s:s, s:s*}", "node",
						node->name, "threads", list));
		free(list);
	}
}

static json_t *json_of_waiting(const struct tb_map_waiting *job)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s}", "job", job->id, "user",
			 job->user, "name", job->name, "request", job->request,
			 "waiting", job->why);
}

json_t *tb_map_to_json(const struct tb_map *map)
{
	json_t *nodes = json_array(), *jobs = json_array();
	json_t *waiting = json_array();

	for (unsigned i = 0; i < map->nnodes; i++)
		json_array_append_new(nodes, json_of_node(&map->nodes[i]));
	for (unsigned i = 0; i < map->njobs; i++)
		json_array_append_new(jobs, json_of_job(&map->jobs[i]));
	for (unsigned i = 0; i < map->nnodes; i++)
		add_holds(jobs, &map->nodes[i]);
	for (unsigned i = 0; i < map->nwaiting; i++)
		json_array_append_new(waiting,
				      json_of_waiting(&map->waiting[i]));
	return json_pack("{s:o*, s:o, s:o, s:o}", "time",
			 map->time ? json_integer(map->time) : NULL, "nodes",
			 nodes, "jobs", jobs, "waiting", waiting);
}

static int read_memory(struct tb_map_node *node, const json_t *json,
		       struct tb_error *err)
{
	if (json && !tb_node_memory_of_json(json, &node->memory))
		return tb_fail(
			err,
			"the numa_memory of node %.100s must be an array of objects with total and free",
			node->name);
	return 0;
}

static int add_node(struct tb_map *map, json_t *json, struct tb_error *err)
{
	const char *name, *topology = NULL, *inuse = NULL, *filtered = NULL;
	const char *reserved = NULL, *state = NULL, *reason = NULL;
	json_error_t why;

	if (json_unpack_ex(json, &why, 0, "{s:s, s?s, s?s, s?s, s?s, s?s, s?s}",
			   "node", &name, "topology", &topology, "inuse",
			   &inuse, "filtered", &filtered, "reserved", &reserved,
			   "state", &state, "reason", &reason))
		return tb_fail(err, "a node of the map is malformed: %s",
			       why.text);
	if (tb_map_add_node(map, name, topology, inuse, err))
		return -1;
	if (state && tb_map_set_state(map, state, reason, err))
		return -1;
	if (read_memory(&map->nodes[map->nnodes - 1],
			json_object_get(json, "numa_memory"), err))
		return -1;
	if (filtered && tb_map_add_filter(map, filtered, err))
		return -1;
	return reserved ? tb_map_add_reserved(map, reserved, err) : 0;
}

/* An array of a job whose objects are pairs of strings. */
struct pairs {
	const char *name, *first, *second;
	int (*add)(struct tb_map *map, unsigned job, const char *first,
		   const char *second, struct tb_error *err);
};

static const struct pairs grants = { "grants", "nodes", "topology",
				     tb_map_add_grant };
static const struct pairs holds = { "holds", "node", "threads",
				    tb_map_add_job_threads };

/* A name, or an array of names, as a list of Slurm's; malloc()ed, NULL: neither. */
static char *read_names(const json_t *json)
{
	struct tb_hosts *hosts = tb_hosts_create("");
	const json_t *name;
	char *list = NULL;
	size_t i;

	if (json_is_string(json) || !hosts) {
		tb_hosts_destroy(hosts);
		return json_is_string(json) ? strdup(json_string_value(json))
					    : NULL;
	}
	json_array_foreach((json_t *)json, i, name)
		tb_hosts_add(hosts, json_is_string(name)
					    ? json_string_value(name)
					    : "?");
	if (json_is_array(json))
		list = tb_hosts_print(hosts);
	tb_hosts_destroy(hosts);
	return list;
}

static int read_pair(struct tb_map *map, unsigned job, json_t *pair,
		     const struct pairs *pairs, struct tb_error *err)
{
	const char *second;
	json_error_t why;
	json_t *names;
	char *first = NULL;
	int rc;

	if (!json_unpack_ex(pair, &why, 0, "{s:o, s:s}", pairs->first, &names,
			    pairs->second, &second))
		first = read_names(names);
	rc = first ? pairs->add(map, job, first, second, err)
		   : tb_fail(err,
			     "what is in the %s of a job of the map is malformed",
			     pairs->name);
	free(first);
	return rc;
}

/* array may be NULL: there are none. */
static int read_pairs(struct tb_map *map, unsigned job, json_t *array,
		      const struct pairs *pairs, struct tb_error *err)
{
	json_t *pair;
	size_t i;

	json_array_foreach(array, i, pair)
	{
		if (read_pair(map, job, pair, pairs, err))
			return -1;
	}
	return 0;
}

static int add_job(struct tb_map *map, json_t *json, struct tb_error *err)
{
	const char *id, *user, *name, *request;
	json_t *granted, *held = NULL;
	json_int_t end = 0, task = -1;
	json_error_t why;
	int job;

	if (json_unpack_ex(json, &why, 0,
			   "{s:s, s:s, s:s, s:s, s?I, s?I, s:o, s?o}", "job",
			   &id, "user", &user, "name", &name, "request",
			   &request, "task", &task, "end", &end, grants.name,
			   &granted, holds.name, &held))
		return tb_fail(err, "a job of the map is malformed: %s",
			       why.text);
	job = tb_map_add_job(map, id, user, name, request, err);
	if (job < 0)
		return -1;
	map->jobs[job].end = end > 0 ? end : 0;
	map->jobs[job].task = task;
	if (read_pairs(map, job, granted, &grants, err))
		return -1;
	return read_pairs(map, job, held, &holds, err);
}

static int add_waiting(struct tb_map *map, json_t *json, struct tb_error *err)
{
	const char *id, *user, *name, *request, *waiting;
	json_error_t why;

	if (json_unpack_ex(json, &why, 0, "{s:s, s:s, s:s, s:s, s:s}", "job",
			   &id, "user", &user, "name", &name, "request",
			   &request, "waiting", &waiting))
		return tb_fail(err, "a waiting job of the map is malformed: %s",
			       why.text);
	return tb_map_add_waiting(map, id, user, name, request, waiting, err);
}

struct tb_map *tb_map_of_json(const json_t *json, struct tb_error *err)
{
	json_t *nodes = json_object_get(json, "nodes");
	json_t *jobs = json_object_get(json, "jobs");
	json_t *waiting = json_object_get(json, "waiting"); /* may be missing */
	json_int_t when = json_integer_value(json_object_get(json, "time"));
	struct tb_map *map = tb_map_create();
	json_t *item;
	size_t i;

	if (!map) {
		tb_fail(err, "out of memory while making the map");
		return NULL;
	}
	if (!json_is_array(nodes) || !json_is_array(jobs)) {
		tb_fail(err,
			"the map must be a JSON object with the arrays \"nodes\" and \"jobs\"");
		goto fail;
	}
	map->time = when > 0 ? when : 0;
	json_array_foreach(nodes, i,
			   item) if (add_node(map, item, err)) goto fail;
	json_array_foreach(jobs, i,
			   item) if (add_job(map, item, err)) goto fail;
	json_array_foreach(waiting, i,
			   item) if (add_waiting(map, item, err)) goto fail;
	return map;

fail:
	tb_map_destroy(map);
	return NULL;
}
