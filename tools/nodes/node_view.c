/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_view.c - see node_view.h */
#define _GNU_SOURCE /* tdestroy */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/node_walk.h"
#include "cluster/site_mask.h"
#include "common/job/job_cores.h"
#include "common/node/node_extra.h"
#include "core/base/text.h"
#include "node_view.h"

/* A census that several nodes have. */
struct known {
	char *inuse; /* the key; the nodes have copies */
	struct tb_census census;
};

/* ---- censuses ---- */

static int compare_known(const void *a, const void *b)
{
	return strcmp(((const struct known *)a)->inuse,
		      ((const struct known *)b)->inuse);
}

static void destroy_known(void *item)
{
	struct known *known = item;

	free(known->inuse);
	free(known);
}

/* The text becomes the census'. */
static const struct tb_census *add_census(struct tb_node_views *views,
					  char *inuse,
					  const struct tb_topology *topology,
					  const struct tb_bitset *used,
					  const struct tb_bitset *masked)
{
	struct known *known = malloc(sizeof(*known));

	if (!known || !inuse) {
		free(known);
		free(inuse);
		return NULL;
	}
	known->inuse = inuse;
	tb_census_take(topology, used, masked, &known->census);
	if (tsearch(known, &views->known, compare_known))
		return &known->census;
	destroy_known(known);
	return NULL;
}

/* NULL: it is a new one. */
static const struct tb_census *find_census(const struct tb_node_views *views,
					   char *inuse)
{
	struct known wanted = { .inuse = inuse };
	struct known *const *found = tfind(&wanted, &views->known,
					   compare_known);

	return found ? &(*found)->census : NULL;
}

/* "NSXCCcC masked nsxcCCC": nodes with the same text have the same census. */
static char *print_state(const struct tb_topology *topology,
			 const struct tb_bitset *used,
			 const struct tb_bitset *masked)
{
	struct tb_text text = TB_TEXT_EMPTY;
	char *in_use = tb_topology_print(topology, used);
	char *kept = tb_bitset_is_empty(masked)
			     ? NULL
			     : tb_topology_print(topology, masked);

	if (in_use)
		tb_text_add(&text, in_use);
	if (kept) {
		tb_text_add(&text, " masked ");
		tb_text_add(&text, kept);
	}
	free(in_use);
	free(kept);
	return tb_text_take(&text);
}

/* With these threads in use, beside what filters mask for all jobs. */
static int count_unmasked(struct tb_node_views *views,
			  struct tb_node_view *node,
			  const struct tb_topology *topology,
			  const struct tb_bitset *used, struct tb_error *why)
{
	struct tb_bitset *masked = tb_bitset_create(used->nbits);
	char *text;

	if (!masked)
		return tb_fail(why, "out of memory");
	if (tb_site_mask_add(views->cluster, node->info, views->partitions,
			     topology, masked, why)) {
		tb_bitset_destroy(masked);
		return -1;
	}
	text = print_state(topology, used, masked);
	node->census = text ? find_census(views, text) : NULL;
	if (node->census)
		free(text);
	else
		node->census = add_census(views, text, topology, used, masked);
	tb_bitset_destroy(masked);
	return node->census ? 0 : tb_fail(why, "out of memory");
}

/* By the topology in use that the node shows. */
static int take_shown(struct tb_node_views *views, struct tb_node_view *node,
		      struct tb_error *why)
{
	struct tb_topology *topology;
	struct tb_bitset *used;
	int rc;

	if (!node->lost &&
	    !tb_site_masks(views->cluster, node->info, views->partitions))
		node->census = find_census(views, node->inuse);
	if (node->census)
		return 0;
	topology = tb_topology_parse(node->inuse, &used, why);
	if (!topology)
		return -1;
	tb_cluster_add_lost(node->info, topology, used);
	rc = count_unmasked(views, node, topology, used, why);
	tb_topology_destroy(topology);
	tb_bitset_destroy(used);
	return rc;
}

/* ---- who is there ---- */

static int add_job(struct tb_node_view *node, const job_info_t *job)
{
	const job_info_t **jobs = node->jobs;

	/* Room in powers of two. */
	if (!(node->njobs & (node->njobs - 1))) {
		jobs = reallocarray(jobs, node->njobs ? 2 * node->njobs : 1,
				    sizeof(*jobs));
		if (!jobs)
			return -1;
		node->jobs = jobs;
	}
	jobs[node->njobs++] = job;
	return 0;
}

static int add_job_to_nodes(struct tb_node_views *views, const job_info_t *job)
{
	struct tb_node_walk walk = tb_node_walk_begin(job->node_inx,
						      views->nnodes);
	unsigned node;
	int rc = 0;

	while (!rc && tb_node_walk_next(&walk, &node))
		rc = add_job(&views->nodes[node], job);
	return rc;
}

static int add_jobs(struct tb_node_views *views, struct tb_error *err)
{
	const job_info_msg_t *jobs = views->cluster->jobs;

	for (uint32_t i = 0; i < jobs->record_count; i++)
		if (tb_cluster_job_holds(&jobs->job_array[i]) &&
		    add_job_to_nodes(views, &jobs->job_array[i]))
			return tb_fail(err, "out of memory");
	return 0;
}

/* ---- nodes that show a topology and not what is in use of it ---- */

static void use_cores_of_jobs(const struct tb_node_view *node,
			      const struct tb_topology *topology,
			      struct tb_bitset *used)
{
	struct tb_bitset *threads = tb_bitset_create(used->nbits);

