/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_slurm.c - see map_slurm.h; the only file of the map that asks Slurm */
#include <stdlib.h>

#include "cluster.h"
#include "common/node_extra.h"
#include "hosts.h"
#include "map_slurm.h"
#include "slurm_library.h"

/* What one load needs everywhere. */
struct load {
	struct tb_map *map;
	struct tb_cluster *cluster;
	void (*warn)(const char *sentence);
};

static void warn_about(const struct load *load, const char *kind,
		       const char *name, const struct tb_error *why)
{
	struct tb_error sentence;

	tb_fail(&sentence, "%s %.100s: %s", kind, name, why->text);
	load->warn(sentence.text);
}

/* ---- nodes ---- */

static void add_node(const struct load *load, const node_info_t *node)
{
	char *topology = tb_cluster_token(node, TB_EXTRA_TOPOLOGY);
	char *inuse = tb_cluster_token(node, TB_EXTRA_INUSE);
	struct tb_error why;

	/* The string in use has the shape too, should it stand alone. */
	if (tb_map_add_node(load->map, node->name, topology ? topology : inuse,
			    inuse, &why)) {
		warn_about(load, "node", node->name, &why);
		if (tb_map_add_node(load->map, node->name, NULL, NULL, &why))
			warn_about(load, "node", node->name, &why);
	}
	free(topology);
	free(inuse);
}

static void add_all_nodes(const struct load *load)
{
	const node_info_msg_t *nodes = load->cluster->nodes;

	for (uint32_t i = 0; i < nodes->record_count; i++)
		if (nodes->node_array[i].name)
			add_node(load, &nodes->node_array[i]);
}

static int add_listed_nodes(const struct load *load, const char *list,
			    struct tb_error *err)
{
	struct tb_hosts *hosts = tb_hosts_create(list);
	char *name;
	int rc = 0;

	if (!hosts)
		return tb_fail(err, "\"%.100s\" is not a list of nodes", list);
	while (!rc && (name = tb_hosts_next(hosts))) {
		const node_info_t *node = tb_cluster_node(load->cluster, name);

		if (node)
			add_node(load, node);
		else
			rc = tb_fail(err, "Slurm knows no node \"%.100s\"",
				     name);
		free(name);
	}
	tb_hosts_destroy(hosts);
	return rc;
}

static int add_nodes(const struct load *load, const char *list,
		     struct tb_error *err)
{
	if (list)
		return add_listed_nodes(load, list, err);
	add_all_nodes(load);
	return 0;
}

/* ---- jobs ---- */

static void add_job(const struct load *load, const job_info_t *job)
{
	char *id = tb_cluster_job_id(job);
	char *user = tb_cluster_job_user(job);
	struct tb_error why = { "out of memory" };

	if (!id || !user ||
	    tb_map_add_comment(load->map, id, user, job->name ? job->name : "",
			       job->system_comment, &why))
		warn_about(load, "job", id ? id : "?", &why);
	free(id);
	free(user);
}

static void add_jobs(const struct load *load)
{
	const job_info_msg_t *jobs = load->cluster->jobs;

	for (uint32_t i = 0; i < jobs->record_count; i++) {
		const job_info_t *job = &jobs->job_array[i];

		if (tb_cluster_job_holds(job) && job->system_comment)
			add_job(load, job);
	}
}

static int fill(struct load *load, const char *nodes, struct tb_error *err)
{
	int rc = -1;

	load->cluster = tb_cluster_load(TB_CLUSTER_JOBS, err);
	if (load->cluster)
		rc = add_nodes(load, nodes, err);
	if (!rc)
		add_jobs(load);
	tb_cluster_destroy(load->cluster);
	return rc;
}

struct tb_map *tb_map_load_slurm(const char *nodes,
				 void (*warn)(const char *sentence),
				 struct tb_error *err)
{
	struct load load = { .map = tb_map_create(), .warn = warn };

	if (!load.map) {
		tb_fail(err, "out of memory while making the map");
		return NULL;
	}
	tb_slurm_begin("topobind map");
	if (fill(&load, nodes, err)) {
		tb_map_destroy(load.map);
		load.map = NULL;
	}
	tb_slurm_end();
	return load.map;
}
