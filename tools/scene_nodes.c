/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scene_nodes.c - see scene_nodes.h
 *
 * The first reason that is found against a node is told: those that concern
 * nodes of any job come before those of units.
 */
#define _GNU_SOURCE /* vasprintf */
#include "scene_nodes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/node_extra.h"
#include "compat/slurm_types.h"
#include "words.h"

/* What is asked of all nodes. */
struct rules {
	const struct tb_wish *wish;
	const struct tb_cluster *cluster;
	tb_hostlist_t partition, required, excluded; /* NULL: no such list */
	bool only_required; /* there is room for no others */
	const reserve_info_t *own; /* the job's reservation */
	time_t now, end;    /* of the job, should it start now */
};

__attribute__((format(printf, 2, 3)))
static void say(char **to, const char *format, ...)
{
	va_list args;

	if (*to)
		return;
	va_start(args, format);
	if (vasprintf(to, format, args) < 0)
		*to = NULL;
	va_end(args);
}

/* ---- lists ---- */

static bool is_in(tb_hostlist_t list, const node_info_t *node)
{
	return slurm_hostlist_find(list, node->name) >= 0;
}

/* The nodes of all partitions of a list. */
static tb_hostlist_t partition_nodes(const struct tb_cluster *cluster,
				  const char *names)
{
	tb_hostlist_t nodes = slurm_hostlist_create("");

	for (uint32_t i = 0; i < cluster->partitions->record_count; i++) {
		const partition_info_t *partition =
			&cluster->partitions->partition_array[i];

		if (partition->name && partition->nodes &&
		    tb_words_have(names, partition->name, strlen(partition->name)))
			slurm_hostlist_push(nodes, partition->nodes);
	}
	return nodes;
}

static const reserve_info_t *find_own(const struct rules *rules)
{
	const reserve_info_msg_t *all = rules->cluster->reservations;

	for (uint32_t i = 0; all && rules->wish->reservation &&
	     i < all->record_count; i++)
		if (!strcmp(all->reservation_array[i].name,
			    rules->wish->reservation))
			return &all->reservation_array[i];
	return NULL;
}

static void make_rules(struct rules *rules, const struct tb_wish *wish,
		       const struct tb_cluster *cluster)
{
	*rules = (struct rules){ .wish = wish, .cluster = cluster };
	if (wish->partitions)
		rules->partition = partition_nodes(cluster, wish->partitions);
	if (wish->required)
		rules->required = slurm_hostlist_create(wish->required);
	if (wish->excluded)
		rules->excluded = slurm_hostlist_create(wish->excluded);
	rules->only_required = rules->required &&
		(unsigned)slurm_hostlist_count(rules->required) >=
			wish->max_nodes;
	rules->own = find_own(rules);
	rules->now = time(NULL);
	rules->end = rules->now + (wish->minutes > 0 ? wish->minutes * 60 : 60);
}

static void clear_rules(struct rules *rules)
{
	if (rules->partition)
		slurm_hostlist_destroy(rules->partition);
	if (rules->required)
		slurm_hostlist_destroy(rules->required);
	if (rules->excluded)
		slurm_hostlist_destroy(rules->excluded);
}

/* ---- any job ---- */

static void check_lists(const struct rules *rules, struct tb_scene_node *node)
{
	if (rules->partition && !is_in(rules->partition, node->info))
		say(&node->closed, "not in partition %s",
		    rules->wish->partitions);
	if (rules->excluded && is_in(rules->excluded, node->info))
		say(&node->closed, "excluded by the job");
	node->required = rules->required && is_in(rules->required, node->info);
	if (rules->only_required && !node->required)
		say(&node->closed, "not among the nodes that the job requires");
}

static void check_state(struct tb_scene_node *node)
{
	uint32_t state = node->info->node_state;
	uint32_t base = state & NODE_STATE_BASE;

	if (base == NODE_STATE_DOWN || base == NODE_STATE_UNKNOWN)
		say(&node->closed, "down");
	if (base == NODE_STATE_FUTURE)
		say(&node->closed, "not there yet");
	if (state & (NODE_STATE_DRAIN | NODE_STATE_FAIL))
		say(&node->closed, "drained");
	if (state & NODE_STATE_NO_RESPOND)
		say(&node->closed, "not responding");
}

