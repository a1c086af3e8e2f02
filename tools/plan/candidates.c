/* SPDX-License-Identifier: GPL-2.0-or-later */
/* candidates.c - see candidates.h */
#define _GNU_SOURCE /* asprintf */
#include "candidates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster/node_walk.h"
#include "common/conf/conf.h"
#include "common/job/job_cores.h"
#include "compat/job_memory.h"
#include "core/base/text.h"
#include "core/plan/implicit.h"

#include "candidate_memory.h"
#include "candidate_parts.h"
#include "candidate_pools.h"
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

/* ---- who holds what ---- */

static int64_t end_of(const job_info_t *job)
{
	time_t end = tb_cluster_job_end(job);

	return end ? end : TB_END_NEVER;
}

static int add_holder(struct tb_candidates *candidates, const job_info_t *job,
		      struct tb_error *err)
{
	struct tb_holder *holder = &candidates->holders[candidates->nholders];

	holder->job = job;
	holder->id = tb_cluster_job_id(job);
	holder->user = tb_cluster_job_user(job);
	candidates->ends[candidates->nholders++] = end_of(job);
	return holder->id && holder->user ? 0 : tb_fail(err, "out of memory");
}

/* What it points to becomes the node's. */
static int add_hold(struct tb_candidate_node *node, struct tb_holder_job hold,
		    struct tb_error *err)
{
	struct tb_holder_job *holds = reallocarray(node->holds,
						   node->nholds + 1,
						   sizeof(*holds));

	if (!holds) {
		tb_bitset_destroy((struct tb_bitset *)hold.threads);
		return tb_fail(err, "out of memory");
	}
	node->holds = holds;
	holds[node->nholds++] = hold;
	return 0;
}

/* All threads of its cores, as MaxCPUsPerNode counts. */
static uint32_t count_cpus(const struct tb_candidate_node *node,
			   const struct tb_bitset *threads)
{
	const struct tb_request cores = { .type = TB_HOST };
	struct tb_books books = node->books;

	books.cpus_per_core = books.threads_per_core;
	return tb_booked_cpus(&books, &cores, node->topology, threads);
}

static int add_job_of_node(const struct tb_candidates *candidates,
			   struct tb_candidate_node *node, unsigned holder,
			   const job_info_t *job, uint64_t memory,
			   struct tb_error *err)
{
	const partition_info_t *partition = candidates->partition;
	struct tb_holder_job hold = { .holder = holder, .memory = memory };
	struct tb_bitset *threads;
	struct tb_error why;

	if (!node->topology)
		return 0;
	threads = tb_bitset_create(tb_topology_threads(node->topology));
	if (!threads)
		return tb_fail(err, "out of memory");
	/* It may have left the node since the nodes were asked for. */
	if (tb_job_cores_threads(job, node->info, node->topology, threads,
				 &why)) {
		tb_bitset_destroy(threads);
		return 0;
	}
	tb_bitset_or(node->inuse, threads);
	hold.threads = threads;
	hold.bars = tb_partition_bars(candidates->cluster, candidates->spec,
				      partition, job);
	if (partition && job->partition &&
	    !strcmp(job->partition, partition->name)) {
		hold.cpus = count_cpus(node, threads);
		hold.share = tb_partition_share(candidates->cluster, job, node);
	}
	return add_hold(node, hold, err);
}

static unsigned count_job_nodes(const job_info_t *job, unsigned nnodes)
{
	struct tb_node_walk walk = tb_node_walk_begin(job->node_inx, nnodes);
	unsigned node, count = 0;

	while (tb_node_walk_next(&walk, &node))
		count++;
	return count;
}

static int add_job(struct tb_candidates *candidates, const job_info_t *job,
		   struct tb_error *err)
{
	struct tb_node_walk walk = tb_node_walk_begin(job->node_inx,
						      candidates->nnodes);
	unsigned count = count_job_nodes(job, candidates->nnodes);
	unsigned node, holder = candidates->nholders;
	int rc = add_holder(candidates, job, err);

	for (unsigned i = 0; !rc && tb_node_walk_next(&walk, &node); i++)
		rc = add_job_of_node(candidates, &candidates->nodes[node],
				     holder, job,
				     tb_job_memory_at(job, i, count), err);
	return rc;
}

