/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "common/job_hostfile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "common/job_comment.h"
#include "common/request_env.h"

#define IMPLICIT "implicit"

struct tb_job_hostfile {
	struct tb_request request;
	struct tb_hostfile *file;
};

/* Nodes with the same grant, pointing into a copy of the comment. */
struct group {
	hostlist_t nodes;
	const char *string;
};

struct groups {
	struct group *group;
	unsigned count;
};

/* ---- the lines of the comment ---- */

/* "implicit,bunit=C" is the site's request, in place of the job's. */
static int read_request(struct tb_request *request, const char *line,
			struct tb_error *err)
{
	size_t length = strlen(IMPLICIT);
	struct tb_request site;
	int rc = 0;

	if (strncmp(line, IMPLICIT, length) != 0 ||
	    (line[length] != ',' && line[length] != '\0'))
		return tb_request_parse(request, line, err);
	line += length + (line[length] == ',');
	tb_request_init(&site);
	if (line[0] != '\0')
		rc = tb_request_parse(&site, line, err);
	if (rc == 0)
		rc = tb_request_bind_implicitly(request, &site, err);
	tb_request_clear(&site);
	return rc;
}

static int add_group(struct groups *groups, char *value, struct tb_error *err)
{
	struct group *more;
	const char *nodes;

	more = reallocarray(groups->group, groups->count + 1, sizeof(*more));
	if (more == NULL)
		return tb_fail(err, "out of memory");
	groups->group = more;
	if (tb_comment_cut_grant(value, &nodes, &more[groups->count].string,
				 err) < 0)
		return -1;
	more[groups->count].nodes = slurm_hostlist_create(nodes);
	if (more[groups->count].nodes == NULL)
		return tb_fail(err, "the grant has no node list: %.100s",
			       nodes);
	groups->count++;
	return 0;
}

static void clear_groups(struct groups *groups)
{
	for (unsigned i = 0; i < groups->count; i++)
		slurm_hostlist_destroy(groups->group[i].nodes);
	free(groups->group);
}

/* Into request and groups; comment is changed and pointed into. */
static int read_comment(char *comment, struct tb_request *request,
			struct groups *groups, struct tb_error *err)
{
	enum tb_comment_line line;
	bool bound = false;
	char *value;
	int rc = 0;

	while (rc == 0 && (value = tb_comment_next(&comment, &line)) != NULL) {
		if (line == TB_COMMENT_GRANT && bound) {
			rc = add_group(groups, value, err);
		} else if (line == TB_COMMENT_BINDING && !bound) {
			bound = true;
			rc = read_request(request, value, err);
		}
	}
	if (rc == 0 && groups->count == 0)
		rc = tb_fail(err, "it has no binding, so its tasks have no "
			     "slots: submit it with --bunit and --bamount");
	return rc;
}

/* ---- the nodes, in the order of the job's tasks ---- */

static const char *grant_of_node(const struct groups *groups, const char *name)
{
	for (unsigned i = 0; i < groups->count; i++)
		if (slurm_hostlist_find(groups->group[i].nodes, name) >= 0)
			return groups->group[i].string;
	return NULL;
}

static int add_node(struct tb_hostfile *file, const struct groups *groups,
		    const char *name, struct tb_error *err)
{
	const char *grant = grant_of_node(groups, name);

	if (grant == NULL)
		return tb_fail(err, "nothing is said to be granted on its "
			       "node %.100s", name);
	return tb_hostfile_add(file, name, grant, err);
}

static int add_nodes(struct tb_hostfile *file, const struct groups *groups,
		     const char *list, struct tb_error *err)
{
	hostlist_t nodes = slurm_hostlist_create(list);
	char *name;
	int rc = 0;

	if (nodes == NULL)
		return tb_fail(err, "out of memory");
	while (rc == 0 && (name = slurm_hostlist_shift(nodes)) != NULL) {
		rc = add_node(file, groups, name, err);
		free(name);
	}
	slurm_hostlist_destroy(nodes);
	return rc;
}

/* ---- the job ---- */

static unsigned known(uint32_t number, uint32_t unknown)
{
	return number == unknown ? 0 : number;
}

static struct tb_hostfile *create_file(const struct tb_request *request,
				       const job_info_t *info)
{
	const struct tb_hostfile_job job = {
		.request = request,
		.partition = info->partition != NULL ? info->partition : "",
		.tasks = known(info->num_tasks, NO_VAL),
		.tasks_per_node = known(info->ntasks_per_node, NO_VAL16),
		.cpus_per_task = known(info->cpus_per_task, NO_VAL16),
	};

	return tb_hostfile_create(&job);
}

static int read_job(struct tb_job_hostfile *job, const job_info_t *info,
		    struct tb_error *err)
{
	char *comment = strdup(info->system_comment != NULL ?
			       info->system_comment : "");
	struct groups groups = { 0 };
	int rc;

	if (comment == NULL)
		return tb_fail(err, "out of memory");
	rc = read_comment(comment, &job->request, &groups, err);
	if (rc == 0) {
		job->file = create_file(&job->request, info);
		rc = job->file != NULL ?
			add_nodes(job->file, &groups, info->nodes, err) :
			tb_fail(err, "out of memory");
	}
	clear_groups(&groups);
	free(comment);
	return rc;
}

static struct tb_job_hostfile *create_job(const job_info_t *info,
					  struct tb_error *err)
{
	struct tb_job_hostfile *job = calloc(1, sizeof(*job));

	if (job == NULL) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	tb_request_init(&job->request);
	if (read_job(job, info, err) < 0) {
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

static struct tb_job_hostfile *of_records(const struct tb_job_id *id,
					  const job_info_msg_t *jobs,
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
		return create_job(info, err);
	return NULL;
}

struct tb_job_hostfile *tb_job_hostfile_load(const struct tb_job_id *id,
					     struct tb_error *err)
{
	job_info_msg_t *jobs = NULL;
	struct tb_job_hostfile *job;

	/* This cluster's: a federation takes a question more. */
	if (slurm_load_job(&jobs, id->job, SHOW_ALL | SHOW_LOCAL) != 0) {
		if (errno == ESLURM_INVALID_JOB_ID)
			tb_fail(err, "Slurm knows no such job, or does not "
				"show it to you");
		else
			tb_fail(err, "Slurm's controller gives no answer: %s",
				slurm_strerror(errno));
		return NULL;
	}
	job = of_records(id, jobs, err);
	slurm_free_job_info_msg(jobs);
	return job;
}
