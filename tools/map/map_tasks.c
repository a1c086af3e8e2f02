/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_tasks.c - see map_tasks.h */
#define _GNU_SOURCE /* asprintf */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/cluster.h"
#include "cluster/hosts.h"
#include "map_tasks.h"

char *tb_map_tasks_nodes(const struct tb_job_views *views, struct tb_error *err)
{
	struct tb_hosts *hosts = tb_hosts_create("");
	unsigned count = 0;
	char *list = NULL;

	for (unsigned i = 0; hosts && i < views->njobs; i++)
		for (unsigned j = 0; j < views->jobs[i].nnodes; j++, count++)
			tb_hosts_add(hosts, views->jobs[i].nodes[j].name);
	if (hosts)
		list = tb_hosts_print(hosts);
	tb_hosts_destroy(hosts);
	if (list && count)
		return list;
	free(list);
	tb_fail(err, hosts && list ? "it has no nodes: it waits, or is over"
				   : "out of memory");
	return NULL;
}

static struct tb_map_node *find_node(const struct tb_map *map, const char *name)
{
	for (unsigned i = 0; i < map->nnodes; i++)
		if (!strcmp(map->nodes[i].name, name))
			return &map->nodes[i];
	return NULL;
}

/* One more holder of threads: a task, or with a negative number all of the job. */
static int add_holder(struct tb_map *map, const struct tb_job_view *job,
		      long task, struct tb_error *err)
{
	const char *name = job->info->name ? job->info->name : "";
	const char *request = job->comment.request;
	char *text = NULL;
	int index;

	if (task >= 0 && asprintf(&text, "task %ld", task) < 0)
		return tb_fail(err, "out of memory");
	index = tb_map_add_job(map, job->id, job->user, text ? text : name,
			       request ? request : "", err);
	free(text);
	if (index < 0)
		return -1;
	map->jobs[index].task = task;
	map->jobs[index].end = tb_cluster_job_end(job->info);
	return index;
}

/* Its topology may have changed since the job got its grant. */
static int note(struct tb_map_node *node, int holder,
		const struct tb_job_node *granted,
		const struct tb_bitset *threads, struct tb_error *err)
{
	if (holder < 0)
		return -1;
	if (!node || !node->topology || !granted->topology ||
	    !tb_topology_same_shape(node->topology, granted->topology))
		return 0;
	return tb_map_note_job_threads(node, holder, threads, err);
}

static int add_tasks_of_node(struct tb_map *map, const struct tb_job_view *job,
			     const struct tb_job_node *granted,
			     struct tb_error *err)
{
	struct tb_map_node *node = find_node(map, granted->name);

	for (unsigned slot = 0; slot < granted->tasks; slot++)
		if (note(node,
			 add_holder(map, job, granted->first_task + slot, err),
			 granted, granted->slots[slot], err))
			return -1;
	return 0;
}

static int add_whole(struct tb_map *map, const struct tb_job_view *job,
		     struct tb_error *err)
{
	int holder = add_holder(map, job, -1, err);

	for (unsigned i = 0; i < job->nnodes; i++)
		if (note(find_node(map, job->nodes[i].name), holder,
			 &job->nodes[i], job->nodes[i].threads, err))
			return -1;
	return 0;
}

static bool has_tasks(const struct tb_job_view *job)
{
	for (unsigned i = 0; i < job->nnodes; i++)
		if (job->nodes[i].tasks)
			return true;
	return false;
}

int tb_map_add_tasks(struct tb_map *map, const struct tb_job_views *views,
		     struct tb_error *err)
{
	for (unsigned i = 0; i < views->njobs; i++) {
		const struct tb_job_view *job = &views->jobs[i];

		if (!job->nnodes)
			continue;
		if (!has_tasks(job) && add_whole(map, job, err))
			return -1;
		for (unsigned j = 0; j < job->nnodes; j++)
			if (add_tasks_of_node(map, job, &job->nodes[j], err))
				return -1;
	}
	return 0;
}
