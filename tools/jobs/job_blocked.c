/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_blocked.c - see job_blocked.h */
#include "job_blocked.h"

#include <string.h>

#include "cluster/cluster.h"
#include "common/job/job_cores.h"

static bool is_of_interest(const struct tb_job_view *job)
{
	return job->comment.request && job->nnodes &&
	       tb_cluster_job_holds(job->info);
}

static bool is_any_of_interest(const struct tb_job_view *jobs, unsigned njobs)
{
	for (unsigned i = 0; i < njobs; i++)
		if (is_of_interest(&jobs[i]))
			return true;
	return false;
}

static const node_info_t *find_node(const node_info_msg_t *nodes,
				    const char *name)
{
	for (uint32_t i = 0; i < nodes->record_count; i++)
		if (nodes->node_array[i].name &&
		    !strcmp(nodes->node_array[i].name, name))
			return &nodes->node_array[i];
	return NULL;
}

static void find_of_node(const struct tb_job_view *job,
			 struct tb_job_node *node, const node_info_t *record)
{
	struct tb_bitset *booked = tb_bitset_create(node->threads->nbits);

	if (!booked || tb_job_cores_threads(job->info, record, node->topology,
					    booked, NULL)) {
		tb_bitset_destroy(booked);
		return;
	}
	for (unsigned i = 0; i < node->tasks; i++)
		tb_bitset_andnot(booked, node->slots[i]);
	node->blocked = booked;
}

static void find_of_job(struct tb_job_view *job, const node_info_msg_t *nodes)
{
	for (unsigned i = 0; i < job->nnodes; i++) {
		struct tb_job_node *node = &job->nodes[i];
		const node_info_t *record = find_node(nodes, node->name);

		if (record && node->topology && node->tasks)
			find_of_node(job, node, record);
	}
}

void tb_job_blocked_find(struct tb_job_view *jobs, unsigned njobs)
{
	node_info_msg_t *nodes;

	if (!is_any_of_interest(jobs, njobs) ||
	    slurm_load_node(0, &nodes, SHOW_ALL))
		return;
	for (unsigned i = 0; i < njobs; i++)
		if (is_of_interest(&jobs[i]))
			find_of_job(&jobs[i], nodes);
	slurm_free_node_info_msg(nodes);
}

bool tb_job_has_blocked(const struct tb_job_view *job)
{
	for (unsigned i = 0; i < job->nnodes; i++)
		if (job->nodes[i].blocked &&
		    !tb_bitset_is_empty(job->nodes[i].blocked))
			return true;
	return false;
}