/*
 * "a&b" or "a|b" of names.  What is said with counts, brackets or both is left
 * to Slurm: no node is turned away here.
 */
static bool has_features(const node_info_t *node, const char *wanted)
{
	const char *there = node->features_act ? node->features_act
					       : node->features;
	bool any = strchr(wanted, '|') != NULL, all = strpbrk(wanted, "&,");
	bool found = false;

	if (strpbrk(wanted, "[]()*") || (any && all))
		return true;
	while (*wanted) {
		size_t length = strcspn(wanted, "&|,");
		bool has = tb_words_have(there, wanted, length);

		if (!any && !has)
			return false;
		found = found || has;
		wanted += length + (wanted[length] != '\0');
	}
	return found;
}

static void check_features(const struct rules *rules,
			   struct tb_scene_node *node)
{
	const char *wanted = rules->wish->features;

	if (wanted && !has_features(node->info, wanted))
		say(&node->closed, "without the features %s", wanted);
}

/* MB per node that are asked for; per CPU: for a slot's units, at least. */
static uint64_t memory_per_node(const struct tb_wish *wish)
{
	if (!(wish->memory & MEM_PER_CPU))
		return wish->memory;
	return (wish->memory & ~MEM_PER_CPU) * wish->task_cpus;
}

static void check_memory(const struct rules *rules, struct tb_scene_node *node)
{
	uint64_t wanted = memory_per_node(rules->wish);
	uint64_t there = node->info->real_memory - node->info->mem_spec_limit;
	uint64_t used = tb_allocated_memory(node->info);

	if (!wanted)
		return;
	if (there < wanted)
		say(&node->closed, "only %llu MB of memory, %llu are asked for",
		    (unsigned long long)there, (unsigned long long)wanted);
	if (used > there || there - used < wanted)
		say(&node->note, "%llu MB of memory free, %llu are asked for",
		    (unsigned long long)(used > there ? 0 : there - used),
		    (unsigned long long)wanted);
}

/* ---- reservations ---- */

static bool covers(const reserve_info_t *reservation,
		   const struct tb_scene_node *node)
{
	tb_hostlist_t nodes;
	bool in;

	if (!reservation->node_list)
		return false;
	nodes = slurm_hostlist_create(reservation->node_list);
	in = nodes && is_in(nodes, node->info);
	if (nodes)
		slurm_hostlist_destroy(nodes);
	return in;
}

/* The reserved cores of the node as threads; NULL: the whole node. */
static struct tb_bitset *reserved_threads(const reserve_info_t *reservation,
					  const struct tb_scene_node *node)
{
	unsigned cores = tb_topology_cores(node->topology);
	unsigned all = (unsigned)node->info->sockets * node->info->cores;
	const char *list = NULL;
	struct tb_bitset *set, *threads;

	for (uint32_t i = 0; i < reservation->core_spec_cnt; i++)
		if (!strcmp(reservation->core_spec[i].node_name,
			    node->info->name))
			list = reservation->core_spec[i].core_id;
	set = list ? tb_bitset_parse_list(list, all, NULL) : NULL;
	if (!set || all != cores)
		return set; /* a Slurm core is a thread */
	threads = tb_bitset_create(tb_topology_threads(node->topology));
	if (threads)
		tb_threads_of_cores(node->topology, set, threads);
	tb_bitset_destroy(set);
	return threads;
}

static void reserve(const reserve_info_t *reservation, time_t now,
		    struct tb_scene_node *node)
{
	struct tb_bitset *threads = reserved_threads(reservation, node);
	bool begun = reservation->start_time <= now;

	if (threads && threads->nbits == node->kept->nbits)
		tb_bitset_or(node->kept, threads);
	else
		say(&node->closed, "reserved by %s%s", reservation->name,
		    begun ? "" : " before the job would end");
	tb_bitset_destroy(threads);
}

