/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_hold.c - who holds which threads of the nodes of a map; see map.h */
#include <stdlib.h>
#include <string.h>

#include "common/job/job_comment.h"
#include "cluster/hosts.h"
#include "map.h"

/* ---- one job, one node ---- */

/* What the job has of the node, a new set if need be; NULL: no memory. */
static struct tb_bitset *get_job_threads(struct tb_map_node *node, unsigned job)
{
	struct tb_map_job_threads *jobs;
	struct tb_bitset *threads;

	for (unsigned i = 0; i < node->njobs; i++)
		if (node->jobs[i].job == job)
			return node->jobs[i].threads;
	threads = tb_bitset_create(tb_topology_threads(node->topology));
	jobs = reallocarray(node->jobs, node->njobs + 1, sizeof(*jobs));
	if (jobs)
		node->jobs = jobs;
	if (!threads || !jobs) {
		tb_bitset_destroy(threads);
		return NULL;
	}
	jobs[node->njobs++] = (struct tb_map_job_threads){ job, threads };
	return threads;
}

int tb_map_note_job_threads(struct tb_map_node *node, unsigned job,
			    const struct tb_bitset *threads,
			    struct tb_error *err)
{
	struct tb_bitset *all = get_job_threads(node, job);

	if (!all)
		return tb_fail(err, "out of memory");
	tb_bitset_or(all, threads);
	TB_BITSET_EACH(i, threads) {
		int *holder = &node->holders[i];

		if (*holder < 0 && *holder != TB_HOLDER_MANY)
			*holder = job;
		else if (*holder != (int)job)
			*holder = TB_HOLDER_MANY;
	}
	return 0;
}

static int add_listed(struct tb_map_node *node, unsigned job, const char *list,
		      struct tb_error *err)
{
	struct tb_bitset *threads =
		tb_bitset_parse_list(list, tb_topology_threads(node->topology),
				     err);
	int rc = threads ? tb_map_note_job_threads(node, job, threads, err)
			 : -1;

	tb_bitset_destroy(threads);
	return rc;
}

/* ---- nodes by name ---- */

/*
 * Where to look first: lists of nodes are mostly in the order of the map, so
 * that the next one is found at once.
 */
static struct tb_map_node *find_node(const struct tb_map *map, const char *name,
				     unsigned *first)
{
	for (unsigned i = 0; i < map->nnodes; i++) {
		unsigned index = (*first + i) % map->nnodes;

		if (!strcmp(map->nodes[index].name, name)) {
			*first = index + 1;
			return &map->nodes[index];
		}
	}
	return NULL;
}

int tb_map_add_job_threads(struct tb_map *map, unsigned job, const char *node,
			   const char *list, struct tb_error *err)
{
	unsigned first = 0;
	struct tb_map_node *found = find_node(map, node, &first);

	if (!found || !found->topology)
		return 0;
	return add_listed(found, job, list, err);
}

/* ---- grants ---- */

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

/* Note the job as holder of its units on the node. */
static int add_units(struct tb_map_node *node, unsigned job,
		     const struct units *units, struct tb_error *err)
{
	if (!units->shape)
		return add_listed(node, job, units->text, err);
	if (!tb_topology_same_shape(node->topology, units->shape))
		return tb_fail(err,
			       "the grant has another shape than node %.100s",
			       node->name);
	return tb_map_note_job_threads(node, job, units->threads, err);
}

static int add_on_nodes(struct tb_map *map, unsigned job, const char *nodes,
			const struct units *units, struct tb_error *err)
{
	struct tb_hosts *hosts = tb_hosts_create(nodes);
	unsigned first = 0;
	char *name;
	int rc = 0;

	if (!hosts)
		return tb_fail(err, "\"%.100s\" is not a list of nodes", nodes);
	while (!rc && (name = tb_hosts_next(hosts))) {
		struct tb_map_node *node = find_node(map, name, &first);

		if (node && node->topology)
			rc = add_units(node, job, units, err);
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
		return tb_fail(err, "out of memory");
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
		rc = add_on_nodes(map, job, nodes, &units, err);
	tb_topology_destroy(units.shape);
	tb_bitset_destroy(units.threads);
	return rc ? rc : note_grant(&map->jobs[job], nodes, string, err);
}
