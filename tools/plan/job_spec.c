/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_spec.c - see job_spec.h */
#include "job_spec.h"

#include "common/job/job_comment.h"
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
	       get_text(job->tres_per_socket) || get_text(job->tres_per_task);
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
 * Of a job without -N, which has no largest number either, Slurm tells how many
 * nodes it guesses.
 */
static unsigned count_least_nodes(const job_info_t *job)
{
	unsigned most = get_given(job->max_nodes);
	unsigned least = most ? get_given(job->num_nodes) : 1;
	unsigned required = count_required(job);

	if (most && least > most)
		least = most;
	return least > required ? least : required;
}

void tb_job_spec_complete(struct tb_job_spec *spec)
{
	if (!spec->min_nodes)
		spec->min_nodes = 1;
	if (!spec->tasks)
		spec->tasks = spec->min_nodes *
			      (spec->per_node ? spec->per_node : 1);
	if (!spec->max_nodes || spec->max_nodes < spec->min_nodes)
		spec->max_nodes = UINT32_MAX;
	if (!spec->per_node || spec->per_node > spec->tasks)
		spec->per_node = spec->tasks;
	if (!spec->task_cpus)
		spec->task_cpus = 1;
}

int tb_job_spec_of_job(struct tb_job_spec *spec, const job_info_t *job,
		       const char *request, struct tb_error *err)
{
	*spec = (struct tb_job_spec){
		.implicit = tb_request_is_implicit(request),
		.partitions = get_text(job->partition),
		.required = get_text(job->req_nodes),
		.excluded = get_text(job->exc_nodes),
		.features = get_text(job->features),
		.reservation = get_text(job->resv_name),
		.tasks = get_given(job->num_tasks),
		.per_node = get_given_16(job->ntasks_per_node),
		.min_nodes = count_least_nodes(job),
		.max_nodes = get_given(job->max_nodes),
		.task_cpus = get_given_16(job->cpus_per_task),
		.memory = job->pn_min_memory == NO_VAL64 ? 0
							 : job->pn_min_memory,
		.gres = has_gres(job),
		.whole_nodes = job->shared == JOB_SHARED_NONE,
		.minutes = get_given(job->time_limit) ? (int64_t)job->time_limit
						      : -1,
	};
	tb_job_spec_complete(spec);
	tb_request_init(&spec->request);
	if (tb_comment_is_cut(request))
		return tb_fail(
			err,
			"its request is too long to be shown whole in its SystemComment; leave topology strings out of it");
	return tb_request_from_comment(&spec->request, request, err);
}

void tb_job_spec_clear(struct tb_job_spec *spec)
{
	tb_request_clear(&spec->request);
}
