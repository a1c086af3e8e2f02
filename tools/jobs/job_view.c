/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_view.c - see job_view.h */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/slurm_errno.h>

#include "cluster/cluster.h"
#include "cluster/conf_here.h"
#include "common/conf/conf.h"
#include "common/job/job_cores.h"
#include "common/job/request_env.h"
#include "core/place/place.h"
#include "core/request/parts.h"
#include "cluster/hosts.h"
#include "job_blocked.h"
#include "cluster/job_id.h"
#include "job_view.h"

/* ---- nodes of a bound job ---- */

static int add_slot(struct tb_job_node *node, const struct tb_hostfile *file,
		    unsigned at, unsigned slot)
{
	struct tb_bitset *threads = tb_bitset_create(node->threads->nbits);

	if (!threads)
		return -1;
	tb_hostfile_slot(file, at, slot, threads);
	node->slots[node->tasks++] = threads;
	return 0;
}

/* The topology is read again: the file goes before the view does. */
static int take_node(struct tb_job_node *node, const struct tb_hostfile *file,
		     unsigned at, const struct tb_hostfile_node *from,
		     struct tb_error *err)
{
	node->name = strdup(from->name);
	node->slots = calloc(from->ranks + 1, sizeof(struct tb_bitset *));
	node->nslots = from->slots;
	if (!node->name || !node->slots)
		return tb_fail(err, "out of memory");
	node->topology = tb_topology_parse(from->grant, &node->threads, err);
	if (!node->topology)
		return -1;
	for (unsigned i = 0; i < from->ranks; i++)
		if (add_slot(node, file, at, i % node->nslots))
			return tb_fail(err, "out of memory");
	return 0;
}

static int take_file(struct tb_job_view *job, struct tb_hostfile *file,
		     struct tb_error *err)
{
	struct tb_hostfile_node from;
	unsigned count = 0, task = 0;

	while (tb_hostfile_node(file, count, &from))
		count++;
	job->nodes = calloc(count + 1, sizeof(*job->nodes));
	if (!job->nodes)
		return tb_fail(err, "out of memory");
	tb_hostfile_deal_all(file);
	for (; tb_hostfile_node(file, job->nnodes, &from); job->nnodes++) {
		struct tb_job_node *node = &job->nodes[job->nnodes];

		node->first_task = task;
		if (take_node(node, file, job->nnodes, &from, err)) {
			job->nnodes++;
			return -1;
		}
		task += node->tasks;
	}
	return 0;
}

static int take_bound_nodes(struct tb_job_view *job, const struct tb_conf *conf,
			    struct tb_error *err)
{
	struct tb_job_hostfile *hostfile = tb_job_hostfile_of(job->info, conf,
							      err);
	int rc = -1;

	if (hostfile)
		rc = take_file(job, tb_job_hostfile_file(hostfile), err);
	tb_job_hostfile_destroy(hostfile);
	return rc;
}

/* ---- nodes of a job without a binding ---- */

/* What is not known is left out: the node shows no topology. */
static void take_cores(struct tb_job_node *node,
		       const struct tb_job_cores *cores)
{
	char *grant = tb_job_cores_grant(cores, node->name, NULL);

	if (grant)
		node->topology = tb_topology_parse(grant, &node->threads, NULL);
	free(grant);
}

static int take_listed(struct tb_job_view *job,
		       const struct tb_job_cores *cores, struct tb_error *err)
{
	struct tb_hosts *hosts = tb_hosts_create(job->info->nodes);
	unsigned most = job->info->num_nodes;
	char *name;

	job->nodes = calloc(most + 1, sizeof(*job->nodes));
	while (hosts && job->nodes && job->nnodes < most &&
	       (name = tb_hosts_next(hosts))) {
		struct tb_job_node *node = &job->nodes[job->nnodes++];

		node->name = name;
		take_cores(node, cores);
	}
	tb_hosts_destroy(hosts);
	return hosts && job->nodes ? 0 : tb_fail(err, "out of memory");
}

static int take_plain_nodes(struct tb_job_view *job, struct tb_error *err)
{
	struct tb_job_cores *cores = tb_job_cores_load(job->info, err);
	int rc = cores ? take_listed(job, cores, err) : -1;

	tb_job_cores_destroy(cores);
	return rc;
}

/* ---- jobs ---- */

