/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wish.c - see wish.h */
#include "wish.h"

#include "common/job_comment.h"
#include "common/request_env.h"

/* 0 for what is not said: Slurm has a largest value for that, or 0. */
static unsigned said(uint32_t number)
{
	return number == NO_VAL || number == INFINITE ? 0 : number;
}

static unsigned said16(uint16_t number)
{
	return number >= INFINITE16 - 1 ? 0 : number;
}

static const char *text(const char *value)
{
	return value && *value ? value : NULL;
}

static bool has_gres(const job_info_t *job)
{
	return text(job->tres_per_job) || text(job->tres_per_node) ||
	       text(job->tres_per_socket) || text(job->tres_per_task);
}

void tb_wish_complete(struct tb_wish *wish)
{
	if (!wish->min_nodes)
		wish->min_nodes = 1;
	if (!wish->tasks)
		wish->tasks = wish->min_nodes *
			      (wish->per_node ? wish->per_node : 1);
	if (!wish->max_nodes || wish->max_nodes < wish->min_nodes)
		wish->max_nodes = UINT32_MAX;
	if (!wish->per_node || wish->per_node > wish->tasks)
		wish->per_node = wish->tasks;
	if (!wish->task_cpus)
		wish->task_cpus = 1;
}

int tb_wish_of_job(struct tb_wish *wish, const job_info_t *job,
		   const char *request, struct tb_error *err)
{
	*wish = (struct tb_wish){
		.implicit = tb_request_is_implicit(request),
		.partitions = text(job->partition),
		.required = text(job->req_nodes),
		.excluded = text(job->exc_nodes),
		.features = text(job->features),
		.reservation = text(job->resv_name),
		.tasks = said(job->num_tasks),
		.per_node = said16(job->ntasks_per_node),
		.min_nodes = said(job->num_nodes),
		.max_nodes = said(job->max_nodes),
		.task_cpus = said16(job->cpus_per_task),
		.memory = job->pn_min_memory == NO_VAL64
			? 0 : job->pn_min_memory,
		.gres = has_gres(job),
		.whole_nodes = job->shared == JOB_SHARED_NONE,
		.minutes = said(job->time_limit) ? (int64_t)job->time_limit
						 : -1,
	};
	tb_wish_complete(wish);
	tb_request_init(&wish->request);
	if (tb_comment_is_cut(request))
		return tb_fail(err, "its request is too long to be shown whole in its SystemComment; leave topology strings out of it");
	return tb_request_from_comment(&wish->request, request, err);
}

void tb_wish_clear(struct tb_wish *wish)
{
	tb_request_clear(&wish->request);
}
