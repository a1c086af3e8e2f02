/* SPDX-License-Identifier: GPL-2.0-or-later */
/* candidates.c - see candidates.h */
#define _GNU_SOURCE /* asprintf */
#include "candidates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/conf/conf.h"
#include "core/base/text.h"
#include "core/plan/implicit.h"

#include "candidate_holds.h"
#include "candidate_parts.h"
#include "candidate_rules.h"
#include "candidate_units.h"
#include "partition_sharing.h"

/* ---- units of a node ---- */

static int count_units(const struct tb_request *request,
		       struct tb_candidate_node *node, struct tb_error *err)
{
	struct tb_bitset *used;

	if (!node->topology)
		return 0;
	used = tb_bitset_copy(node->inuse);
	node->held_units = calloc(node->nholds + 1, sizeof(*node->held_units));
	if (!used || !node->held_units) {
		tb_bitset_destroy(used);
		return tb_fail(err, "out of memory");
	}
	tb_bitset_or(used, node->reserved);
	node->units = tb_candidate_node_units(node, request, node->system);
	node->free_units = tb_candidate_node_units(node, request, used);
	for (unsigned i = 0; i < node->nholds; i++) {
		tb_bitset_assign(used, node->system);
		tb_bitset_or(used, node->holds[i].threads);
		node->held_units[i] = node->units -
				      tb_candidate_node_units(node, request,
							      used);
	}
	tb_bitset_destroy(used);
	return 0;
}

/* Units of parts are told in cores; 0: the node never has both parts. */
static unsigned count_cores_of_parts(const struct tb_request *request,
				     const struct tb_candidate_node *node)
{
	if (tb_place(node->placer, request, node->system, 1) <= 0)
		return 0;
	return tb_count_cores_with(node->topology,
				   tb_placed_threads(node->placer));
}

unsigned tb_candidates_needed_units(const struct tb_candidates *candidates,
				    const struct tb_candidate_node *node)
{
	const struct tb_job_spec *spec = candidates->spec;
	struct tb_request there = tb_request_masked(&spec->request,
						    node->masked);
	uint32_t units;

	if (spec->request.nparts && node->topology)
		return count_cores_of_parts(&there, node);
	if (!spec->implicit || !node->topology)
		return tb_needed_units(&spec->request);
	tb_implicit_place(node->placer, &there, &node->books, node->system,
			  spec->task_cpus, 1, &units);
	return units;
}

/* ---- whose end would suffice ---- */

static void open_node(struct tb_candidates *candidates,
		      struct tb_candidate_node *node)
{
	node->open = candidates->nopen++;
	candidates->need.cpu_memory = node->cpu_memory;
	if (node->counts_memory || node->numa)
		candidates->memory_need.memory_is_held = true;
	if (node->numa)
		candidates->memory_need.local_memory = node->local_need;
	candidates->open[node->open] = tb_candidate_used(node);
}

static void note_closed(struct tb_candidates *candidates,
			const struct tb_candidate_node *node)
{
	if (!node->required)
		return;
	candidates->required_out = node->out_of_service &&
				   (!candidates->required_closed ||
				    candidates->required_out);
	candidates->required_closed = true;
}

/* Of the nodes that are open. */
static struct tb_blockers *
create_blockers(const struct tb_candidates *candidates,
		const struct tb_need *need)
{
	return tb_blockers_create(need, candidates->open, candidates->nopen,
				  candidates->ends, candidates->nholders);
}

static int make_memory_blockers(struct tb_candidates *candidates)
{
	struct tb_need found = candidates->memory_need;

	if (!found.memory_is_held)
		return 0;
	candidates->memory_need = candidates->need;
	candidates->memory_need.memory_is_held = true;
	candidates->memory_need.local_memory = found.local_memory;
	candidates->memory_blockers = create_blockers(candidates,
						      &candidates->memory_need);
	return candidates->memory_blockers ? 0 : -1;
}

