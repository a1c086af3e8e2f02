/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cluster.c - see cluster.h */
#define _GNU_SOURCE /* asprintf, strndup */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/slurm_errno.h>

#include "cluster.h"
#include "conf_here.h"
#include "hosts.h"
#include "common/conf/conf.h"
#include "common/node/extra_json.h"
#include "common/node/node_extra.h"
#include "core/topology/distances.h"
#include "core/topology/os_cpus.h"

/* ---- asking ---- */

static int cannot_get(const char *what, struct tb_error *err)
{
	return tb_fail(err, "cannot get the %s from Slurm: %s", what,
		       slurm_strerror(errno));
}

static int load_lists(struct tb_cluster *cluster, unsigned what,
		      struct tb_error *err)
{
	uint16_t detail = what & TB_CLUSTER_CORES ? SHOW_DETAIL : 0;

	uint16_t of_nodes = what & TB_CLUSTER_DEVICES ? SHOW_DETAIL : 0;

	if (slurm_load_node(0, &cluster->nodes,
			    SHOW_ALL | SHOW_MIXED | of_nodes))
		return cannot_get("nodes", err);
	if (what & (TB_CLUSTER_JOBS | TB_CLUSTER_CORES) &&
	    slurm_load_jobs(0, &cluster->jobs, SHOW_ALL | detail))
		return cannot_get("jobs", err);
	if (what & (TB_CLUSTER_SITE | TB_CLUSTER_PARTITIONS) &&
	    slurm_load_partitions(0, &cluster->partitions, SHOW_ALL))
		return cannot_get("partitions", err);
	if (what & TB_CLUSTER_CONF && slurm_load_ctl_conf(0, &cluster->slurm))
		return cannot_get("configuration", err);
	if (what & TB_CLUSTER_PARTITIONS)
		slurm_populate_node_partitions(cluster->nodes,
					       cluster->partitions);
	if (!(what & TB_CLUSTER_SITE))
		return 0;
	/* PrivateData=reservations hides all of them from users. */
	if (slurm_load_reservations(0, &cluster->reservations) &&
	    errno != ESLURM_ACCESS_DENIED)
		return cannot_get("reservations", err);
	return 0;
}

struct tb_cluster *tb_cluster_load(unsigned what, struct tb_error *err)
{
	struct tb_cluster *cluster = calloc(1, sizeof(*cluster));

	if (!cluster) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	if (!load_lists(cluster, what, err)) {
		/* Nodes and jobs can be told without it. */
		if (what & TB_CLUSTER_CONF)
			cluster->conf = tb_conf_here(&cluster->conf_why);
		return cluster;
	}
	tb_cluster_destroy(cluster);
	return NULL;
}

void tb_cluster_destroy(struct tb_cluster *cluster)
{
	if (!cluster)
		return;
	if (cluster->nodes)
		slurm_free_node_info_msg(cluster->nodes);
	if (cluster->jobs)
		slurm_free_job_info_msg(cluster->jobs);
	if (cluster->partitions)
		slurm_free_partition_info_msg(cluster->partitions);
	if (cluster->reservations)
		slurm_free_reservation_info_msg(cluster->reservations);
	if (cluster->slurm)
		tb_free_slurm_conf(cluster->slurm);
	tb_conf_destroy(cluster->conf);
	free(cluster);
}

/* ---- nodes and partitions ---- */

const node_info_t *tb_cluster_node(const struct tb_cluster *cluster,
				   const char *name)
{
	const node_info_msg_t *nodes = cluster->nodes;

	for (uint32_t i = 0; i < nodes->record_count; i++)
		if (nodes->node_array[i].name &&
		    !strcmp(nodes->node_array[i].name, name))
			return &nodes->node_array[i];
	return NULL;
}

static char *find_unknown(const struct tb_cluster *cluster, tb_hostlist_t names)
{
	char *list = tb_hostlist_print(names);
	struct tb_hosts *hosts = list ? tb_hosts_create(list) : NULL;
	char *name = NULL;

	while (hosts && (name = tb_hosts_next(hosts)) &&
	       tb_cluster_node(cluster, name))
		free(name);
	tb_hosts_destroy(hosts);
	free(list);
	return name;
}

/* Names are looked up one by one only where one is wrong. */
char *tb_cluster_find_unknown(const struct tb_cluster *cluster,
			      tb_hostlist_t names)
{
	const node_info_msg_t *nodes = cluster->nodes;
	int known = 0;

	for (uint32_t i = 0; i < nodes->record_count; i++)
		known += nodes->node_array[i].name &&
			 slurm_hostlist_find(names,
					     nodes->node_array[i].name) >= 0;
	return known < slurm_hostlist_count(names)
		       ? find_unknown(cluster, names)
		       : NULL;
}

const partition_info_t *tb_cluster_partition(const struct tb_cluster *cluster,
					     const char *name)
{
	const partition_info_msg_t *partitions = cluster->partitions;

	for (uint32_t i = 0; i < partitions->record_count; i++)
		if (partitions->partition_array[i].name &&
		    !strcmp(partitions->partition_array[i].name, name))
			return &partitions->partition_array[i];
	return NULL;
}

/*
 * A site may have put commas between its tokens and ours; distances and JSON have
 * some.
 */