	for (unsigned i = 0; threads && i < node->njobs; i++)
		/* It may have left the node since the nodes were asked for. */
		if (!tb_cluster_job_gave_back(node->jobs[i]) &&
		    !tb_job_cores_threads(node->jobs[i], node->info, topology,
					  threads, NULL))
			tb_bitset_or(used, threads);
	tb_bitset_destroy(threads);
}

static int take_counted(struct tb_node_views *views, struct tb_node_view *node,
			struct tb_error *why)
{
	struct tb_bitset *used = NULL;
	struct tb_topology *topology = tb_cluster_topology(node->info, &used,
							   why);
	int rc;

	if (!topology)
		return -1;
	use_cores_of_jobs(node, topology, used);
	node->inuse = tb_topology_print(topology, used);
	tb_cluster_add_lost(node->info, topology, used);
	rc = count_unmasked(views, node, topology, used, why);
	tb_topology_destroy(topology);
	tb_bitset_destroy(used);
	return rc;
}

/* ---- all of it ---- */

static bool hides_use(const node_info_t *node)
{
	char *topology = tb_cluster_token(node, TB_EXTRA_TOPOLOGY);
	char *inuse = tb_cluster_token(node, TB_EXTRA_INUSE);
	bool hides = topology && !inuse;

	free(topology);
	free(inuse);
	return hides;
}

static bool any_hides_use(const struct tb_cluster *cluster)
{
	for (uint32_t i = 0; i < cluster->nodes->record_count; i++)
		if (hides_use(&cluster->nodes->node_array[i]))
			return true;
	return false;
}

static struct tb_cluster *load_cluster(unsigned what, struct tb_error *err)
{
	struct tb_cluster *cluster = tb_cluster_load(what | TB_CLUSTER_JOBS,
						     err);

	if (!cluster || !any_hides_use(cluster))
		return cluster;
	tb_cluster_destroy(cluster);
	return tb_cluster_load(what | TB_CLUSTER_JOBS | TB_CLUSTER_CORES, err);
}

static void take_census(struct tb_node_views *views, struct tb_node_view *node,
			void (*warn)(const char *sentence))
{
	struct tb_error why, sentence;
	int rc;

	node->inuse = tb_cluster_token(node->info, TB_EXTRA_INUSE);
	node->reserved = tb_cluster_token(node->info, TB_EXTRA_RESERVED);
	node->lost = tb_cluster_token(node->info, TB_EXTRA_LOST);
	if (node->inuse)
		rc = take_shown(views, node, &why);
	else if (hides_use(node->info))
		rc = take_counted(views, node, &why);
	else
		return;
	if (!rc)
		return;
	tb_fail(&sentence, "node %.100s: %s", node->info->name, why.text);
	warn(sentence.text);
}

static int fill_views(struct tb_node_views *views,
		      void (*warn)(const char *sentence), struct tb_error *err)
{
	const node_info_msg_t *nodes = views->cluster->nodes;

	views->nodes = calloc(nodes->record_count + 1, sizeof(*views->nodes));
	if (!views->nodes)
		return tb_fail(err, "out of memory");
	views->nnodes = nodes->record_count;
	for (uint32_t i = 0; i < nodes->record_count; i++)
		views->nodes[i].info = &nodes->node_array[i];
	if (add_jobs(views, err))
		return -1;
	for (uint32_t i = 0; i < nodes->record_count; i++)
		if (nodes->node_array[i].name)
			take_census(views, &views->nodes[i], warn);
	return 0;
}

struct tb_node_views *tb_node_views_load(unsigned what, const char *partitions,
					 void (*warn)(const char *sentence),
					 struct tb_error *err)
{
	struct tb_node_views *views = calloc(1, sizeof(*views));

	if (!views) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	views->partitions = partitions;
	views->cluster = load_cluster(what, err);
	if (views->cluster && what & TB_CLUSTER_CONF && !views->cluster->conf)
		warn(views->cluster->conf_why.text);
	if (views->cluster && !fill_views(views, warn, err))
		return views;
	tb_node_views_destroy(views);
	return NULL;
}

void tb_node_views_destroy(struct tb_node_views *views)
{
	if (!views)
		return;
	for (unsigned i = 0; i < views->nnodes; i++) {
		free(views->nodes[i].inuse);
		free(views->nodes[i].reserved);
		free(views->nodes[i].lost);
		free(views->nodes[i].jobs);
	}
	free(views->nodes);
	tdestroy(views->known, destroy_known);
	tb_cluster_destroy(views->cluster);
	free(views);
}

/* ---- what is told of them ---- */

void tb_node_view_units(const struct tb_node_view *node, FILE *out,
			void (*print)(const struct tb_unit_census *units,
				      FILE *out))
{
	bool first = true;

	for (unsigned kind = 0; node->census && kind < TB_CENSUS_KINDS;
	     kind++) {
		const struct tb_unit_census *units = &node->census->units[kind];

		if (!units->total)
			continue;
		fprintf(out, "%s%s:", first ? "" : ",",
			tb_unit_name(tb_census_unit(kind)));
		print(units, out);
		first = false;
	}
	if (first)
		fputc('-', out);
}

bool tb_node_is_in_service(const node_info_t *node)
{
	uint32_t base = node->node_state & NODE_STATE_BASE;

	return (base == NODE_STATE_IDLE || base == NODE_STATE_ALLOCATED ||
		base == NODE_STATE_MIXED) &&
	       !(node->node_state &
		 (NODE_STATE_DRAIN | NODE_STATE_FAIL | NODE_STATE_NO_RESPOND));
}

double tb_fragmentation(uint64_t fragments, uint64_t free_cores)
{
	return free_cores ? (double)fragments / (double)free_cores : 0;
}