static int make_blockers(struct tb_candidates *candidates, struct tb_error *err)
{
	const struct tb_job_spec *spec = candidates->spec;

	candidates->need = (struct tb_need){
		.request = &spec->request,
		.asked = spec->asked,
		.whole_nodes = spec->whole_nodes,
		.turns = tb_partition_turns(candidates->cluster),
		.implicit = spec->implicit,
		.one_size = spec->gres,
		.share = candidates->share,
		.devices = spec->devices.asked,
		.ndevices = spec->devices.count,
		.near = spec->near,
	};
	candidates->need.asked.task_cpus = spec->task_cpus;
	candidates->open = calloc(candidates->nnodes + 1,
				  sizeof(*candidates->open));
	if (!candidates->open)
		return tb_fail(err, "out of memory");
	for (unsigned i = 0; i < candidates->nnodes; i++) {
		struct tb_candidate_node *node = &candidates->nodes[i];

		if (!node->closed)
			open_node(candidates, node);
		else
			note_closed(candidates, node);
	}
	candidates->blockers = create_blockers(candidates, &candidates->need);
	return candidates->blockers && !make_memory_blockers(candidates)
		       ? 0
		       : tb_fail(err, "out of memory");
}

/* What is told of nodes where some are missing now. */
static int note_devices(struct tb_candidates *candidates,
			struct tb_candidate_node *node, struct tb_error *err)
{
	const struct tb_job_devices *devices = &candidates->spec->devices;

	for (unsigned i = 0; !node->closed && i < devices->count; i++) {
		uint32_t free_ones = tb_blockers_devices(candidates->blockers,
							 node->open, i);
		uint32_t needed = tb_job_devices_needed(devices, i);
		char *before = node->note;

		if (free_ones >= needed)
			continue;
		if (asprintf(&node->note,
			     "%s%s%u of %u %s free, %u %s asked for",
			     before ? before : "", before ? "; " : "",
			     free_ones, node->devices[i], devices->names[i],
			     needed, tb_count_word(needed, "is", "are")) < 0) {
			node->note = before;
			return tb_fail(err, "out of memory");
		}
		free(before);
	}
	return 0;
}

unsigned tb_candidates_room(const struct tb_candidates *candidates,
			    const struct tb_candidate_node *node)
{
	return node->closed
		       ? 0
		       : tb_blockers_room(candidates->blockers, node->open);
}

bool tb_candidates_fits(const struct tb_candidates *candidates)
{
	return !candidates->required_closed &&
	       tb_blockers_fits(candidates->blockers);
}

bool tb_candidates_memory_is_local(const struct tb_candidates *candidates)
{
	return candidates->memory_blockers &&
	       tb_memory_is_needed(&candidates->memory_need.local_memory);
}

bool tb_candidates_find(struct tb_candidates *candidates,
			struct tb_bitset *ended, int64_t *when)
{
	struct tb_blockers *blockers = candidates->memory_blockers
					       ? candidates->memory_blockers
					       : candidates->blockers;

	if (candidates->required_closed ||
	    !tb_blockers_find(blockers, ended, when))
		return false;
	for (unsigned i = 0; i < candidates->nparts; i++)
		if (tb_bitset_test(ended, candidates->parts[i].until))
			tb_bitset_set(ended, candidates->parts[i].holder);
	return true;
}

/* ---- all of it ---- */

/* What is told of the job: the units of a task on the first node it could have. */
static void set_implicit_amount(struct tb_candidates *candidates)
{
	struct tb_request *request = &candidates->spec->request;

	request->type = TB_SLOT;
	for (unsigned i = 0; i < candidates->nnodes; i++) {
		const struct tb_candidate_node *node = &candidates->nodes[i];

		if (node->closed || !node->units)
			continue;
		request->amount = tb_candidates_needed_units(candidates, node);
		return;
	}
}

/* DefMemPerGPU= of a list of slurm.conf; 0: it does not say. */
static uint64_t find_default(list_t *list)
{
	list_itr_t *each = list ? slurm_list_iterator_create(list) : NULL;
	const job_defaults_t *item;
	uint64_t found = 0;

	while (each && (item = slurm_list_next(each)))
		if (item->type == JOB_DEF_MEM_PER_GPU)
			found = item->value;
	if (each)
		slurm_list_iterator_destroy(each);
	return found;
}