char *tb_cluster_token(const node_info_t *node, const char *name)
{
	char *copy = node->extra ? strdup(node->extra) : NULL;
	bool has_commas = !strcmp(name, TB_EXTRA_DISTANCES) ||
			  tb_extra_is_json(copy);
	const char *value;
	char *text = NULL;
	size_t length;

	for (char *c = copy; c && *c; c++)
		if (*c == ',' && !has_commas)
			*c = ' ';
	value = tb_extra_find(copy, name, &length);
	if (value)
		text = strndup(value, length);
	free(copy);
	return text;
}

/* What is not right in them is as if it were not there. */
static void set_distances(struct tb_topology *topology, const node_info_t *node)
{
	char *text = tb_cluster_token(node, TB_EXTRA_DISTANCES);
	unsigned count = tb_topology_count(topology, 'N');
	unsigned *distances = NULL;

	if (text)
		distances = tb_distances_parse(text, count, NULL);
	if (distances)
		tb_topology_set_distances(topology, distances, count, NULL);
	free(distances);
	free(text);
}

static void set_os_cpus(struct tb_topology *topology, const node_info_t *node)
{
	char *text = tb_cluster_token(node, TB_EXTRA_OS_CPUS);
	unsigned *os_cpus = text ? tb_os_cpus_parse(text, topology, NULL)
				 : NULL;

	if (os_cpus)
		tb_topology_set_os_cpus(topology, os_cpus, NULL);
	free(os_cpus);
	free(text);
}

struct tb_topology *tb_cluster_topology(const node_info_t *node,
					struct tb_bitset **inuse,
					struct tb_error *err)
{
	char *text = tb_cluster_token(node, TB_EXTRA_INUSE);
	struct tb_topology *topology = NULL;

	if (!text)
		text = tb_cluster_token(node, TB_EXTRA_TOPOLOGY);
	if (text)
		topology = tb_topology_parse(text, inuse, err);
	else
		tb_fail(err,
			"it shows neither m_topology_inuse= nor m_topology=");
	if (topology) {
		set_distances(topology, node);
		set_os_cpus(topology, node);
	}
	free(text);
	return topology;
}

/* As CPUs of Slurm's: so many for each core. */
void tb_cluster_add_system(const node_info_t *node,
			   const struct tb_topology *topology,
			   struct tb_bitset *threads)
{
	unsigned cores = (unsigned)node->sockets * node->cores;
	unsigned per_core = node->threads ? node->threads : 1;
	bool by_core = cores == tb_topology_cores(topology);
	struct tb_bitset *cpus;

	if (!node->cpu_spec_list)
		return;
	cpus = tb_bitset_parse_list(node->cpu_spec_list, cores * per_core,
				    NULL);
	if (!cpus)
		return;
	TB_BITSET_EACH(i, cpus) {
		unsigned core = i / per_core;

		if (!by_core && core < threads->nbits)
			tb_bitset_set(threads, core);
		else if (by_core)
			tb_bitset_set_range(threads,
					    tb_core_first_thread(topology,
								 core),
					    tb_core_threads(topology, core));
	}
	tb_bitset_destroy(cpus);
}

bool tb_cluster_add_lost(const node_info_t *node,
			 const struct tb_topology *topology,
			 struct tb_bitset *threads)
{
	char *text = tb_cluster_token(node, TB_EXTRA_LOST);
	struct tb_bitset *lost = NULL;
	struct tb_topology *shown = text ? tb_topology_parse(text, &lost, NULL)
					 : NULL;
	bool is_its = shown && tb_topology_same_shape(shown, topology);

	if (is_its)
		tb_bitset_or(threads, lost);
	tb_topology_destroy(shown);
	tb_bitset_destroy(lost);
	free(text);
	return is_its;
}

/* ---- jobs ---- */

bool tb_cluster_job_holds(const job_info_t *job)
{
	uint32_t base = job->job_state & JOB_STATE_BASE;

	return base == JOB_RUNNING || base == JOB_SUSPENDED ||
	       (job->job_state & JOB_COMPLETING);
}

bool tb_cluster_job_gave_back(const job_info_t *job)
{
	return (job->job_state & JOB_STATE_BASE) == JOB_SUSPENDED &&
	       !job->priority;
}

/* What Slurm writes as the limit, and so the end, of a job without one. */
#define YEAR_MINUTES (365 * 24 * 60)

time_t tb_cluster_job_end(const job_info_t *job)
{
	return job->time_limit >= YEAR_MINUTES ? 0 : job->end_time;
}

char *tb_cluster_job_id(const job_info_t *job)
{
	char *text;
	int length;

	if (job->array_task_id != NO_VAL && job->array_job_id)
		length = asprintf(&text, "%u_%u", job->array_job_id,
				  job->array_task_id);
	else if (job->het_job_id)
		length = asprintf(&text, "%u+%u", job->het_job_id,
				  job->het_job_offset);
	else
		length = asprintf(&text, "%u", job->job_id);
	return length < 0 ? NULL : text;
}

char *tb_cluster_job_user(const job_info_t *job)
{
	const struct passwd *user;
	char *text;

	if (job->user_name && *job->user_name)
		return strdup(job->user_name);
	user = getpwuid(job->user_id);
	if (user)
		return strdup(user->pw_name);
	return asprintf(&text, "%u", job->user_id) < 0 ? NULL : text;
}
