/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidate_nodes.c - see candidate_nodes.h
 *
 * The first reason that is found against a node is told: those that concern
 * nodes of any job come before those of units.
 */
#define _GNU_SOURCE /* vasprintf */
#include "candidate_nodes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/node/node_extra.h"
#include "compat/slurm_types.h"
#include "terminal/words.h"

/* What is asked of all nodes. */
struct rules {
	const struct tb_job_spec *spec;
	const struct tb_cluster *cluster;
	tb_hostlist_t partition, required, excluded; /* NULL: no such list */
	bool only_required;	   /* there is room for no others */
	const reserve_info_t *own; /* the job's reservation */
	time_t now, end;	   /* of the job, should it start now */
};

/* The first sentence stands. */
__attribute__((format(printf, 2, 3))) static void
set_text(char **to, const char *format, ...)
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
static tb_hostlist_t list_partition_nodes(const struct tb_cluster *cluster,
					  const char *names)
{
	tb_hostlist_t nodes = slurm_hostlist_create("");

	for (uint32_t i = 0; i < cluster->partitions->record_count; i++) {
		const partition_info_t *partition =
			&cluster->partitions->partition_array[i];

		if (partition->name && partition->nodes &&
		    tb_words_have(names, partition->name,
				  strlen(partition->name)))
			slurm_hostlist_push(nodes, partition->nodes);
	}
	return nodes;
}

static const reserve_info_t *find_own(const struct rules *rules)
{
	const reserve_info_msg_t *all = rules->cluster->reservations;

	for (uint32_t i = 0;
	     all && rules->spec->reservation && i < all->record_count; i++)
		if (!strcmp(all->reservation_array[i].name,
			    rules->spec->reservation))
			return &all->reservation_array[i];
	return NULL;
}

