/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map.c - see map.h */
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "terminal/utf8.h"

static void clear_node(struct tb_map_node *node)
{
	for (unsigned i = 0; i < node->njobs; i++)
		tb_bitset_destroy(node->jobs[i].threads);
	free(node->jobs);
	free(node->name);
	free(node->state);
	free(node->reason);
	free(node->holders);
	tb_node_memory_clear(&node->memory);
	tb_bitset_destroy(node->inuse);
	tb_bitset_destroy(node->filtered);
	tb_bitset_destroy(node->reserved);
	tb_topology_destroy(node->topology);
}

static void clear_job(struct tb_map_job *job)
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

static void clear_waiting(struct tb_map_waiting *job)
{
	free(job->id);
	free(job->user);
	free(job->name);
	free(job->request);
	free(job->why);
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
		clear_node(&map->nodes[i]);
	for (unsigned i = 0; i < map->njobs; i++)
		clear_job(&map->jobs[i]);
	for (unsigned i = 0; i < map->nwaiting; i++)
		clear_waiting(&map->waiting[i]);
	free(map->nodes);
	free(map->jobs);
	free(map->waiting);
	free(map);
}

/*
 * The lower-case threads of a string, which must have the node's shape, in place
 * of *set.  what: of what they are, for the message.
 */
static int read_lower(struct tb_bitset **set, const struct tb_map_node *node,
		      const char *string, const char *what,
		      struct tb_error *err)
{
	struct tb_bitset *lower;
	struct tb_topology *shape = tb_topology_parse(string, &lower, err);
	bool same;

	if (!shape)
		return -1;
	same = tb_topology_same_shape(shape, node->topology);
	tb_topology_destroy(shape);
	if (!same) {
		tb_bitset_destroy(lower);
		return tb_fail(err,
			       "its topology and its units %s have different shapes",
			       what);
	}
	tb_bitset_destroy(*set);
	*set = lower;
	return 0;
}

static int read_topology(struct tb_map_node *node, const char *topology,
			 const char *inuse, struct tb_error *err)
{
	unsigned threads;

	node->topology = tb_topology_parse(topology, &node->inuse, err);
	if (!node->topology)
		return -1;
	if (inuse && read_lower(&node->inuse, node, inuse, "in use", err))
		return -1;
	threads = tb_topology_threads(node->topology);
	node->holders = calloc(threads, sizeof(*node->holders));
	if (!node->holders)
		return tb_fail(err, "out of memory");
	for (unsigned i = 0; i < threads; i++)
		node->holders[i] = tb_bitset_test(node->inuse, i)
					   ? TB_HOLDER_PLAIN
					   : TB_HOLDER_NONE;
	return 0;
}

int tb_map_add_node(struct tb_map *map, const char *name, const char *topology,
		    const char *inuse, struct tb_error *err)
{
	struct tb_map_node node = { .name = strdup(name) };
	struct tb_map_node *nodes;

	if (!node.name)
		return tb_fail(err, "out of memory");
	if (topology && read_topology(&node, topology, inuse, err)) {
		clear_node(&node);
		return -1;
	}
	nodes = reallocarray(map->nodes, map->nnodes + 1, sizeof(*nodes));
	if (!nodes) {
		clear_node(&node);
		return tb_fail(err, "out of memory");
	}
	map->nodes = nodes;
	map->nodes[map->nnodes++] = node;
	return 0;
}

/* Of these threads those that are free are something else as well. */
static void mark_free(struct tb_map_node *node, const struct tb_bitset *threads,
		      int holder)
{
	TB_BITSET_EACH(i, threads)
		if (node->holders[i] == TB_HOLDER_NONE)
			node->holders[i] = holder;
}

int tb_map_add_filter(struct tb_map *map, const char *string,
		      struct tb_error *err)
{
	struct tb_map_node *node = &map->nodes[map->nnodes - 1];