static int add_jobs(struct tb_candidates *candidates,
		    const job_info_msg_t *jobs, struct tb_error *err)
{
	size_t most = (size_t)jobs->record_count + 1;
	int rc = 0;

	candidates->holders = calloc(most, sizeof(*candidates->holders));
	candidates->ends = calloc(most, sizeof(*candidates->ends));
	if (!candidates->holders || !candidates->ends)
		return tb_fail(err, "out of memory");
	candidates->ends[TB_HIDDEN] = TB_END_NEVER;
	candidates->nholders = 1;
	for (uint32_t i = 0; !rc && i < jobs->record_count; i++) {
		const job_info_t *job = &jobs->job_array[i];

		if (tb_cluster_job_holds(job) &&
		    !tb_cluster_job_gave_back(job) && job->job_resrcs)
			rc = add_job(candidates, job, err);
	}
	return rc;
}

/* Of memory in use: what nobody who is shown has. */
static uint64_t count_hidden_memory(const struct tb_candidate_node *node)
{
	uint64_t rest = node->memory > node->free_memory
				? node->memory - node->free_memory
				: 0;

	for (unsigned i = 0; i < node->nholds; i++)
		rest -= node->holds[i].memory < rest ? node->holds[i].memory
						     : rest;
	return rest;
}

/* What is in use and nobody who is shown has. */
static int add_hidden(struct tb_candidate_node *node, struct tb_error *err)
{
	uint64_t memory = node->counts_memory ? count_hidden_memory(node) : 0;
	struct tb_bitset *rest;

	if (!node->topology)
		return 0;
	rest = tb_bitset_copy(node->inuse);
	if (!rest)
		return tb_fail(err, "out of memory");
	for (unsigned i = 0; i < node->nholds; i++)
		tb_bitset_andnot(rest, node->holds[i].threads);
	if (!tb_bitset_is_empty(rest) || memory)
		return add_hold(node,
				(struct tb_holder_job){ TB_HIDDEN,
							.threads = rest,
							.memory = memory },
				err);
	tb_bitset_destroy(rest);
	return 0;
}

/* ---- who holds which devices ---- */

/* What Slurm says that the job has on the node; NULL: nothing. */
static const char *find_held_list(const job_info_t *job, unsigned node,
				  unsigned nnodes)
{
	struct tb_node_walk walk;
	unsigned at, index = 0;

	if (!job)
		return NULL;
	walk = tb_node_walk_begin(job->node_inx, nnodes);
	while (tb_node_walk_next(&walk, &at) && at != node)
		index++;
	return index < job->gres_detail_cnt ? job->gres_detail_str[index]
					    : NULL;
}

static int reserve_held(struct tb_candidate_node *node, unsigned kinds,
			struct tb_error *err)
{
	for (unsigned i = 0; i < node->nholds; i++) {
		node->holds[i].devices = calloc(kinds, sizeof(uint32_t));
		if (!node->holds[i].devices)
			return tb_fail(err, "out of memory");
	}
	return 0;
}

/*
 * Of one kind.  Jobs that asked for no type can have some of it, no more than the node
 * says are used.  Returns how many of these nobody who is shown has.
 */
static uint32_t share_out(const struct tb_candidates *candidates,
			  struct tb_candidate_node *node, unsigned kind)
{
	const char *name = candidates->spec->devices.names[kind];
	unsigned index = (unsigned)(node - candidates->nodes);
	uint32_t untyped, left = tb_devices_in_list(node->info->gres_used, name,
						    &untyped);

	left = left ? left : untyped;
	for (int typed = 1; typed >= 0; typed--)
		for (unsigned i = 0; i < node->nholds; i++) {
			struct tb_holder_job *hold = &node->holds[i];
			uint32_t *held = (uint32_t *)hold->devices + kind;
			uint32_t count = tb_devices_in_list(
				find_held_list(candidates->holders[hold->holder]
						       .job,
					       index, candidates->nnodes),
				name, &untyped);

			count = typed ? count : untyped;
			count = count < left ? count : left;
			*held += count;
			left -= count;
		}
	return left;
}

/* Those who hold nothing that is asked for are as without devices. */
static void drop_empty(struct tb_candidate_node *node, unsigned kinds)
{
	for (unsigned i = 0; i < node->nholds; i++) {
		uint32_t *held = (uint32_t *)node->holds[i].devices;
		bool any = false;

		for (unsigned k = 0; k < kinds; k++)
			any = any || held[k];
		if (any)
			continue;
		free(held);
		node->holds[i].devices = NULL;
	}
}

