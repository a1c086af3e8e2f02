/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "job_hostfile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/slurm_errno.h>

#include "job_comment.h"
#include "job_cores.h"
#include "request_env.h"
#include "common/conf/conf.h"
#include "compat/slurm_types.h"

struct tb_job_hostfile {
	struct tb_request request;
	struct tb_hostfile *file;
};

/* The nodes of each grant of the comment, in the same order. */
struct groups {
	const struct tb_comment *comment;
	tb_hostlist_t *nodes;
	unsigned count;
};

/* Where the grant of a node can be found. */
struct sources {
	const job_info_t *info;
	const struct tb_conf *conf; /* of the site; NULL: none */
	struct groups groups;
	struct tb_job_cores *cores; /* NULL: not asked for yet */
};

/* ---- what the comment says ---- */

static int make_groups(struct groups *groups, const struct tb_comment *comment,
		       struct tb_error *err)
{
	groups->comment = comment;
	groups->nodes = calloc(comment->ngrants + 1, sizeof(*groups->nodes));
	if (groups->nodes == NULL)
		return tb_fail(err, "out of memory");
	for (unsigned i = 0; i < comment->ngrants; i++) {
		groups->nodes[i] = slurm_hostlist_create(
			comment->grants[i].nodes);
		if (groups->nodes[i] == NULL)
			return tb_fail(err,
				       "the grant has no node list: %.100s",
				       comment->grants[i].nodes);
		groups->count++;
	}
	return 0;
}

static void clear_groups(struct groups *groups)
{
	for (unsigned i = 0; i < groups->count; i++)
		slurm_hostlist_destroy(groups->nodes[i]);
	free(groups->nodes);
}

/* ---- the nodes, in the order of the job's tasks ---- */

/* NULL: there was no room for its string. */
static const char *find_string(const struct groups *groups, const char *name)
{
	for (unsigned i = 0; i < groups->count; i++) {
		const char *units = groups->comment->grants[i].units;

		if (!tb_comment_is_list(units) &&
		    slurm_hostlist_find(groups->nodes[i], name) >= 0)
			return units;
	}
	return NULL;
}

static int add_grant(struct tb_hostfile *file, const struct sources *sources,
		     const char *name, const char *grant, struct tb_error *err)
{
	const struct tb_filter *filter =
		sources->conf != NULL ? tb_conf_filter(sources->conf, name,
						       sources->info->partition)
				      : NULL;

	return tb_hostfile_add(file, name, grant, filter, err);
}

static int add_by_cores(struct tb_hostfile *file, struct sources *sources,
			const char *name, struct tb_error *err)
{
	char *grant = NULL;
	int rc = -1;

	if (sources->cores == NULL)
		sources->cores = tb_job_cores_load(sources->info, err);
	if (sources->cores != NULL)
		grant = tb_job_cores_grant(sources->cores, name, err);
	if (grant != NULL)
		rc = add_grant(file, sources, name, grant, err);
	free(grant);
	return rc;
}

static int add_node(struct tb_hostfile *file, struct sources *sources,
		    const char *name, struct tb_error *err)
{
	const char *string = find_string(&sources->groups, name);

	return string != NULL ? add_grant(file, sources, name, string, err)
			      : add_by_cores(file, sources, name, err);
}

static int add_nodes(struct tb_hostfile *file, struct sources *sources,
		     struct tb_error *err)
{
	tb_hostlist_t nodes = slurm_hostlist_create(sources->info->nodes);
	char *name;
	int rc = 0;

	if (nodes == NULL)
		return tb_fail(err, "out of memory");
	while (rc == 0 && (name = slurm_hostlist_shift(nodes)) != NULL) {
		rc = add_node(file, sources, name, err);
		free(name);
	}
	slurm_hostlist_destroy(nodes);
	return rc;
}

/* ---- the job ---- */

static unsigned known_number(uint32_t number, uint32_t unknown)
{
	return number == unknown ? 0 : number;
}

static struct tb_hostfile *create_file(const struct tb_request *request,
				       const job_info_t *info)
{
	const struct tb_hostfile_job job = {
		.request = request,
		.partition = info->partition != NULL ? info->partition : "",
		.tasks = known_number(info->num_tasks, NO_VAL),
		.tasks_per_node = known_number(info->ntasks_per_node, NO_VAL16),
		.cpus_per_task = known_number(info->cpus_per_task, NO_VAL16),
	};

	return tb_hostfile_create(&job);
}