/* Inside the job's own reservation the other cores are out of reach. */
static void keep_inside(const reserve_info_t *own, struct tb_scene_node *node)
{
	struct tb_bitset *inside = reserved_threads(own, node);

	if (inside && inside->nbits == node->kept->nbits) {
		tb_bitset_set_range(node->kept, 0, node->kept->nbits);
		tb_bitset_andnot(node->kept, inside);
	}
	tb_bitset_destroy(inside);
}

static void check_reservations(const struct rules *rules,
			       struct tb_scene_node *node)
{
	const reserve_info_msg_t *all = rules->cluster->reservations;

	if (rules->own && !covers(rules->own, node))
		say(&node->closed, "not in reservation %s", rules->own->name);
	if (rules->own && node->topology)
		keep_inside(rules->own, node);
	for (uint32_t i = 0; all && node->topology && i < all->record_count;
	     i++) {
		const reserve_info_t *other = &all->reservation_array[i];

		if (other != rules->own && other->start_time < rules->end &&
		    other->end_time > rules->now && covers(other, node))
			reserve(other, rules->now, node);
	}
}

/* ---- units ---- */

static void check_units(const struct tb_scene *scene,
			struct tb_scene_node *node)
{
	const struct tb_request *request = &scene->wish->request;
	unsigned units;

	if (!tb_request_matches(request, node->topology)) {
		say(&node->closed, "of another shape than --btopology");
		return;
	}
	if (request->filter &&
	    !tb_filter_matches(request->filter, node->topology)) {
		say(&node->closed, "of another shape than --bfilter");
		return;
	}
	if (request->filter)
		tb_filter_add(request->filter, node->topology, node->kept);
	units = tb_scene_units_beside(scene, node, NULL);
	if (units >= tb_scene_needed_units(scene))
		return;
	if (request->cpus)
		say(&node->closed, "without some of the CPUs");
	else
		say(&node->closed, "never has more than %u %s unit%s", units,
		    tb_unit_name(request->unit), units == 1 ? "" : "s");
}

static int read_topology(struct tb_scene_node *node, struct tb_error *err)
{
	struct tb_error why;

	node->topology = tb_cluster_topology(node->info, &node->inuse, &why);
	if (!node->topology) {
		say(&node->closed, "without a topology that is shown");
		return 0;
	}
	node->kept = tb_bitset_create(tb_topology_threads(node->topology));
	node->placer = tb_placer_create(node->topology);
	return node->kept && node->placer ? 0 : tb_fail(err, "out of memory");
}

/* ---- all of it ---- */

static int add_node(struct tb_scene *scene, const struct rules *rules,
		    struct tb_scene_node *node, struct tb_error *err)
{
	check_lists(rules, node);
	check_state(node);
	check_features(rules, node);
	check_memory(rules, node);
	if (read_topology(node, err))
		return -1;
	check_reservations(rules, node);
	if (node->topology) {
		tb_cluster_add_system(node->info, node->topology, node->kept);
		check_units(scene, node);
	}
	return 0;
}

int tb_scene_add_nodes(struct tb_scene *scene,
		       const struct tb_cluster *cluster, struct tb_error *err)
{
	const node_info_msg_t *nodes = cluster->nodes;
	struct rules rules;
	int rc = 0;

	scene->nodes = calloc(nodes->record_count + 1, sizeof(*scene->nodes));
	if (!scene->nodes)
		return tb_fail(err, "out of memory");
	scene->nnodes = nodes->record_count;
	make_rules(&rules, scene->wish, cluster);
	for (unsigned i = 0; !rc && i < scene->nnodes; i++) {
		scene->nodes[i].info = &nodes->node_array[i];
		if (nodes->node_array[i].name)
			rc = add_node(scene, &rules, &scene->nodes[i], err);
		else
			say(&scene->nodes[i].closed, "not there");
	}
	clear_rules(&rules);
	return rc;
}
