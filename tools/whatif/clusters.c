/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clusters.c - see clusters.h */
#define _GNU_SOURCE /* strndup */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clusters.h"
#include "cluster/hosts.h"
#include "core/base/array.h"

#define NAME_MOST 32

struct tb_given_speed {
	tb_hostlist_t nodes;
	double speed;
};

/* ---- names ---- */

/* Bytes before the sign, none of them in the lists of nodes. */
static size_t measure_name(const char *text)
{
	size_t length = strcspn(text, ":=[,");

	return text[length] == ':' ? length : 0;
}

static bool is_name(const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_' &&
		    name[i] != '-')
			return false;
	return length <= NAME_MOST;
}

static struct tb_past_cluster *append(struct tb_past_clusters *clusters,
				      char *name)
{
	struct tb_past_cluster *longer = tb_array_make_room(clusters->list,
							    clusters->count,
							    sizeof(*longer));

	if (!longer)
		return NULL;
	clusters->list = longer;
	longer[clusters->count] = (struct tb_past_cluster){ .name = name };
	return &longer[clusters->count++];
}

/* The one that text begins with, or a new one; *rest is behind its name. */
static struct tb_past_cluster *find_or_add(struct tb_past_clusters *clusters,
					   const char *text, const char **rest,
					   struct tb_error *err)
{
	size_t length = measure_name(text);
	struct tb_past_cluster *cluster;
	char *name;

	if (!is_name(text, length)) {
		tb_fail(err,
			"\"%.60s\" begins with no name of a cluster: up to %d letters, digits, - and _ before the \":\"",
			text, NAME_MOST);
		return NULL;
	}
	*rest = text + length + (length > 0);
	name = strndup(text, length);
	cluster = name ? (struct tb_past_cluster *)
				  tb_past_clusters_find(clusters, name)
		       : NULL;
	if (cluster) {
		free(name);
		return cluster;
	}
	cluster = name ? append(clusters, name) : NULL;
	if (!cluster) {
		free(name);
		tb_fail(err, "out of memory");
	}
	return cluster;
}

const struct tb_past_cluster *
tb_past_clusters_find(const struct tb_past_clusters *clusters, const char *name)
{
	for (unsigned i = 0; i < clusters->count; i++)
		if (!strcmp(clusters->list[i].name, name))
			return &clusters->list[i];
	return NULL;
}

/* ---- topologies ---- */

int tb_past_clusters_add(struct tb_past_clusters *clusters, const char *text,
			 struct tb_error *err)
{
	struct tb_past_cluster *cluster = find_or_add(clusters, text, &text,
						      err);

	return cluster ? tb_known_topologies_add(&cluster->known, text, err)
		       : -1;
}

/* ---- speeds ---- */

static bool read_speed(const char *text, double *speed)
{
	char *rest;

	*speed = strtod(text, &rest);
	return rest != text && !*rest && isfinite(*speed) && *speed > 0;
}

static int append_speed(struct tb_past_cluster *cluster, tb_hostlist_t nodes,
			double speed, struct tb_error *err)
{
	struct tb_given_speed *longer = tb_array_make_room(cluster->given,
							   cluster->ngiven,
							   sizeof(*longer));

	if (!longer)
		return tb_fail(err, "out of memory");
	cluster->given = longer;
	longer[cluster->ngiven++] = (struct tb_given_speed){ nodes, speed };
	return 0;
}

int tb_past_clusters_add_speed(struct tb_past_clusters *clusters,
			       const char *text, struct tb_error *err)
{
	const char *all = text, *sign;
	struct tb_past_cluster *cluster = find_or_add(clusters, text, &text,
						      err);
	tb_hostlist_t nodes = NULL;
	double speed;
	char *list;

	if (!cluster)
		return -1;
	sign = strchr(text, '=');
	if (!sign || !read_speed(sign + 1, &speed))
		return tb_fail(
			err,
			"--speed=%.60s is no speed of nodes: give NODES=MHZ, a number above 0",
			all);
	list = strndup(text, (size_t)(sign - text));
	if (list && *list)
		nodes = slurm_hostlist_create(list);
	free(list);
	if (!nodes)
		return tb_fail(
			err,
			"--speed=%.60s has no list of nodes, write for example n[3-5]=2400",
			all);
	if (!append_speed(cluster, nodes, speed, err))
		return 0;
	slurm_hostlist_destroy(nodes);
	return -1;
}

/* Of several the last counts; 0: none is given. */
static double find_speed(const struct tb_past_cluster *cluster,
			 const char *node)
{
	for (unsigned i = cluster->ngiven; i-- > 0;)
		if (slurm_hostlist_find(cluster->given[i].nodes, node) >= 0)
			return cluster->given[i].speed;
	return 0;
}

/* ---- all of it ---- */

static int finish_one(struct tb_past_cluster *cluster, struct tb_error *err)
{
	const char *name = *cluster->name ? cluster->name : "of no name";

	if (!cluster->known.ngiven)
		return tb_fail(
			err,
			"--speed has nodes of a cluster %.40s, of which there is no --topology",
			name);
	if (tb_known_topologies_list(&cluster->known, &cluster->nodes, err))
		return -1;
	cluster->cluster = (struct tb_replay_cluster){
		cluster->nodes.topologies, cluster->nodes.count
	};
	if (!cluster->ngiven)
		return 0;
	cluster->speeds = tb_array_create(cluster->nodes.count,
					  sizeof(*cluster->speeds));
	if (!cluster->speeds)
		return tb_fail(err, "out of memory");
	for (unsigned i = 0; i < cluster->nodes.count; i++)
		cluster->speeds[i] = find_speed(cluster,
						cluster->nodes.names[i]);
	return 0;
}

int tb_past_clusters_finish(struct tb_past_clusters *clusters,
			    struct tb_error *err)
{
	for (unsigned i = 0; i < clusters->count; i++)
		if (finish_one(&clusters->list[i], err))
			return -1;
	return 0;
}

static void clear_one(struct tb_past_cluster *cluster)
{
	for (unsigned i = 0; i < cluster->ngiven; i++)
		slurm_hostlist_destroy(cluster->given[i].nodes);
	free(cluster->given);
	free(cluster->speeds);
	free(cluster->name);
	tb_named_topologies_clear(&cluster->nodes);
	tb_known_topologies_clear(&cluster->known);
}

void tb_past_clusters_clear(struct tb_past_clusters *clusters)
{
	for (unsigned i = 0; i < clusters->count; i++)
		clear_one(&clusters->list[i]);
	free(clusters->list);
}