static int read_nodes(struct tb_job_hostfile *job, struct sources *sources,
		      const struct tb_comment *comment, struct tb_error *err)
{
	int rc;

	job->file = create_file(&job->request, sources->info);
	if (job->file == NULL)
		return tb_fail(err, "out of memory");
	rc = make_groups(&sources->groups, comment, err);
	if (rc == 0)
		rc = add_nodes(job->file, sources, err);
	clear_groups(&sources->groups);
	tb_job_cores_destroy(sources->cores);
	return rc;
}

static int read_comment(struct tb_job_hostfile *job, struct sources *sources,
			const struct tb_comment *comment, struct tb_error *err)
{
	if (comment->request == NULL ||
	    (comment->ngrants == 0 && !comment->has_more))
		return tb_fail(err,
			       "it has no binding, so its tasks have no "
			       "slots: submit it with --bunit and --bamount");
	if (tb_comment_is_cut(comment->request))
		return tb_fail(err,
			       "its request is too long to be shown "
			       "whole in its SystemComment; leave topology "
			       "strings out of it");
	if (tb_request_from_comment(&job->request, comment->request, err) < 0)
		return -1;
	return read_nodes(job, sources, comment, err);
}

static int read_job(struct tb_job_hostfile *job, struct sources *sources,
		    struct tb_error *err)
{
	struct tb_comment comment;
	int rc = tb_comment_read(&comment, sources->info->system_comment, err);

	if (rc == 0)
		rc = read_comment(job, sources, &comment, err);
	tb_comment_clear(&comment);
	return rc;
}

struct tb_job_hostfile *tb_job_hostfile_of(const job_info_t *info,
					   const struct tb_conf *conf,
					   struct tb_error *err)
{
	struct sources sources = { .info = info, .conf = conf };
	struct tb_job_hostfile *job = calloc(1, sizeof(*job));

	if (job == NULL) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	tb_request_init(&job->request);
	if (read_job(job, &sources, err) < 0) {
		tb_job_hostfile_destroy(job);
		job = NULL;
	}
	return job;
}

void tb_job_hostfile_destroy(struct tb_job_hostfile *job)
{
	if (job == NULL)
		return;
	tb_hostfile_destroy(job->file);
	tb_request_clear(&job->request);
	free(job);
}

struct tb_hostfile *tb_job_hostfile_file(struct tb_job_hostfile *job)
{
	return job->file;
}

/* ---- which of the records that Slurm sends ---- */

static bool is_meant(const struct tb_job_id *id, const job_info_t *info)
{
	if (id->array_task != NO_VAL)
		return info->array_job_id == id->job &&
		       info->array_task_id == id->array_task;
	if (id->het_part != NO_VAL)
		return info->het_job_id == id->job &&
		       info->het_job_offset == id->het_part;
	return info->job_id == id->job;
}

static const job_info_t *find_job(const struct tb_job_id *id,
				  const job_info_msg_t *jobs)
{
	for (uint32_t i = 0; i < jobs->record_count; i++)
		if (is_meant(id, &jobs->job_array[i]))
			return &jobs->job_array[i];
	return NULL;
}

static struct tb_job_hostfile *make_of_records(const struct tb_job_id *id,
					       const job_info_msg_t *jobs,
					       const struct tb_conf *conf,
					       struct tb_error *err)
{
	const job_info_t *info = find_job(id, jobs);
	uint32_t state = info != NULL ? info->job_state & JOB_STATE_BASE : 0;

	if (info == NULL)
		tb_fail(err, "it has no such task or part");
	else if (state == JOB_PENDING)
		tb_fail(err, "it is pending: it has units when it has started");
	else if (state != JOB_RUNNING && state != JOB_SUSPENDED)
		tb_fail(err, "it is over and has no units any more");
	else if (info->nodes == NULL)
		tb_fail(err, "it has no nodes");
	else
		return tb_job_hostfile_of(info, conf, err);
	return NULL;
}

struct tb_job_hostfile *tb_job_hostfile_load(const struct tb_job_id *id,
					     const struct tb_conf *conf,
					     struct tb_error *err)
{
	job_info_msg_t *jobs = NULL;
	struct tb_job_hostfile *job;

	/* This cluster's: a federation takes a question more. */
	if (tb_load_job(&jobs, id->job, SHOW_ALL | SHOW_LOCAL | SHOW_DETAIL) !=
	    0) {
		if (errno == ESLURM_INVALID_JOB_ID)
			tb_fail(err, "Slurm knows no such job, or does not "
				     "show it to you");
		else
			tb_fail(err, "Slurm's controller gives no answer: %s",
				slurm_strerror(errno));
		return NULL;
	}
	job = make_of_records(id, jobs, conf, err);
	slurm_free_job_info_msg(jobs);
	return job;
}