	if (!node->topology)
		return 0;
	if (read_lower(&node->filtered, node, string, "that are filtered", err))
		return -1;
	mark_free(node, node->filtered, TB_HOLDER_FILTERED);
	return 0;
}

int tb_map_add_reserved(struct tb_map *map, const char *string,
			struct tb_error *err)
{
	struct tb_map_node *node = &map->nodes[map->nnodes - 1];

	if (!node->topology)
		return 0;
	if (read_lower(&node->reserved, node, string, "that are reserved", err))
		return -1;
	mark_free(node, node->reserved, TB_HOLDER_RESERVED);
	return 0;
}

int tb_map_set_state(struct tb_map *map, const char *state, const char *reason,
		     struct tb_error *err)
{
	struct tb_map_node *node = &map->nodes[map->nnodes - 1];

	node->state = strdup(state);
	if (reason && *reason)
		node->reason = tb_utf8_copy(reason);
	return node->state && (node->reason || !reason || !*reason)
		       ? 0
		       : tb_fail(err, "out of memory");
}

const char *tb_map_node_trouble(const struct tb_map_node *node)
{
	static const char *const usual[] = { "allocated", "completing", "idle",
					     "mixed" };

	if (!node->state)
		return NULL;
	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
		if (!strcmp(node->state, usual[i]))
			return NULL;
	return node->state;
}

/* Canonical requests have no blanks, and no value has a comma. */
static enum tb_map_kind find_kind(const char *request)
{
	static const char soft[] = "bmode=soft";
	const size_t length = sizeof(soft) - 1;

	if (!*request)
		return TB_MAP_PLAIN;
	while (*request) {
		size_t word = strcspn(request, ",");

		if (word == length && !strncmp(request, soft, length))
			return TB_MAP_SOFT;
		request += word + (request[word] == ',');
	}
	return TB_MAP_BOUND;
}

int tb_map_add_job(struct tb_map *map, const char *id, const char *user,
		   const char *name, const char *request, struct tb_error *err)
{
	struct tb_map_job job = {
		.id = strdup(id),
		.user = tb_utf8_copy(user),
		.name = tb_utf8_copy(name),
		.request = strdup(request),
		.kind = find_kind(request),
		.task = -1,
	};
	struct tb_map_job *jobs = NULL;

	if (job.id && job.user && job.name && job.request)
		jobs = reallocarray(map->jobs, map->njobs + 1, sizeof(*jobs));
	if (!jobs) {
		clear_job(&job);
		return tb_fail(err, "out of memory");
	}
	map->jobs = jobs;
	job.number = map->of_kind[job.kind]++;
	map->jobs[map->njobs] = job;
	return map->njobs++;
}

int tb_map_add_waiting(struct tb_map *map, const char *id, const char *user,
		       const char *name, const char *request, const char *why,
		       struct tb_error *err)
{
	struct tb_map_waiting job = {
		.id = strdup(id),
		.user = tb_utf8_copy(user),
		.name = tb_utf8_copy(name),
		.request = strdup(request),
		.why = tb_utf8_copy(why),
	};
	struct tb_map_waiting *waiting = NULL;

	if (job.id && job.user && job.name && job.request && job.why)
		waiting = reallocarray(map->waiting, map->nwaiting + 1,
				       sizeof(*waiting));
	if (!waiting) {
		clear_waiting(&job);
		return tb_fail(err, "out of memory");
	}
	map->waiting = waiting;
	map->waiting[map->nwaiting++] = job;
	return 0;
}

int64_t tb_map_time_left(const struct tb_map *map, const struct tb_map_job *job)
{
	if (!map->time || !job->end)
		return -1;
	return job->end > map->time ? job->end - map->time : 0;
}

const char *tb_map_kind_name(enum tb_map_kind kind)
{
	static const char *const names[TB_MAP_KINDS] = {
		[TB_MAP_BOUND] = "bound",
		[TB_MAP_SOFT] = "soft",
		[TB_MAP_PLAIN] = "plain",
	};

	return names[kind];
}
