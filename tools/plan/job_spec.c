/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_spec.c - see job_spec.h */
#include "job_spec.h"

#include <stdlib.h>

#include "common/job/request_env.h"

/* 0 for what is not said: Slurm has a largest value for that, or 0. */
static unsigned get_given(uint32_t number)
{
	return number == NO_VAL || number == INFINITE ? 0 : number;
}

static unsigned get_given_16(uint16_t number)
{
	return number >= INFINITE16 - 1 ? 0 : number;
}

static const char *get_text(const char *value)
{
	return value && *value ? value : NULL;
}

static bool has_gres(const job_info_t *job)
{
	return get_text(job->tres_per_job) || get_text(job->tres_per_node) ||
	       get_text(job->tres_per_socket) || get_text(job->tres_per_task) ||
	       get_given_16(job->ntasks_per_tres);
}

static unsigned count_required(const job_info_t *job)
{
	tb_hostlist_t nodes = get_text(job->req_nodes)
				      ? slurm_hostlist_create(job->req_nodes)
				      : NULL;
	unsigned count = 0;

	if (!nodes)
		return 0;
	slurm_hostlist_uniq(nodes);
	count = (unsigned)slurm_hostlist_count(nodes);
	slurm_hostlist_destroy(nodes);
	return count;
}

/*
 * Of a job without -N Slurm tells how many nodes it guesses, and in later releases as
 * if it had asked for them.
 */
static void set_nodes(struct tb_asked *asked, const job_info_t *job,
		      const char *nodes)
{
	char *rest;

	if (nodes) {
		asked->min_nodes = (uint32_t)strtoul(nodes, &rest, 10);
		if (*rest == '-')
			asked->max_nodes = (uint32_t)strtoul(rest + 1, NULL,
							     10);
		return;
	}
	asked->max_nodes = get_given(job->max_nodes);
	asked->min_nodes = asked->max_nodes ? get_given(job->num_nodes) : 1;
	if (asked->max_nodes && asked->min_nodes > asked->max_nodes)
		asked->min_nodes = asked->max_nodes;
}

/* With --overcommit Slurm counts no CPUs for tasks; it tells of it in no other way. */
static bool overcommits(const job_info_t *job)
{
	return get_given(job->num_tasks) > job->num_cpus;
}

static struct tb_asked find_asked(const job_info_t *job, const char *nodes)
{
	struct tb_asked asked = {
		.tasks = get_given(job->num_tasks),
		.tasks_per_node = get_given_16(job->ntasks_per_node),
		.required = count_required(job),
		.task_cpus = get_given_16(job->cpus_per_task),
		.node_cpus = get_given_16(job->pn_min_cpus),
		.tasks_are_given = job->bitflags & JOB_NTASKS_SET,
		.may_be_fewer = tb_nodes_have_all_tasks(),
		.overcommit = overcommits(job),
	};

	set_nodes(&asked, job, nodes);
	return asked;
}

void tb_job_spec_complete(struct tb_job_spec *spec)
{
	struct tb_asked *asked = &spec->asked;

	if (asked->min_nodes < asked->required)
		asked->min_nodes = asked->required;
	if (!asked->min_nodes)
		asked->min_nodes = 1;
	if (asked->max_nodes && asked->max_nodes < asked->min_nodes)
		asked->max_nodes = asked->min_nodes;
	spec->tasks = tb_asked_slots(asked);
	spec->min_nodes = asked->min_nodes;
	spec->max_nodes = asked->max_nodes ? asked->max_nodes : UINT32_MAX;
	spec->task_cpus = asked->task_cpus ? asked->task_cpus : 1;
}

struct tb_tasks_of_node
tb_job_spec_tasks_of_node(const struct tb_job_spec *spec)
{
	return (struct tb_tasks_of_node){
		.tasks = spec->asked.tasks_per_node,
		.task_cpus = spec->task_cpus,
		.overcommit = spec->asked.overcommit,
	};
}

static int find_devices(struct tb_job_spec *spec, const job_info_t *job,
			struct tb_error *err)
{
	struct tb_job_devices *devices = &spec->devices;
	const struct {
		const char *list;
		enum tb_devices_for who;
	} lists[] = {
		{ job->tres_per_job, TB_DEVICES_FOR_JOB },
		{ job->tres_per_node, TB_DEVICES_FOR_NODE },
		{ job->tres_per_task, TB_DEVICES_FOR_TASK },
		{ job->tres_per_socket, TB_DEVICES_FOR_SOCKET },
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (tb_job_devices_add(devices, lists[i].list, lists[i].who,
				       err))
			return -1;
	return tb_job_devices_add_shares(devices,
					 get_given_16(job->ntasks_per_tres),
					 &spec->asked, err);
}

enum tb_near tb_job_spec_near(uint64_t bitflags)
{
	if (bitflags & GRES_ENFORCE_BIND)
		return TB_NEAR_ALWAYS;
	return bitflags & GRES_DISABLE_BIND ? TB_NEAR_ANYTHING
					    : TB_NEAR_IF_POSSIBLE;
}

int tb_job_spec_of_job(struct tb_job_spec *spec, const job_info_t *job,
		       const struct tb_comment *comment, struct tb_error *err)
{
	*spec = (struct tb_job_spec){
		.implicit = tb_request_is_implicit(comment->request),
		.partitions = get_text(job->partition),
		.required = get_text(job->req_nodes),
		.excluded = get_text(job->exc_nodes),
		.features = get_text(job->features),
		.reservation = get_text(job->resv_name),
		.asked = find_asked(job, comment->nodes),
		.layout = { get_given_16(job->sockets_per_node),
			    get_given_16(job->cores_per_socket),
			    get_given_16(job->threads_per_core) },
		.memory = job->pn_min_memory == NO_VAL64 ? 0
							 : job->pn_min_memory,
		.memory_is_set = job->bitflags & JOB_MEM_SET,
		.gpu_memory = tb_job_devices_gpu_memory(job->mem_per_tres),
		.gres = has_gres(job),
		.near = tb_job_spec_near(job->bitflags),
		.whole_nodes = job->shared == JOB_SHARED_NONE,
		.oversubscribe = job->shared == JOB_SHARED_OK,
		.heterogeneous = job->het_job_id,
		.minutes = get_given(job->time_limit) ? (int64_t)job->time_limit
						      : -1,
	};
	tb_job_spec_complete(spec);
	tb_request_init(&spec->request);
	if (find_devices(spec, job, err))
		return -1;
	if (tb_comment_is_cut(comment->request))
		return tb_fail(
			err,
			"its request is too long to be shown whole in its SystemComment; leave topology strings out of it");
	return tb_request_from_comment(&spec->request, comment->request, err);
}

void tb_job_spec_clear(struct tb_job_spec *spec)
{
	tb_request_clear(&spec->request);
	tb_job_devices_clear(&spec->devices);
}
