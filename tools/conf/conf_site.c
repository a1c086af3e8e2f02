/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_site.c - see conf_site.h */
#define _GNU_SOURCE /* asprintf */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/cluster.h"
#include "cluster/conf_here.h"
#include "cluster/running_conf.h"
#include "common/conf/conf.h"
#include "common/node/node_extra.h"
#include "compat/slurm_conf_lines.h"
#include "conf_site.h"
#include "cluster/hosts.h"
#include "plugin_file.h"

/* ---- topobind.conf ---- */

static int read_topobind_conf(struct tb_conf_site *site)
{
	char *path = tb_beside_slurm_conf(TB_CONF_FILE);

	if (path)
		site->topobind = tb_conf_read(path, &site->why);
	free(path);
	return path ? 0 : -1;
}

/* ---- nodes and partitions of slurm.conf ---- */

static int compare_names(const void *a, const void *b)
{
	const struct tb_site_node *first = a, *second = b;

	return strcmp(first->name, second->name);
}

static void sort_nodes(struct tb_conf_site *site)
{
	if (site->node_count)
		qsort(site->nodes, site->node_count, sizeof(*site->nodes),
		      compare_names);
}

const struct tb_site_node *tb_conf_site_node(const struct tb_conf_site *site,
					     const char *name)
{
	const struct tb_site_node wanted = { .name = (char *)name };

	if (!site->node_count)
		return NULL;
	return bsearch(&wanted, site->nodes, site->node_count,
		       sizeof(*site->nodes), compare_names);
}

const char *tb_conf_site_topology(const struct tb_conf_site *site,
				  const struct tb_site_node *node)
{
	const char *configured = site->topobind
					 ? tb_conf_topology(site->topobind,
							    node->name)
					 : NULL;
	const char *text = configured ? configured : node->topology;

	/* Without a string somebody has set it to be none. */
	return text && *text ? text : NULL;
}

static char *copy_text(const char *text)
{
	return text && *text ? strdup(text) : NULL;
}

static void free_node(struct tb_site_node *node)
{
	free(node->name);
	free(node->topology);
	free(node->distances);
	free(node->gres);
}

/* Takes over what the node has; it is cleared where there is no memory. */
static int add_node(struct tb_conf_site *site, struct tb_site_node *node)
{
	/* Twice as many whenever a power of two is reached. */
	bool full = !(site->node_count & (site->node_count - 1));
	size_t room = site->node_count ? 2 * (size_t)site->node_count : 1;
	struct tb_site_node *nodes = site->nodes;

	if (full && node->name)
		nodes = realloc(nodes, room * sizeof(*nodes));
	if (!nodes || !node->name) {
		free_node(node);
		return -1;
	}
	site->nodes = nodes;
	nodes[site->node_count++] = *node;
	return 0;
}

static bool has_word(const char *parameters, const char *word)
{
	return parameters && strcasestr(parameters, word);
}

/* The letter of what Slurm takes for sockets, by SlurmdParameters and the node's. */
static char find_socket(const struct tb_conf_site *site, const char *of_node)
{
	const char *of_all = tb_conf_site_slurm(site)->slurmd_params;
	static const struct {
		const char *word;
		char socket;
	} kinds[] = { { "l3cache_as_socket", 'X' },
		      { "numa_node_as_socket", 'N' } };

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (has_word(of_all, kinds[i].word) ||
		    has_word(of_node, kinds[i].word))
			return kinds[i].socket;
	return 'S';
}

static int add_line(struct tb_conf_site *site, unsigned line,
		    const struct tb_slurm_node_line *numbers)
{
	struct tb_hosts *hosts = tb_hosts_create(numbers->nodes);
	char *name;
	int rc = hosts ? 0 : -1;

	while (!rc && (name = tb_hosts_next(hosts))) {
		struct tb_site_node node = {
			.name = name,
			.line = line,
			.sockets = numbers->sockets,
			.cores = numbers->cores,
			.threads = numbers->threads,
			.socket = find_socket(site, numbers->parameters),
			.gres = copy_text(numbers->gres),
		};

		rc = add_node(site, &node);
	}
	tb_hosts_destroy(hosts);
	return rc;
}

static int take_lines(struct tb_conf_site *site)
{
	struct tb_slurm_node_line line;

	for (unsigned i = 0; tb_slurm_node_line(i, &line); i++)
		if (add_line(site, i, &line))
			return -1;
	sort_nodes(site);
	return 0;
}

/* Takes over nothing; 0 is no default, as is what was not set. */
static int add_partition(struct tb_conf_site *site,
			 const struct tb_slurm_partition_line *line,
			 const char *nodes)
{
	struct tb_site_partition *partitions =
		realloc(site->partitions,
			(site->partition_count + 1) * sizeof(*partitions));
	struct tb_site_partition partition = {
		.name = strdup(line->name),
		.nodes = nodes ? strdup(nodes) : NULL,
		.select_type_param = line->select_type_param,
		.is_exclusive = line->max_share == 0,
		.has_default_memory = line->default_memory &&
				      line->default_memory != NO_VAL64,
	};

	if (partitions)
		site->partitions = partitions;
	if (!partitions || !partition.name || (nodes && !partition.nodes)) {
		free(partition.name);
		free(partition.nodes);
		return -1;
	}
	partitions[site->partition_count++] = partition;
	return 0;
}