static void make_rules(struct rules *rules, const struct tb_job_spec *spec,
		       const struct tb_cluster *cluster)
{
	*rules = (struct rules){ .spec = spec, .cluster = cluster };
	if (spec->partitions)
		rules->partition = list_partition_nodes(cluster,
							spec->partitions);
	if (spec->required)
		rules->required = slurm_hostlist_create(spec->required);
	if (spec->excluded)
		rules->excluded = slurm_hostlist_create(spec->excluded);
	rules->only_required = rules->required &&
			       (unsigned)slurm_hostlist_count(
				       rules->required) >= spec->max_nodes;
	rules->own = find_own(rules);
	rules->now = time(NULL);
	rules->end = rules->now + (spec->minutes > 0 ? spec->minutes * 60 : 60);
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

static void check_lists(const struct rules *rules,
			struct tb_candidate_node *node)
{
	if (rules->partition && !is_in(rules->partition, node->info))
		set_text(&node->closed, "not in partition %s",
			 rules->spec->partitions);
	if (rules->excluded && is_in(rules->excluded, node->info))
		set_text(&node->closed, "excluded by the job");
	node->required = rules->required && is_in(rules->required, node->info);
	if (rules->only_required && !node->required)
		set_text(&node->closed,
			 "not one of the nodes that the job requires");
}

static void check_state(struct tb_candidate_node *node)
{
	uint32_t state = node->info->node_state;
	uint32_t base = state & NODE_STATE_BASE;

	if (base == NODE_STATE_DOWN || base == NODE_STATE_UNKNOWN)
		set_text(&node->closed, "down");
	if (base == NODE_STATE_FUTURE)
		set_text(&node->closed, "not there yet");
	if (state & (NODE_STATE_DRAIN | NODE_STATE_FAIL))
		set_text(&node->closed, "drained");
	if (state & NODE_STATE_NO_RESPOND)
		set_text(&node->closed, "not responding");
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
			   struct tb_candidate_node *node)
{
	const char *wanted = rules->spec->features;

	if (wanted && !has_features(node->info, wanted))
		set_text(&node->closed, "lacks the features %s", wanted);
}

/* MB per node that are asked for; per CPU: for a slot's units, at least. */
static uint64_t get_memory_per_node(const struct tb_job_spec *spec)
{
	if (!(spec->memory & MEM_PER_CPU))
		return spec->memory;
	return (spec->memory & ~MEM_PER_CPU) * spec->task_cpus;
}

static void check_memory(const struct rules *rules,
			 struct tb_candidate_node *node)
{
	uint64_t wanted = get_memory_per_node(rules->spec);
	uint64_t there = node->info->real_memory - node->info->mem_spec_limit;
	uint64_t used = tb_allocated_memory(node->info);

	if (!wanted)
		return;
	if (there < wanted)
		set_text(&node->closed,
			 "only %llu MB of memory, %llu are asked for",
			 (unsigned long long)there, (unsigned long long)wanted);
	if (used > there || there - used < wanted)
		set_text(&node->note,
			 "%llu MB of memory free, %llu are asked for",
			 (unsigned long long)(used > there ? 0 : there - used),
			 (unsigned long long)wanted);
}

/* ---- reservations ---- */

static bool covers_node(const reserve_info_t *reservation,
			const struct tb_candidate_node *node)
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
static struct tb_bitset *find_reserved(const reserve_info_t *reservation,
				       const struct tb_candidate_node *node)
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

static void take_reserved(const reserve_info_t *reservation, time_t now,
			  struct tb_candidate_node *node)
{
	struct tb_bitset *threads = find_reserved(reservation, node);
	bool begun = reservation->start_time <= now;

	if (threads && threads->nbits == node->reserved->nbits)
		tb_bitset_or(node->reserved, threads);
	else
		set_text(&node->closed, "reserved by %s%s", reservation->name,
			 begun ? "" : " before the job would end");
	tb_bitset_destroy(threads);
}

/* Inside the job's own reservation the other cores are out of reach. */
static void close_outside(const reserve_info_t *own,
			  struct tb_candidate_node *node)
{
	struct tb_bitset *inside = find_reserved(own, node);

	if (inside && inside->nbits == node->reserved->nbits) {
		tb_bitset_set_range(node->reserved, 0, node->reserved->nbits);
		tb_bitset_andnot(node->reserved, inside);
	}
	tb_bitset_destroy(inside);
}

static void check_reservations(const struct rules *rules,
			       struct tb_candidate_node *node)
{
	const reserve_info_msg_t *all = rules->cluster->reservations;

	if (rules->own && !covers_node(rules->own, node))
		set_text(&node->closed, "not in reservation %s",
			 rules->own->name);
	if (rules->own && node->topology)
		close_outside(rules->own, node);
	for (uint32_t i = 0; all && node->topology && i < all->record_count;
	     i++) {
		const reserve_info_t *other = &all->reservation_array[i];

		if (other != rules->own && other->start_time < rules->end &&
		    other->end_time > rules->now && covers_node(other, node))
			take_reserved(other, rules->now, node);
	}
}

/* ---- units ---- */

static unsigned count_listed(const struct tb_candidate_node *node,
			     const struct tb_bitset *cpus,
			     const struct tb_bitset *among)
{
	unsigned count = 0;

	TB_BITSET_EACH(i, cpus)
		count += i < tb_topology_threads(node->topology) &&
			 (!among || tb_bitset_test(among, i));
	return count;
}

unsigned tb_candidate_node_units(const struct tb_candidate_node *node,
				 const struct tb_request *request,
				 const struct tb_bitset *used)
{
	if (request->cpus)
		return count_listed(node, request->cpus, NULL) -
		       (used ? count_listed(node, request->cpus, used) : 0);
	return tb_units_available(node->topology, request->unit, used);
}

unsigned tb_needed_units(const struct tb_request *request)
{
	return request->cpus ? tb_bitset_count(request->cpus) : request->amount;
}

/* "has no E cores", "has only 1 X unit" */
static void close_for_units(struct tb_candidate_node *node, struct tb_unit unit,
			    unsigned units)
{
	const char *name = tb_unit_name(unit);
	const char *what = unit.letter == 'C' ? "core" : "unit";

	if (units)
		set_text(&node->closed, "has only %u %s %s%s", units, name,
			 what, units == 1 ? "" : "s");
	else
		set_text(&node->closed, "has no %s %ss", name, what);
}

static void check_units(const struct tb_request *request,
			struct tb_candidate_node *node)
{
	unsigned units;

	if (!tb_request_matches(request, node->topology)) {
		set_text(&node->closed, "has another shape than --btopology");
		return;
	}
	if (request->filter &&
	    !tb_filter_matches(request->filter, node->topology)) {
		set_text(&node->closed, "has another shape than --bfilter");
		return;
	}
	if (request->filter)
		tb_filter_add(request->filter, node->topology, node->reserved);
	units = tb_candidate_node_units(node, request, NULL);
	if (units >= tb_needed_units(request))
		return;
	if (request->cpus)
		set_text(&node->closed, "lacks some of the CPUs");
	else
		close_for_units(node, request->unit, units);
}

static int read_topology(struct tb_candidate_node *node, struct tb_error *err)
{
	struct tb_error why;

	node->topology = tb_cluster_topology(node->info, &node->inuse, &why);
	if (!node->topology) {
		set_text(&node->closed, "shows no topology");
		return 0;
	}
	node->reserved = tb_bitset_create(tb_topology_threads(node->topology));
	node->placer = tb_placer_create(node->topology);
	return node->reserved && node->placer ? 0
					      : tb_fail(err, "out of memory");
}

/* ---- all of it ---- */

static int fill_node(struct tb_candidate_node *node, const struct rules *rules,
		     struct tb_error *err)
{
	check_lists(rules, node);
	check_state(node);
	check_features(rules, node);
	check_memory(rules, node);
	if (read_topology(node, err))
		return -1;
	check_reservations(rules, node);
	if (node->topology) {
		tb_cluster_add_system(node->info, node->topology,
				      node->reserved);
		check_units(&rules->spec->request, node);
	}
	return 0;
}

struct tb_candidate_node *
tb_candidate_nodes_create(const struct tb_job_spec *spec,
			  const struct tb_cluster *cluster,
			  struct tb_error *err)
{
	unsigned nnodes = cluster->nodes->record_count;
	struct tb_candidate_node *nodes = calloc(nnodes + 1, sizeof(*nodes));
	struct rules rules;
	int rc = 0;

	if (!nodes) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	make_rules(&rules, spec, cluster);
	for (unsigned i = 0; !rc && i < nnodes; i++) {
		nodes[i].info = &cluster->nodes->node_array[i];
		if (nodes[i].info->name)
			rc = fill_node(&nodes[i], &rules, err);
		else
			set_text(&nodes[i].closed, "not there");
	}
	clear_rules(&rules);
	if (!rc)
		return nodes;
	tb_candidate_nodes_destroy(nodes, nnodes);
	return NULL;
}

static void clear_node(struct tb_candidate_node *node)
{
	for (unsigned i = 0; i < node->nholds; i++)
		tb_bitset_destroy((struct tb_bitset *)node->holds[i].threads);
	free(node->holds);
	free(node->held_units);
	free(node->closed);
	free(node->note);
	tb_bitset_destroy(node->inuse);
	tb_bitset_destroy(node->reserved);
	tb_placer_destroy(node->placer);
	tb_topology_destroy(node->topology);
}

void tb_candidate_nodes_destroy(struct tb_candidate_node *nodes,
				unsigned nnodes)
{
	for (unsigned i = 0; nodes && i < nnodes; i++)
		clear_node(&nodes[i]);
	free(nodes);
}
