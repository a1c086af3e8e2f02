/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map.c - see map.h */
#include <stdlib.h>
#include <string.h>

#include "common/job_comment.h"
#include "hosts.h"
#include "map.h"

static void node_clear(struct tb_map_node *node)
{
	free(node->name);
	free(node->holders);
	tb_bitset_destroy(node->inuse);
	tb_topology_destroy(node->topology);
}

static void job_clear(struct tb_map_job *job)
{
	for (unsigned i = 0; i < job->ngrants; i++) {
		free(job->grants[i].nodes);
		free(job->grants[i].string);
	}
	free(job->grants);
	free(job->id);
	free(job->user);
	free(job->name);
	free(job->request);
}

struct tb_map *tb_map_create(void)
{
	return calloc(1, sizeof(struct tb_map));
}

void tb_map_destroy(struct tb_map *map)
{
	if (!map)
		return;
	for (unsigned i = 0; i < map->nnodes; i++)
		node_clear(&map->nodes[i]);
	for (unsigned i = 0; i < map->njobs; i++)
		job_clear(&map->jobs[i]);
	free(map->nodes);
	free(map->jobs);
	free(map);
}

static int no_memory(struct tb_error *err)
{
	return tb_fail(err, "out of memory while making the map");
}

/* Used units: those of the inuse string, which must have the node's shape. */
static int read_inuse(struct tb_map_node *node, const char *inuse,
		      struct tb_error *err)
{
	struct tb_bitset *used;
	struct tb_topology *shape = tb_topology_parse(inuse, &used, err);
	bool same;

	if (!shape)
		return -1;
	same = tb_topology_same_shape(shape, node->topology);
	tb_topology_destroy(shape);
	if (!same) {
		tb_bitset_destroy(used);
		return tb_fail(err, "its topology and its units in use have different shapes");
	}
	tb_bitset_destroy(node->inuse);
	node->inuse = used;
	return 0;
}

static int read_topology(struct tb_map_node *node, const char *topology,
			 const char *inuse, struct tb_error *err)
{
	unsigned threads;

	node->topology = tb_topology_parse(topology, &node->inuse, err);
	if (!node->topology)
		return -1;
	if (inuse && read_inuse(node, inuse, err))
		return -1;
	threads = tb_topology_threads(node->topology);
	node->holders = calloc(threads, sizeof(*node->holders));
	if (!node->holders)
		return no_memory(err);
	for (unsigned i = 0; i < threads; i++)
		node->holders[i] = tb_bitset_test(node->inuse, i) ?
				   TB_HOLDER_PLAIN : TB_HOLDER_NONE;
	return 0;
}

int tb_map_add_node(struct tb_map *map, const char *name, const char *topology,
		    const char *inuse, struct tb_error *err)
{
	struct tb_map_node node = { .name = strdup(name) };
	struct tb_map_node *nodes;

	if (!node.name)
		return no_memory(err);
	if (topology && read_topology(&node, topology, inuse, err)) {
		node_clear(&node);
		return -1;
	}
	nodes = reallocarray(map->nodes, map->nnodes + 1, sizeof(*nodes));
	if (!nodes) {
		node_clear(&node);
		return no_memory(err);
	}
	map->nodes = nodes;
	map->nodes[map->nnodes++] = node;
	return 0;
}

int tb_map_add_job(struct tb_map *map, const char *id, const char *user,
		   const char *name, const char *request,
		   struct tb_error *err)
{
	struct tb_map_job job = {
		.id = strdup(id),
		.user = strdup(user),
		.name = strdup(name),
		.request = strdup(request),
	};
	struct tb_map_job *jobs = NULL;

	if (job.id && job.user && job.name && job.request)
		jobs = reallocarray(map->jobs, map->njobs + 1, sizeof(*jobs));
	if (!jobs) {
		job_clear(&job);
		return no_memory(err);
	}
	map->jobs = jobs;
	map->jobs[map->njobs] = job;
	return map->njobs++;
}