/* There is one, the last, for who is hidden. */
static int make_hidden(struct tb_candidate_node *node, struct tb_error *err)
{
	struct tb_holder_job hidden = { .holder = TB_HIDDEN };

	if (node->nholds && node->holds[node->nholds - 1].holder == TB_HIDDEN)
		return 0;
	hidden.threads = tb_bitset_create(tb_topology_threads(node->topology));
	return hidden.threads ? add_hold(node, hidden, err)
			      : tb_fail(err, "out of memory");
}

static void drop_hidden(struct tb_candidate_node *node)
{
	const struct tb_holder_job *last = &node->holds[node->nholds - 1];

	if (last->devices || last->memory || !tb_bitset_is_empty(last->threads))
		return;
	tb_bitset_destroy((struct tb_bitset *)last->threads);
	node->nholds--;
}

/* Of a job whose memory is of NUMA nodes: what others have of these. */
static void share_numa(struct tb_candidate_node *node)
{
	for (unsigned i = 0; node->numa && i < node->nholds; i++)
		node->holds[i].of_numa =
			tb_candidate_numa_share(node->numa, node,
						&node->holds[i]);
}

/* NULL where Slurm says nothing; the caller frees the list. */
static const char **list_held(const struct tb_candidates *candidates,
			      const struct tb_candidate_node *node)
{
	unsigned index = (unsigned)(node - candidates->nodes);
	const char **lists = calloc(node->nholds + 1, sizeof(*lists));

	for (unsigned i = 0; lists && i < node->nholds; i++)
		lists[i] =
			find_held_list(candidates
					       ->holders[node->holds[i].holder]
					       .job,
				       index, candidates->nnodes);
	return lists;
}

static int keep_parts(struct tb_candidates *candidates,
		      const struct tb_candidate_parts *parts,
		      struct tb_error *err)
{
	struct tb_part *all;

	if (!parts->nothers)
		return 0;
	all = reallocarray(candidates->parts,
			   candidates->nparts + parts->nothers, sizeof(*all));
	if (!all)
		return tb_fail(err, "out of memory");
	memcpy(&all[candidates->nparts], parts->others,
	       parts->nothers * sizeof(*all));
	candidates->parts = all;
	candidates->nparts += parts->nothers;
	return 0;
}

/* Whole GPUs that those have who have parts of them. */
static int find_parts(struct tb_candidates *candidates,
		      struct tb_candidate_node *node,
		      struct tb_candidate_parts *parts, struct tb_error *err)
{
	const struct tb_job_devices *asked = &candidates->spec->devices;
	const char **lists = list_held(candidates, node);
	int rc = lists ? tb_candidate_parts_find(parts, node, lists,
						 candidates->ends, err)
		       : tb_fail(err, "out of memory");

	for (unsigned i = 0; !rc && i < node->nholds; i++)
		for (unsigned k = 0; k < asked->count; k++)
			((uint32_t *)node->holds[i].devices)[k] +=
				tb_candidate_parts_count(parts, i, node,
							 asked->names[k], k);
	free(lists);
	return rc ? rc : keep_parts(candidates, parts, err);
}

static int find_pools_of_held(const struct tb_candidates *candidates,
			      struct tb_candidate_node *node,
			      const struct tb_candidate_parts *parts,
			      struct tb_error *err)
{
	unsigned index = (unsigned)(node - candidates->nodes);
	int rc = 0;

	for (unsigned i = 0; !rc && i < node->nholds; i++) {
		struct tb_holder_job *hold = &node->holds[i];
		const job_info_t *job = candidates->holders[hold->holder].job;
		const char *list = hold->holder == TB_HIDDEN
					   ? node->info->gres_used
					   : find_held_list(job, index,
							    candidates->nnodes);

		rc = tb_candidate_pools_take(node->pools,
					     &candidates->spec->devices, hold,
					     list,
					     parts->gpus ? parts->gpus[i]
							 : NULL,
					     err);
	}
	return rc;
}

static int add_held_devices(struct tb_candidates *candidates,
			    struct tb_candidate_node *node,
			    struct tb_error *err)
{
	unsigned kinds = candidates->spec->devices.count;
	struct tb_candidate_parts parts = { 0 };
	int rc;