static int take_partition_lines(struct tb_conf_site *site)
{
	struct tb_slurm_partition_line line;

	for (unsigned i = 0; tb_slurm_partition_line(i, &line); i++)
		if (add_partition(site, &line, NULL))
			return -1;
	return 0;
}

/* ---- those of slurmctld ---- */

static int add_answer(struct tb_conf_site *site,
		      const struct tb_conf_site *lines,
		      const node_info_t *answer)
{
	const struct tb_site_node *known = tb_conf_site_node(lines,
							     answer->name);
	uint32_t state = answer->node_state & NODE_STATE_BASE;
	struct tb_site_node node = {
		.name = strdup(answer->name),
		.sockets = answer->sockets,
		.cores = answer->cores,
		.threads = answer->threads,
		.socket = find_socket(site, tb_node_parameters(answer)),
		.line = known ? known->line : TB_NO_LINE,
		.topology = tb_cluster_token(answer, TB_EXTRA_TOPOLOGY),
		.distances = tb_cluster_token(answer, TB_EXTRA_DISTANCES),
		.gres = copy_text(answer->gres),
		.responds = (state == NODE_STATE_IDLE ||
			     state == NODE_STATE_ALLOCATED ||
			     state == NODE_STATE_MIXED) &&
			    !(answer->node_state & NODE_STATE_NO_RESPOND),
	};

	return add_node(site, &node);
}

static int add_answered(struct tb_conf_site *site,
			const partition_info_t *answer)
{
	const struct tb_slurm_partition_line line = {
		.name = answer->name,
		.select_type_param = answer->cr_type,
		.max_share = answer->max_share,
		.default_memory = answer->def_mem_per_cpu,
	};

	return add_partition(site, &line, answer->nodes);
}

static void clear_nodes(struct tb_conf_site *site)
{
	for (unsigned i = 0; i < site->node_count; i++)
		free_node(&site->nodes[i]);
	free(site->nodes);
	site->nodes = NULL;
	site->node_count = 0;
}

/* lines: the nodes of slurm.conf. */
static int take_answers(struct tb_conf_site *site,
			const struct tb_conf_site *lines,
			const struct tb_cluster *cluster)
{
	const node_info_msg_t *nodes = cluster->nodes;
	const partition_info_msg_t *partitions = cluster->partitions;

	for (uint32_t i = 0; i < nodes->record_count; i++)
		if (nodes->node_array[i].name &&
		    add_answer(site, lines, &nodes->node_array[i]))
			return -1;
	for (uint32_t i = 0; i < partitions->record_count; i++)
		if (add_answered(site, &partitions->partition_array[i]))
			return -1;
	sort_nodes(site);
	return 0;
}

static int ask_slurmctld(struct tb_conf_site *site, struct tb_error *err)
{
	struct tb_cluster *cluster = tb_cluster_load(TB_CLUSTER_SITE, err);
	struct tb_conf_site lines = { .nodes = site->nodes,
				      .node_count = site->node_count };
	int rc;

	if (!cluster)
		return -1;
	site->nodes = NULL;
	site->node_count = 0;
	rc = take_answers(site, &lines, cluster);
	if (rc)
		tb_fail(err, "out of memory");
	clear_nodes(&lines);
	tb_cluster_destroy(cluster);
	return rc;
}

/* It is no fault that a slurmctld does not tell. */
static void ask_for_conf(struct tb_conf_site *site)
{
	struct tb_error why;

	site->in_force = tb_running_conf_load(&why);
	if (site->in_force && site->in_force->has_more) {
		tb_running_conf_destroy(site->in_force);
		site->in_force = NULL;
	}
}

/* One that stands by answers a ping, and nothing else. */
static bool controller_answers(struct tb_conf_site *site)
{
	for (uint32_t i = 0; i < site->file->control_cnt; i++)
		if (!slurm_ping((int)i))
			return !slurm_load_ctl_conf(0, &site->running);
	return false;
}

/* ---- all of it ---- */

static int load_site(struct tb_conf_site *site, struct tb_error *err)
{
	site->file = &slurm_conf;
	if (take_lines(site) || read_topobind_conf(site))
		return tb_fail(err, "out of memory");
	if (controller_answers(site) &&
	    tb_select_plugin_loads(slurm_conf.plugindir,
				   slurm_conf.select_type)) {
		ask_for_conf(site);
		return ask_slurmctld(site, err);
	}
	return take_partition_lines(site) ? tb_fail(err, "out of memory") : 0;
}

struct tb_conf_site *tb_conf_site_load(struct tb_error *err)
{
	struct tb_conf_site *site = calloc(1, sizeof(*site));

	if (!site) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	if (!load_site(site, err))
		return site;
	tb_conf_site_destroy(site);
	return NULL;
}

void tb_conf_site_destroy(struct tb_conf_site *site)
{
	if (!site)
		return;
	clear_nodes(site);
	for (unsigned i = 0; i < site->partition_count; i++) {
		free(site->partitions[i].name);
		free(site->partitions[i].nodes);
	}
	free(site->partitions);
	tb_running_conf_destroy(site->in_force);
	tb_conf_destroy(site->topobind);
	if (site->running)
		tb_free_slurm_conf(site->running);
	free(site);
}

const slurm_conf_t *tb_conf_site_slurm(const struct tb_conf_site *site)
{
	return site->running ? site->running : site->file;
}

bool tb_conf_site_has_partition(const struct tb_conf_site *site,
				const char *name)
{
	for (unsigned i = 0; i < site->partition_count; i++)
		if (!strcmp(site->partitions[i].name, name))
			return true;
	return false;
}