/* As for the controller it counts before what goes with CPUs and nodes by default. */
static void set_memory_of_devices(struct tb_candidates *candidates,
				  const struct tb_cluster *cluster)
{
	struct tb_job_spec *spec = candidates->spec;
	const partition_info_t *partition = candidates->partition;
	uint64_t megabytes = spec->gpu_memory;

	if (!megabytes && partition)
		megabytes = find_default(partition->job_defaults_list);
	if (!megabytes)
		megabytes = find_default(cluster->slurm->job_defaults_list);
	if ((spec->memory && spec->memory_is_set) ||
	    !tb_candidates_count_memory(cluster, partition))
		megabytes = 0;
	tb_job_devices_set_memory(&spec->devices, megabytes);
}

static int fill_candidates(struct tb_candidates *candidates,
			   const struct tb_cluster *cluster,
			   struct tb_error *err)
{
	const struct tb_request *request = &candidates->spec->request;

	set_memory_of_devices(candidates, cluster);
	candidates->nodes = tb_candidate_nodes_create(candidates->spec, cluster,
						      err);
	if (!candidates->nodes)
		return -1;
	candidates->nnodes = cluster->nodes->record_count;
	if (tb_candidate_holds_find(candidates, err))
		return -1;
	for (unsigned i = 0; i < candidates->nnodes; i++)
		if (count_units(request, &candidates->nodes[i], err))
			return -1;
	if (candidates->spec->implicit)
		set_implicit_amount(candidates);
	if (make_blockers(candidates, err))
		return -1;
	for (unsigned i = 0; i < candidates->nnodes; i++)
		if (note_devices(candidates, &candidates->nodes[i], err))
			return -1;
	return 0;
}

struct tb_cluster *tb_candidates_load_cluster(struct tb_error *err)
{
	return tb_cluster_load(TB_CLUSTER_JOBS | TB_CLUSTER_CORES |
				       TB_CLUSTER_SITE | TB_CLUSTER_PARTITIONS |
				       TB_CLUSTER_CONF | TB_CLUSTER_DEVICES,
			       err);
}

/* A window or a list says itself which units these are; so do whole nodes. */
static bool spares_devices(const struct tb_candidates *candidates)
{
	const struct tb_job_spec *spec = candidates->spec;
	const struct tb_request *request = &spec->request;
	const struct tb_conf *conf = candidates->cluster->conf;

	return conf && candidates->partition && !spec->gres &&
	       !spec->whole_nodes && candidates->share < 2 && !request->cpus &&
	       !request->start && !request->stop &&
	       tb_conf_spares_devices(conf, candidates->partition->name);
}

struct tb_candidates *tb_candidates_create(const struct tb_cluster *cluster,
					   struct tb_job_spec *spec,
					   struct tb_error *err)
{
	struct tb_candidates *candidates = calloc(1, sizeof(*candidates));
	const partition_info_t *partition;

	if (!candidates) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	candidates->spec = spec;
	partition = tb_candidate_partition(spec, cluster);
	candidates->cluster = cluster;
	candidates->partition = partition;
	candidates->share = partition ? tb_partition_sharers(spec, partition)
				      : 1;
	candidates->spares = spares_devices(candidates);
	if (!fill_candidates(candidates, cluster, err))
		return candidates;
	tb_candidates_destroy(candidates);
	return NULL;
}

void tb_candidates_destroy(struct tb_candidates *candidates)
{
	if (!candidates)
		return;
	tb_blockers_destroy(candidates->blockers);
	tb_blockers_destroy(candidates->memory_blockers);
	tb_candidate_nodes_destroy(candidates->nodes, candidates->nnodes);
	for (unsigned i = 0; i < candidates->nholders; i++) {
		free(candidates->holders[i].id);
		free(candidates->holders[i].user);
	}
	free(candidates->holders);
	free(candidates->ends);
	free(candidates->open);
	free(candidates->parts);
	free(candidates);
}