	if (!kinds || !node->devices)
		return 0;
	if (make_hidden(node, err) || reserve_held(node, kinds, err))
		return -1;
	for (unsigned k = 0; k < kinds; k++) {
		uint32_t left = share_out(candidates, node, k);

		((uint32_t *)node->holds[node->nholds - 1].devices)[k] = left;
	}
	rc = find_parts(candidates, node, &parts, err);
	drop_empty(node, kinds);
	drop_hidden(node);
	if (!rc)
		rc = find_pools_of_held(candidates, node, &parts, err);
	tb_candidate_parts_clear(&parts);
	return rc;
}

/* ---- whose end would suffice ---- */

static struct tb_used_node make_used_node(const struct tb_candidate_node *node)
{
	return (struct tb_used_node){
		.topology = node->topology,
		.placer = node->placer,
		.books = node->books,
		.most_cpus = node->most_cpus,
		.reserved = node->reserved,
		.masked = node->masked,
		.holders = node->holds,
		.nholders = node->nholds,
		.required = node->required,
		.devices = node->devices,
		.pools = node->pools ? node->pools->list : NULL,
		.npools = node->pools ? node->pools->count : 0,
		.memory = node->memory,
		.least_memory = node->least_memory,
		.numa = node->numa ? node->numa->numa : NULL,
		.numa_sizes = node->numa ? node->numa->memory.sizes : NULL,
		.numa_free = node->numa ? node->numa->memory.available : NULL,
	};
}

struct tb_used_node tb_candidate_idle(const struct tb_candidate_node *node)
{
	struct tb_used_node idle = make_used_node(node);

	idle.reserved = node->system;
	idle.nholders = 0;
	return idle;
}

static void open_node(struct tb_candidates *candidates,
		      struct tb_candidate_node *node)
{
	node->open = candidates->nopen++;
	candidates->need.cpu_memory = node->cpu_memory;
	if (node->counts_memory || node->numa)
		candidates->memory_need.memory_is_held = true;
	if (node->numa)
		candidates->memory_need.local_memory = node->local_need;
	candidates->open[node->open] = make_used_node(node);
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

/* Do all nodes show which units are near the devices that the job asks for? */
static bool know_near(const struct tb_candidates *candidates)
{
	const struct tb_job_spec *spec = candidates->spec;

	if (spec->near == TB_NEAR_ANYTHING || !spec->devices.count)
		return true;
	for (unsigned i = 0; i < candidates->nnodes; i++)
		if (!candidates->nodes[i].closed &&
		    candidates->nodes[i].pools &&
		    candidates->nodes[i].pools->unknown)
			return false;
	return true;
}

/* Does a reservation have to do with devices of a node?  Which ones nobody is told. */
static bool some_are_reserved(const struct tb_candidates *candidates)
{
	for (unsigned i = 0; i < candidates->nnodes; i++)
		if (!candidates->nodes[i].closed &&
		    candidates->nodes[i].devices_reserved)
			return true;
	return false;
}

/* Does the controller say how many of these devices each node has? */
static bool are_dealt(const struct tb_need *need,
		      const struct tb_devices_asked *devices)
{
	if (devices->per_task)
		return need->request->type == TB_HOST;
	return devices->per_job &&
	       tb_asked_most_nodes(&need->asked, need->asked.max_nodes
							 ? need->asked.max_nodes
							 : UINT32_MAX) > 1;
}

static bool some_are_dealt(const struct tb_candidates *candidates)
{
	const struct tb_job_devices *devices = &candidates->spec->devices;

	for (unsigned i = 0; i < devices->count; i++)
		if (are_dealt(&candidates->need, &devices->asked[i]))
			return true;
	return false;
}

const char *tb_candidates_unknown(const struct tb_candidates *candidates)
{
	const struct tb_job_spec *spec = candidates->spec;

	if (!spec->gres)
		return NULL;
	if (some_are_reserved(candidates))
		return "which GRES reservations keep";
	if (spec->devices.more || spec->devices.parts)
		return "whether enough of the GRES that it asks for are together";
	/* Of a request of its own a search finds numbers for which it fits. */
	if (spec->implicit && some_are_dealt(candidates))
		return "how many of its GRES each node gets";
	return spec->near == TB_NEAR_ALWAYS && !know_near(candidates)
		       ? "whether they are near free GRES"
		       : NULL;
}

const char *tb_candidates_units_unknown(const struct tb_candidates *candidates)
{
	static const char near[] = "units near its GRES come first";
	const struct tb_job_spec *spec = candidates->spec;

	if (spec->near == TB_NEAR_ANYTHING || !spec->gres)
		return NULL;
	if (some_are_reserved(candidates))
		return "units near its GRES come first, and which GRES reservations keep only slurmctld knows";
	return spec->devices.more || some_are_dealt(candidates) ||
			       !know_near(candidates)
		       ? near
		       : NULL;
}

bool tb_candidates_have_units(const struct tb_candidates *candidates)
{
	struct tb_need need = candidates->need;
	struct tb_blockers *blockers;
	bool fits;

	if (!need.ndevices || candidates->required_closed)
		return tb_candidates_fits(candidates);
	need.ndevices = 0;
	blockers = create_blockers(candidates, &need);
	fits = blockers && tb_blockers_fits(blockers);
	tb_blockers_destroy(blockers);
	return fits;
}

/* The open nodes with memory; a required one without it leaves none. */
static unsigned list_with_memory(const struct tb_candidates *candidates,
				 struct tb_used_node *list)
{
	unsigned count = 0;

