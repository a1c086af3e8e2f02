/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "job_cores.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/slurm_errno.h>

#include "common/node/node_extra.h"
#include "compat/job_cpus.h"
#include "core/topology/topology.h"

struct tb_job_cores {
	const job_info_t *info;
	node_info_msg_t *nodes;
};

struct tb_job_cores *tb_job_cores_load(const job_info_t *info,
				       struct tb_error *err)
{
	struct tb_job_cores *cores = calloc(1, sizeof(*cores));

	if (cores == NULL) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	cores->info = info;
	if (slurm_load_node(0, &cores->nodes, SHOW_ALL) != 0) {
		tb_fail(err, "Slurm's controller sends no node records: %s",
			slurm_strerror(errno));
		tb_job_cores_destroy(cores);
		return NULL;
	}
	return cores;
}

void tb_job_cores_destroy(struct tb_job_cores *cores)
{
	if (cores == NULL)
		return;
	if (cores->nodes != NULL)
		slurm_free_node_info_msg(cores->nodes);
	free(cores);
}

static const node_info_t *find_node(const node_info_msg_t *nodes,
				    const char *name)
{
	for (uint32_t i = 0; i < nodes->record_count; i++) {
		const node_info_t *node = &nodes->node_array[i];

		if (node->name != NULL && strcmp(node->name, name) == 0)
			return node;
	}
	return NULL;
}

/* What is in lower case there is of all jobs and does not matter. */
static struct tb_topology *read_shape(const node_info_t *node,
				      struct tb_error *err)
{
	size_t length;
	const char *found = tb_extra_find(node->extra, TB_EXTRA_INUSE, &length);
	char *text = found != NULL ? strndup(found, length) : NULL;
	struct tb_topology *topology;

	if (text == NULL) {
		tb_fail(err,
			"it is too large for its SystemComment, and node "
			"%.100s does not show m_topology_inuse=; that needs "
			"NodeRecord=yes in topobind.conf",
			node->name);
		return NULL;
	}
	topology = tb_topology_parse(text, NULL, err);
	free(text);
	return topology;
}

/* A Slurm core is a core of the string or, where it has as many, a thread. */
int tb_job_cores_threads(const job_info_t *info, const node_info_t *node,
			 const struct tb_topology *topology,
			 struct tb_bitset *threads, struct tb_error *err)
{
	unsigned n = (unsigned)node->sockets * node->cores;
	struct tb_bitset *cores;

	if (n != tb_topology_cores(topology) &&
	    n != tb_topology_threads(topology))
		return tb_fail(err,
			       "node %.100s shows a topology of another size",
			       node->name);
	cores = tb_job_cpus_on_node(info, node->name, n, err);
	if (cores == NULL)
		return -1;
	if (n == tb_topology_cores(topology))
		tb_threads_of_cores(topology, cores, threads);
	else
		tb_bitset_assign(threads, cores);
	tb_bitset_destroy(cores);
	return 0;
}

static char *grant_of(const struct tb_job_cores *cores, const node_info_t *node,
		      const struct tb_topology *topology, struct tb_error *err)
{
	struct tb_bitset *threads = tb_bitset_create(
		tb_topology_threads(topology));
	char *text = NULL;

	if (threads == NULL) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	if (tb_job_cores_threads(cores->info, node, topology, threads, err) ==
	    0) {
		text = tb_topology_print(topology, threads);
		if (text == NULL)
			tb_fail(err, "out of memory");
	}
	tb_bitset_destroy(threads);
	return text;
}

char *tb_job_cores_grant(const struct tb_job_cores *cores, const char *node,
			 struct tb_error *err)
{
	const node_info_t *record = find_node(cores->nodes, node);
	struct tb_topology *topology;
	char *text;

	if (record == NULL) {
		tb_fail(err, "Slurm does not show its node %.100s", node);
		return NULL;
	}
	topology = read_shape(record, err);
	if (topology == NULL)
		return NULL;
	text = grant_of(cores, record, topology, err);
	tb_topology_destroy(topology);
	return text;
}
