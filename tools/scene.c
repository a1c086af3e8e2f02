/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene.c - see scene.h */
#include "scene.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/job_cores.h"
#include "scene_nodes.h"

static int no_memory(struct tb_error *err)
{
	return tb_fail(err, "out of memory");
}

/* ---- units of a node ---- */

static unsigned listed_threads(const struct tb_scene_node *node,
			       const struct tb_bitset *cpus,
			       const struct tb_bitset *among)
{
	unsigned count = 0;

	for (unsigned i = tb_bitset_next(cpus, 0);
	     i < cpus->nbits && i < tb_topology_threads(node->topology);
	     i = tb_bitset_next(cpus, i + 1))
		count += !among || tb_bitset_test(among, i);
	return count;
}

unsigned tb_scene_units_beside(const struct tb_scene *scene,
			       const struct tb_scene_node *node,
			       const struct tb_bitset *used)
{
	const struct tb_request *request = &scene->wish->request;

	if (request->cpus)
		return listed_threads(node, request->cpus, NULL) -
		       (used ? listed_threads(node, request->cpus, used) : 0);
	return tb_units_available(node->topology, request->unit, used);
}

static int count_units(const struct tb_scene *scene, struct tb_scene_node *node,
		       struct tb_error *err)
{
	struct tb_bitset *used;

	if (!node->topology)
		return 0;
	used = tb_bitset_copy(node->inuse);
	node->held_units = calloc(node->nholds + 1, sizeof(*node->held_units));
	if (!used || !node->held_units) {
		tb_bitset_destroy(used);
		return no_memory(err);
	}
	tb_bitset_or(used, node->kept);
	node->units = tb_scene_units_beside(scene, node, NULL);
	node->free_units = tb_scene_units_beside(scene, node, used);
	for (unsigned i = 0; i < node->nholds; i++)
		node->held_units[i] = node->units -
			tb_scene_units_beside(scene, node,
					      node->holds[i].threads);
	tb_bitset_destroy(used);
	return 0;
}

unsigned tb_scene_needed_units(const struct tb_scene *scene)
{
	const struct tb_request *request = &scene->wish->request;

	return request->cpus ? tb_bitset_count(request->cpus)
			     : request->amount;
}

/* ---- who holds what ---- */

static int64_t end_of(const job_info_t *job)
{
	time_t end = tb_cluster_job_end(job);

	return end ? end : TB_END_NEVER;
}

static int add_owner(struct tb_scene *scene, const job_info_t *job,
		     struct tb_error *err)
{
	struct tb_owner *owner = &scene->owners[scene->nowners];

	owner->job = job;
	owner->id = tb_cluster_job_id(job);
	owner->user = tb_cluster_job_user(job);
	scene->ends[scene->nowners++] = end_of(job);
	return owner->id && owner->user ? 0 : no_memory(err);
}

/* The threads become the node's. */
static int add_hold(struct tb_scene_node *node, unsigned owner,
		    struct tb_bitset *threads, struct tb_error *err)
{
	struct tb_hold *holds = reallocarray(node->holds, node->nholds + 1,
					     sizeof(*holds));

	if (!holds) {
		tb_bitset_destroy(threads);
		return no_memory(err);
	}
	node->holds = holds;
	holds[node->nholds++] = (struct tb_hold){ owner, threads };
	return 0;
}

static int hold_node(struct tb_scene *scene, struct tb_scene_node *node,
		     const job_info_t *job, struct tb_error *err)
{
	struct tb_bitset *threads;
	struct tb_error why;

	if (!node->topology)
		return 0;
	threads = tb_bitset_create(tb_topology_threads(node->topology));
	if (!threads)
		return no_memory(err);
	/* It may have left the node since the nodes were asked for. */
	if (tb_job_cores_threads(job, node->info, node->topology, threads,
				 &why)) {
		tb_bitset_destroy(threads);
		return 0;
	}
	tb_bitset_or(node->inuse, threads);
	return add_hold(node, scene->nowners - 1, threads, err);
}

/* A job's nodes are pairs of first and last in the table of nodes. */
static int hold_nodes(struct tb_scene *scene, const job_info_t *job,
		      struct tb_error *err)
{
	const int32_t *range = job->node_inx;
	int rc = 0;

	for (; range && !rc && range[0] >= 0; range += 2)
		for (int32_t i = range[0]; !rc && i <= range[1]; i++)
			if ((unsigned)i < scene->nnodes)
				rc = hold_node(scene, &scene->nodes[i], job,
					       err);
	return rc;
}

static int add_owners(struct tb_scene *scene, const job_info_msg_t *jobs,
		      struct tb_error *err)
{
	int rc = 0;

	scene->owners = calloc(jobs->record_count + 1, sizeof(*scene->owners));
	scene->ends = calloc(jobs->record_count + 1, sizeof(*scene->ends));
	if (!scene->owners || !scene->ends)
		return no_memory(err);
	scene->ends[TB_HIDDEN] = TB_END_NEVER;
	scene->nowners = 1;
	for (uint32_t i = 0; !rc && i < jobs->record_count; i++) {
		const job_info_t *job = &jobs->job_array[i];

		if (!tb_cluster_job_holds(job) ||
		    tb_cluster_job_gave_back(job) || !job->job_resrcs)
			continue;
		rc = add_owner(scene, job, err);
		if (!rc)
			rc = hold_nodes(scene, job, err);
	}
	return rc;
}