	for (unsigned i = 0; i < candidates->nnodes; i++) {
		const struct tb_candidate_node *node = &candidates->nodes[i];

		if (node->closed)
			continue;
		if (node->lacks_memory && node->required)
			return 0;
		if (node->lacks_memory)
			continue;
		list[count] = candidates->open[node->open];
		list[count++].memory = node->free_memory;
	}
	return count;
}

static bool is_local(const struct tb_candidates *candidates)
{
	return candidates->memory_blockers &&
	       tb_memory_is_needed(&candidates->memory_need.local_memory);
}

bool tb_candidates_have_memory(const struct tb_candidates *candidates)
{
	struct tb_used_node *list = calloc(candidates->nopen + 1,
					   sizeof(*list));
	struct tb_blockers *blockers;
	unsigned count;
	bool fits = true;

	if (is_local(candidates)) {
		free(list);
		return tb_blockers_fits(candidates->memory_blockers);
	}
	if (!list)
		return true;
	count = list_with_memory(candidates, list);
	blockers = tb_blockers_create(&candidates->need, list, count,
				      candidates->ends, candidates->nholders);
	if (blockers &&
	    (count < candidates->nopen || candidates->need.cpu_memory))
		fits = tb_blockers_fits(blockers);
	tb_blockers_destroy(blockers);
	free(list);
	return fits;
}

/* All that are open, and those out of service.  How many, of these only. */
static unsigned list_with_out(const struct tb_candidates *candidates,
			      struct tb_used_node *list)
{
	unsigned count = 0, out = 0;

