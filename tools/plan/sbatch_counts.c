/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sbatch_counts.h"

#include "sbatch_values.h"

unsigned tb_given_count(uint32_t number)
{
	return number == NO_VAL ? 0 : number;
}

unsigned tb_given_count_16(uint16_t number)
{
	return number < NO_VAL16 - 1 ? number : 0;
}

/* There are as many nodes as are required, at least. */
static void complete_nodes(job_desc_msg_t *job)
{
	tb_hostlist_t required = job->req_nodes
					 ? slurm_hostlist_create(job->req_nodes)
					 : NULL;
	uint32_t count;

	if (!required)
		return;
	slurm_hostlist_uniq(required);
	count = (uint32_t)slurm_hostlist_count(required);
	slurm_hostlist_destroy(required);
	if (count > tb_given_count(job->min_nodes))
		job->min_nodes = count;
	if (job->max_nodes != NO_VAL && job->max_nodes < job->min_nodes)
		job->max_nodes = job->min_nodes;
}

uint32_t tb_multiply_counts(uint32_t a, uint32_t b)
{
	uint64_t all = (uint64_t)a * b;

	return all < TB_SBATCH_COUNT_MAX ? (uint32_t)all : TB_SBATCH_COUNT_MAX;
}

/* One for each socket, core or thread that a node is to have. */
static uint32_t count_of_parts(const job_desc_msg_t *job)
{
	const uint16_t counts[] = { job->sockets_per_node,
				    job->cores_per_socket,
				    job->threads_per_core };
	uint32_t tasks = 1;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (counts[i] < NO_VAL16)
			tasks = tb_multiply_counts(tasks, counts[i]);
	return tasks;
}

/*
 * Tasks that are not given: those for each node, or for each part of one, or one
 * for each node.
 */
static uint32_t count_tasks(job_desc_msg_t *job, struct tb_sbatch_given *given)
{
	uint32_t nodes = tb_given_count(job->min_nodes) ? job->min_nodes : 1;
	uint32_t of_node = 1;

	if (given->ntasks)
		return job->num_tasks;
	if (job->max_nodes != NO_VAL && job->max_nodes != job->min_nodes)
		return nodes;
	if (given->per_node)
		of_node = job->ntasks_per_node;
	else if (tb_given_count(job->min_nodes) || given->node_info)
		of_node = count_of_parts(job);
	if (of_node > 1 || given->per_node) {
		job->num_tasks = tb_multiply_counts(nodes, of_node);
		given->ntasks = true;
	}
	return tb_multiply_counts(nodes, of_node);
}

/* As many as --ntasks-per-node makes of --ntasks. */
static uint32_t count_nodes_of_tasks(const job_desc_msg_t *job)
{
	uint32_t each = job->ntasks_per_node;

	return job->num_tasks / each + (job->num_tasks % each > 0);
}

void tb_sbatch_complete_counts(job_desc_msg_t *job,
			       struct tb_sbatch_given given)
{
	uint32_t cpus = given.cpus ? job->cpus_per_task : 1, tasks;

	complete_nodes(job);
	tasks = count_tasks(job, &given);
	job->min_cpus = tb_multiply_counts(tasks, cpus);
	if (job->overcommit == 1)
		job->min_cpus = tb_given_count(job->min_nodes) ? job->min_nodes
							       : 1;
	if (given.cpus) {
		job->bitflags |= JOB_CPUS_SET;
		if (job->pn_min_cpus == NO_VAL16 ||
		    job->pn_min_cpus < job->cpus_per_task)
			job->pn_min_cpus = job->cpus_per_task;
	}
	if (!given.ntasks)
		return;
	job->bitflags |= JOB_NTASKS_SET;
	if (!tb_given_count(job->min_nodes)) {
		if (given.per_node && tb_clients_count_nodes())
			job->min_nodes = count_nodes_of_tasks(job);
		return;
	}
	/* No more nodes than tasks. */
	if (job->max_nodes != NO_VAL && tasks < job->max_nodes)
		job->max_nodes = tasks;
	if (tasks < job->min_nodes)
		job->min_nodes = job->max_nodes = tasks;
}