static void clear_nodes(struct tb_job_view *job)
{
	for (unsigned i = 0; i < job->nnodes; i++) {
		struct tb_job_node *node = &job->nodes[i];

		for (unsigned task = 0; task < node->tasks; task++)
			tb_bitset_destroy(node->slots[task]);
		free(node->slots);
		free(node->name);
		tb_bitset_destroy(node->threads);
		tb_bitset_destroy(node->blocked);
		tb_topology_destroy(node->topology);
	}
	free(job->nodes);
	job->nodes = NULL;
	job->nnodes = 0;
}

static int take_nodes(struct tb_job_view *job, const struct tb_conf *conf,
		      struct tb_error *err)
{
	bool holds = tb_cluster_job_holds(job->info);
	int rc = 0;

	if (!job->info->nodes || !*job->info->nodes)
		return 0;
	if (job->comment.request && job->comment.ngrants)
		rc = take_bound_nodes(job, conf, err);
	else if (holds)
		rc = take_plain_nodes(job, err);
	if (!rc || holds)
		return rc;
	/* Of a job that is over not everything is known any more. */
	clear_nodes(job);
	return 0;
}

static int take_job(struct tb_job_view *job, const job_info_t *info,
		    const struct tb_conf *conf, struct tb_error *err)
{
	job->info = info;
	job->id = tb_job_id_print(info);
	job->user = tb_cluster_job_user(info);
	if (!job->id || !job->user)
		return tb_fail(err, "out of memory");
	if (tb_comment_read(&job->comment, info->system_comment, err))
		return -1;
	/* One that was cut is shown as it is. */
	if (job->comment.request && !tb_comment_is_cut(job->comment.request) &&
	    tb_request_from_comment(&job->request, job->comment.request, err))
		return -1;
	return take_nodes(job, conf, err);
}

/* ---- which ones ---- */

static bool is_shown(const struct tb_job_id *id, const job_info_t *job,
		     const job_info_t *named)
{
	if (id->array_task != NO_VAL || id->het_part != NO_VAL)
		return job == named;
	return job->job_id == id->job || job->array_job_id == id->job ||
	       job->het_job_id == id->job;
}

static int take_jobs(struct tb_job_views *views, const struct tb_job_id *id,
		     struct tb_error *err)
{
	const job_info_msg_t *all = views->records;
	const job_info_t *named = id ? tb_job_id_find(id, all) : NULL;

	views->jobs = calloc(all->record_count + 1, sizeof(*views->jobs));
	if (!views->jobs)
		return tb_fail(err, "out of memory");
	for (uint32_t i = 0; i < all->record_count; i++) {
		struct tb_job_view *job = &views->jobs[views->njobs];

		if (id ? !is_shown(id, &all->job_array[i], named)
		       : !tb_job_waits(&all->job_array[i]))
			continue;
		views->njobs++;
		tb_request_init(&job->request);
		if (take_job(job, &all->job_array[i], views->conf, err))
			return -1;
	}
	return views->njobs || !id
		       ? 0
		       : tb_fail(err, "it has no such task or part");
}

struct tb_job_views *tb_job_views_load(const struct tb_job_id *id,
				       struct tb_error *err)
{
	struct tb_job_views *views = calloc(1, sizeof(*views));
	struct tb_error why;

	if (!views) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	/* Without it there are no filters. */
	views->conf = tb_conf_here(&why);
	views->records = id ? tb_job_id_load(id, SHOW_DETAIL, err)
			    : tb_job_id_load_own(SHOW_DETAIL, err);
	if (views->records && !take_jobs(views, id, err)) {
		tb_job_blocked_find(views->jobs, views->njobs);
		return views;
	}
	tb_job_views_destroy(views);
	return NULL;
}

void tb_job_views_destroy(struct tb_job_views *views)
{
	if (!views)
		return;
	for (unsigned i = 0; i < views->njobs; i++) {
		struct tb_job_view *job = &views->jobs[i];

		clear_nodes(job);
		tb_request_clear(&job->request);
		tb_comment_clear(&job->comment);
		free(job->id);
		free(job->user);
	}
	free(views->jobs);
	if (views->records)
		slurm_free_job_info_msg(views->records);
	tb_conf_destroy(views->conf);
	free(views);
}

unsigned tb_job_view_units(const struct tb_job_view *job,
			   const struct tb_job_node *node,
			   const struct tb_bitset *threads)
{
	if (!job->comment.request || !node->topology)
		return 0;
	return tb_request_count_units(&job->request, node->topology, threads);
}
