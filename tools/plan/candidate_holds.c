/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "candidate_holds.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster/node_walk.h"
#include "common/job/job_cores.h"
#include "compat/job_memory.h"

#include "candidate_memory.h"
#include "candidate_parts.h"
#include "candidate_pools.h"
#include "partition_sharing.h"

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

static int add_jobs(struct tb_candidates *candidates, struct tb_error *err)
{
	const job_info_msg_t *jobs = candidates->cluster->jobs;
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

/* ---- all of it ---- */

int tb_candidate_holds_find(struct tb_candidates *candidates,
			    struct tb_error *err)
{
	if (add_jobs(candidates, err))
		return -1;
	for (unsigned i = 0; i < candidates->nnodes; i++)
		if (add_hidden(&candidates->nodes[i], err) ||
		    add_held_devices(candidates, &candidates->nodes[i], err))
			return -1;
	for (unsigned i = 0; i < candidates->nnodes; i++)
		share_numa(&candidates->nodes[i]);
	return 0;
}