	for (unsigned i = 0; i < candidates->nnodes; i++) {
		const struct tb_candidate_node *node = &candidates->nodes[i];

		if (node->closed && !node->out_of_service)
			continue;
		list[count++] = make_used_node(node);
		out += node->out_of_service;
	}
	return out;
}

bool tb_candidates_wait_for_nodes(const struct tb_candidates *candidates)
{
	struct tb_used_node *list = calloc(candidates->nnodes + 1,
					   sizeof(*list));
	struct tb_bitset *ended = tb_bitset_create(candidates->nholders);
	unsigned out = list ? list_with_out(candidates, list) : 0;
	struct tb_blockers *blockers = NULL;
	bool fits = false;
	int64_t when;

	if (out && (!candidates->required_closed || candidates->required_out))
		blockers = tb_blockers_create(&candidates->need, list,
					      candidates->nopen + out,
					      candidates->ends,
					      candidates->nholders);
	if (blockers && ended)
		fits = tb_blockers_find(blockers, ended, &when);
	tb_blockers_destroy(blockers);
	tb_bitset_destroy(ended);
	free(list);
	return fits;
}

/*
 * All nodes that the job may use some time, as if nobody used them.  False: there are
 * some of which this is not known.
 */
static bool list_as_idle(const struct tb_candidates *candidates,
			 struct tb_used_node *list, unsigned *count)
{
	*count = 0;
	for (unsigned i = 0; i < candidates->nnodes; i++) {
		const struct tb_candidate_node *node = &candidates->nodes[i];
		bool lasting = node->closed && !node->out_of_service;

		if (node->for_now || (lasting && node->required))
			return false;
		if (lasting)
			continue;
		list[(*count)++] = tb_candidate_idle(node);
	}
	return true;
}

bool tb_candidates_could_ever_fit(const struct tb_candidates *candidates)
{
	struct tb_used_node *list = calloc(candidates->nnodes + 1,
					   sizeof(*list));
	struct tb_blockers *blockers = NULL;
	unsigned count = 0;
	bool fits = true;

	if (list && list_as_idle(candidates, list, &count) && count)
		blockers = tb_blockers_create(&candidates->need, list, count,
					      candidates->ends,
					      candidates->nholders);
	if (blockers)
		fits = tb_blockers_fits(blockers);
	tb_blockers_destroy(blockers);
	free(list);
	return fits;
}

/* With units that fewer than share jobs have. */
static bool find_offers(const struct tb_candidates *candidates,
			const struct tb_used_node *nodes, unsigned count,
			unsigned share, struct tb_offer *offers)
{
	struct tb_need need = is_local(candidates) ? candidates->memory_need
						   : candidates->need;
	const struct tb_offer *chosen = NULL;
	struct tb_blockers *blockers;
	unsigned found = 0;

	need.asked.min_nodes = need.asked.max_nodes = count;
	need.asked.required = 0;
	need.share = share;
	blockers = tb_blockers_create(&need, nodes, count, candidates->ends,
				      candidates->nholders);
	if (blockers)
		chosen = tb_blockers_choose(blockers, &found);
	if (chosen && found == count)
		memcpy(offers, chosen, count * sizeof(*offers));
	tb_blockers_destroy(blockers);
	return chosen && found == count;
}

/* As they are, and what is near devices is reserved. */
static bool spare_devices(struct tb_used_node *list,
			  const struct tb_candidate_node *const *nodes,
			  unsigned count, struct tb_bitset **reserved)
{
	for (unsigned i = 0; i < count; i++) {
		reserved[i] = tb_bitset_copy(nodes[i]->reserved);
		if (!reserved[i])
			return false;
		tb_candidate_pools_add_near(nodes[i], reserved[i]);
		list[i].reserved = reserved[i];
	}
	return true;
}

static bool find_way(const struct tb_candidates *candidates,
		     const struct tb_candidate_node *const *nodes,
		     unsigned count, struct tb_offer *offers,
		     struct tb_candidate_way *way)
{
	struct tb_used_node *list = calloc(count + 1, sizeof(*list));
	struct tb_bitset **reserved = calloc(count + 1, sizeof(*reserved));
	bool found = false, made = list && reserved;

	for (unsigned i = 0; made && i < count; i++) {
		list[i] = make_used_node(nodes[i]);
		list[i].required = true;
	}
	if (made && way->spares)
		made = spare_devices(list, nodes, count, reserved);
	for (way->share = 0; made && !found && way->share < candidates->share;)
		found = find_offers(candidates, list, count, ++way->share,
				    offers);
	for (unsigned i = 0; reserved && i < count; i++)
		tb_bitset_destroy(reserved[i]);
	free(reserved);
	free(list);
	return found;
}

bool tb_candidates_offer(const struct tb_candidates *candidates,
			 const struct tb_candidate_node *const *nodes,
			 unsigned count, struct tb_offer *offers,
			 struct tb_candidate_way *way)
{
	way->spares = candidates->spares;
	if (find_way(candidates, nodes, count, offers, way))
		return true;
	way->spares = false;
	return candidates->spares &&
	       find_way(candidates, nodes, count, offers, way);
}

unsigned tb_candidates_place(const struct tb_candidates *candidates,
			     const struct tb_candidate_node *node,
			     const struct tb_offer *offer,
			     struct tb_candidate_way way, unsigned slots)
{
	struct tb_used_node used = make_used_node(node);
	struct tb_need need = is_local(candidates) ? candidates->memory_need
						   : candidates->need;
	struct tb_bitset *reserved = NULL;
	struct tb_blockers *blockers = NULL;
	unsigned placed = 0;

	need.share = way.share;
	if (!way.spares || spare_devices(&used, &node, 1, &reserved))
		blockers = tb_blockers_create(&need, &used, 1, candidates->ends,
					      candidates->nholders);
	if (blockers)
		placed = tb_blockers_place(blockers, 0, offer, slots);
	tb_blockers_destroy(blockers);
	tb_bitset_destroy(reserved);
	return placed;
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
	if (add_jobs(candidates, cluster->jobs, err))
		return -1;
	for (unsigned i = 0; i < candidates->nnodes; i++)
		if (add_hidden(&candidates->nodes[i], err) ||
		    add_held_devices(candidates, &candidates->nodes[i], err) ||
		    count_units(request, &candidates->nodes[i], err))
			return -1;
	for (unsigned i = 0; i < candidates->nnodes; i++)
		share_numa(&candidates->nodes[i]);
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