/* What is in use and nobody who is shown has. */
static int add_hidden(struct tb_scene_node *node, struct tb_error *err)
{
	struct tb_bitset *rest;

	if (!node->topology)
		return 0;
	rest = tb_bitset_copy(node->inuse);
	if (!rest)
		return no_memory(err);
	for (unsigned i = 0; i < node->nholds; i++)
		tb_bitset_andnot(rest, node->holds[i].threads);
	if (!tb_bitset_is_empty(rest))
		return add_hold(node, TB_HIDDEN, rest, err);
	tb_bitset_destroy(rest);
	return 0;
}

/* ---- the question ---- */

static int ask(struct tb_scene *scene, struct tb_error *err)
{
	const struct tb_wish *wish = scene->wish;

	scene->need = (struct tb_need){
		.request = &wish->request,
		.slots = wish->tasks,
		.per_node = wish->per_node,
		.min_nodes = wish->min_nodes,
		.max_nodes = wish->max_nodes,
		.task_threads = wish->task_cpus,
		.whole_nodes = wish->whole_nodes,
	};
	scene->open = calloc(scene->nnodes + 1, sizeof(*scene->open));
	if (!scene->open)
		return no_memory(err);
	for (unsigned i = 0; i < scene->nnodes; i++) {
		struct tb_scene_node *node = &scene->nodes[i];

		if (node->closed) {
			scene->required_closed |= node->required;
			continue;
		}
		node->open = scene->nopen;
		scene->open[scene->nopen++] = (struct tb_held_node){
			.topology = node->topology,
			.placer = node->placer,
			.kept = node->kept,
			.holds = node->holds,
			.nholds = node->nholds,
			.required = node->required,
		};
	}
	scene->release = tb_release_create(&scene->need, scene->open,
					   scene->nopen, scene->ends,
					   scene->nowners);
	return scene->release ? 0 : no_memory(err);
}

unsigned tb_scene_room(const struct tb_scene *scene,
		       const struct tb_scene_node *node)
{
	return node->closed ? 0 : tb_release_room(scene->release, node->open);
}

bool tb_scene_fits(const struct tb_scene *scene)
{
	return !scene->required_closed && tb_release_fits(scene->release);
}

bool tb_scene_find(struct tb_scene *scene, struct tb_bitset *ended,
		   int64_t *when)
{
	return !scene->required_closed &&
	       tb_release_find(scene->release, ended, when);
}

/* ---- all of it ---- */

/* The units of a task that did not ask for any: enough for its CPUs. */
static void set_implicit_amount(struct tb_scene *scene)
{
	struct tb_request *request = &scene->wish->request;

	request->type = TB_SLOT;
	for (unsigned i = 0; i < scene->nnodes; i++) {
		const struct tb_scene_node *node = &scene->nodes[i];
		unsigned threads;

		if (node->closed || !node->units)
			continue;
		threads = tb_topology_threads(node->topology) / node->units;
		request->amount = (scene->wish->task_cpus + threads - 1) /
				  threads;
		return;
	}
}

static int fill(struct tb_scene *scene, const struct tb_cluster *cluster,
		struct tb_error *err)
{
	if (tb_scene_add_nodes(scene, cluster, err) ||
	    add_owners(scene, cluster->jobs, err))
		return -1;
	for (unsigned i = 0; i < scene->nnodes; i++)
		if (add_hidden(&scene->nodes[i], err) ||
		    count_units(scene, &scene->nodes[i], err))
			return -1;
	if (scene->wish->implicit)
		set_implicit_amount(scene);
	return ask(scene, err);
}

struct tb_scene *tb_scene_create(const struct tb_cluster *cluster,
				 struct tb_wish *wish, struct tb_error *err)
{
	struct tb_scene *scene = calloc(1, sizeof(*scene));

	if (!scene) {
		no_memory(err);
		return NULL;
	}
	scene->wish = wish;
	if (!fill(scene, cluster, err))
		return scene;
	tb_scene_destroy(scene);
	return NULL;
}

static void node_clear(struct tb_scene_node *node)
{
	for (unsigned i = 0; i < node->nholds; i++)
		tb_bitset_destroy((struct tb_bitset *)node->holds[i].threads);
	free(node->holds);
	free(node->held_units);
	free(node->closed);
	free(node->note);
	tb_bitset_destroy(node->inuse);
	tb_bitset_destroy(node->kept);
	tb_placer_destroy(node->placer);
	tb_topology_destroy(node->topology);
}

void tb_scene_destroy(struct tb_scene *scene)
{
	if (!scene)
		return;
	tb_release_destroy(scene->release);
	for (unsigned i = 0; scene->nodes && i < scene->nnodes; i++)
		node_clear(&scene->nodes[i]);
	for (unsigned i = 0; scene->owners && i < scene->nowners; i++) {
		free(scene->owners[i].id);
		free(scene->owners[i].user);
	}
	free(scene->nodes);
	free(scene->owners);
	free(scene->ends);
	free(scene->open);
	free(scene);
}