static struct tb_map_node *find_node(const struct tb_map *map,
				     const char *name)
{
	for (unsigned i = 0; i < map->nnodes; i++)
		if (!strcmp(map->nodes[i].name, name))
			return &map->nodes[i];
	return NULL;
}

/* The units of a grant: a topology string, or a list of threads. */
struct units {
	const char *text;
	struct tb_topology *shape; /* NULL: a list */
	struct tb_bitset *threads; /* of the shape */
};

static int read_units(struct units *units, const char *text,
		      struct tb_error *err)
{
	units->text = text;
	if (tb_comment_is_list(text))
		return 0;
	units->shape = tb_topology_parse(text, &units->threads, err);
	return units->shape ? 0 : -1;
}

static void note_holder(struct tb_map_node *node, int job,
			const struct tb_bitset *threads)
{
	for (unsigned i = tb_bitset_next(threads, 0); i < threads->nbits;
	     i = tb_bitset_next(threads, i + 1)) {
		int *holder = &node->holders[i];

		if (*holder == TB_HOLDER_NONE || *holder == TB_HOLDER_PLAIN)
			*holder = job;
		else if (*holder != job)
			*holder = TB_HOLDER_MANY;
	}
}

static int hold_listed(struct tb_map_node *node, int job, const char *list,
		       struct tb_error *err)
{
	struct tb_bitset *threads = tb_bitset_parse_list(
		list, tb_topology_threads(node->topology), err);

	if (!threads)
		return -1;
	note_holder(node, job, threads);
	tb_bitset_destroy(threads);
	return 0;
}

/* Note the job as holder of its units on the node. */
static int hold(struct tb_map_node *node, int job, const struct units *units,
		struct tb_error *err)
{
	if (!units->shape)
		return hold_listed(node, job, units->text, err);
	if (!tb_topology_same_shape(node->topology, units->shape))
		return tb_fail(err, "the grant has another shape than node %.100s",
			       node->name);
	note_holder(node, job, units->threads);
	return 0;
}

static int hold_on_nodes(struct tb_map *map, int job, const char *nodes,
			 const struct units *units, struct tb_error *err)
{
	struct tb_hosts *hosts = tb_hosts_create(nodes);
	char *name;
	int rc = 0;

	if (!hosts)
		return tb_fail(err, "\"%.100s\" is not a list of nodes", nodes);
	while (!rc && (name = tb_hosts_next(hosts))) {
		struct tb_map_node *node = find_node(map, name);

		if (node && node->topology)
			rc = hold(node, job, units, err);
		free(name);
	}
	tb_hosts_destroy(hosts);
	return rc;
}

static int note_grant(struct tb_map_job *job, const char *nodes,
		      const char *string, struct tb_error *err)
{
	struct tb_map_grant grant = { strdup(nodes), strdup(string) };
	struct tb_map_grant *grants = NULL;

	if (grant.nodes && grant.string)
		grants = reallocarray(job->grants, job->ngrants + 1,
				      sizeof(*grants));
	if (!grants) {
		free(grant.nodes);
		free(grant.string);
		return no_memory(err);
	}
	job->grants = grants;
	job->grants[job->ngrants++] = grant;
	return 0;
}

int tb_map_add_grant(struct tb_map *map, unsigned job, const char *nodes,
		     const char *string, struct tb_error *err)
{
	struct units units = { .shape = NULL };
	int rc = read_units(&units, string, err);

	if (!rc)
		rc = hold_on_nodes(map, job, nodes, &units, err);
	tb_topology_destroy(units.shape);
	tb_bitset_destroy(units.threads);
	return rc ? rc : note_grant(&map->jobs[job], nodes, string, err);
}

bool tb_map_shared_cache(const struct tb_topology *topology, unsigned index,
			 unsigned *first_core, unsigned *last_core)
{
	unsigned first, threads;

	tb_topology_object(topology, 'Y', index, &first, &threads);
	*first_core = tb_thread_core(topology, first);
	*last_core = tb_thread_core(topology, first + threads - 1);
	return *first_core != *last_core;
}
