/* SPDX-License-Identifier: GPL-2.0-or-later */
/* granted.c - see granted.h */
#include <stdlib.h>
#include <string.h>

#include "common/job/job_comment.h"
#include "common/job/job_cores.h"
#include "common/job/request_env.h"
#include "core/request/parts.h"
#include "granted.h"
#include "cluster/hosts.h"
#include "cluster/node_walk.h"

struct count {
	const struct tb_node_views *views;
	const job_info_t *job;
	const struct tb_request *request;
	uint64_t units;
};

/* ---- by the comment ---- */

static const struct tb_node_view *find_node(const struct tb_node_views *views,
					    const char *name)
{
	const node_info_t *node = tb_cluster_node(views->cluster, name);

	return node ? &views->nodes[node - views->cluster->nodes->node_array]
		    : NULL;
}

/* The shape of the first node of a list; NULL: it shows none. */
static struct tb_topology *find_first_shape(const struct tb_node_views *views,
					    const char *list)
{
	struct tb_hosts *hosts = tb_hosts_create(list);
	char *name = hosts ? tb_hosts_next(hosts) : NULL;
	const struct tb_node_view *node = name ? find_node(views, name) : NULL;
	struct tb_topology *topology = NULL;

	if (node && node->inuse)
		topology = tb_topology_parse(node->inuse, NULL, NULL);
	free(name);
	tb_hosts_destroy(hosts);
	return topology;
}

/* The topology and the threads of a grant; false: it makes no sense. */
static bool read_grant(const struct count *count,
		       const struct tb_comment_grant *grant,
		       struct tb_topology **topology,
		       struct tb_bitset **threads)
{
	*threads = NULL;
	if (!tb_comment_is_list(grant->units)) {
		*topology = tb_topology_parse(grant->units, threads, NULL);
		return *topology != NULL;
	}
	*topology = find_first_shape(count->views, grant->nodes);
	if (*topology)
		*threads = tb_bitset_parse_list(grant->units,
						tb_topology_threads(*topology),
						NULL);
	return *threads != NULL;
}

static unsigned count_hosts(const char *list)
{
	tb_hostlist_t hosts = slurm_hostlist_create(list);
	int count = hosts ? slurm_hostlist_count(hosts) : 0;

	if (hosts)
		slurm_hostlist_destroy(hosts);
	return count > 0 ? (unsigned)count : 0;
}

static bool count_grant(struct count *count,
			const struct tb_comment_grant *grant)
{
	unsigned nodes = count_hosts(grant->nodes);
	struct tb_topology *topology;
	struct tb_bitset *threads;
	bool makes_sense = read_grant(count, grant, &topology, &threads);

	if (makes_sense)
		count->units += (uint64_t)nodes *
				tb_request_count_units(count->request, topology,
						       threads);
	tb_topology_destroy(topology);
	tb_bitset_destroy(threads);
	return makes_sense;
}

/* ---- by the books ---- */

static void count_cores(struct count *count, const struct tb_node_view *node)
{
	struct tb_topology *topology = node->inuse
					       ? tb_topology_parse(node->inuse,
								   NULL, NULL)
					       : NULL;
	struct tb_bitset *threads =
		topology ? tb_bitset_create(tb_topology_threads(topology))
			 : NULL;

	if (threads && !tb_job_cores_threads(count->job, node->info, topology,
					     threads, NULL))
		count->units += tb_request_count_units(count->request, topology,
						       threads);
	tb_topology_destroy(topology);
	tb_bitset_destroy(threads);
}

static void count_all_cores(struct count *count)
{
	struct tb_node_walk walk = tb_node_walk_begin(count->job->node_inx,
						      count->views->nnodes);
	unsigned node;

	count->units = 0;
	while (tb_node_walk_next(&walk, &node))
		count_cores(count, &count->views->nodes[node]);
}

/* ---- a job ---- */

static bool count_comment(struct count *count, const struct tb_comment *comment)
{
	for (unsigned i = 0; i < comment->ngrants; i++)
		if (!count_grant(count, &comment->grants[i]))
			return false;
	if (comment->has_more)
		count_all_cores(count);
	return comment->ngrants || comment->has_more;
}

bool tb_granted_units(const struct tb_node_views *views, const job_info_t *job,
		      struct tb_unit *unit, uint64_t *count)
{
	struct tb_request request;
	struct tb_comment comment;
	struct count counted = { views, job, &request, 0 };
	bool bound = false;

	tb_request_init(&request);
	if (!tb_comment_read(&comment, job->system_comment, NULL) &&
	    comment.request && !tb_comment_is_cut(comment.request) &&
	    !tb_request_from_comment(&request, comment.request, NULL))
		bound = count_comment(&counted, &comment);
	*unit = request.unit;
	if (request.cpus)
		*unit = (struct tb_unit){ 'T', TB_POWER };
	*count = counted.units;
	tb_request_clear(&request);
	tb_comment_clear(&comment);
	return bound;
}
