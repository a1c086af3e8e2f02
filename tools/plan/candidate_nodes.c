/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidate_nodes.c - see candidate_nodes.h
 *
 * The first reason that is found against a node is told: lists and reservations
 * come before units and memory, and the state of the node comes last.
 */
#define _GNU_SOURCE /* vasprintf */
#include "candidate_nodes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "candidate_memory.h"
#include "candidate_pools.h"
#include "cluster/reserved.h"
#include "cluster/site_mask.h"
#include "common/conf/conf.h"
#include "common/node/node_extra.h"
#include "compat/slurm_types.h"
#include "core/base/text.h"
#include "core/place/listed.h"
#include "core/place/window_ever.h"
#include "core/plan/implicit.h"
#include "core/request/parts.h"
#include "terminal/words.h"

/* What is asked of all nodes. */
struct rules {
	const struct tb_job_spec *spec;
	const struct tb_cluster *cluster;
	const char *partitions;			     /* a list */
	tb_hostlist_t partition, required, excluded; /* NULL: no such list */
	bool only_required;	/* there is room for no others */
	bool counts_memory;	/* jobs get theirs of what others leave */
	uint64_t memory;	/* as Slurm has it; 0: a node's, all of it */
	bool goes_with_devices; /* it has memory with each of these instead */
	uint32_t most_cpus;	/* MaxCPUsPerNode; UINT32_MAX: none */
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

/* That of jobs that name none; NULL: there is none. */
static const partition_info_t *
find_default_partition(const struct tb_cluster *cluster)
{
	const partition_info_msg_t *all = cluster->partitions;

	for (uint32_t i = 0; i < all->record_count; i++)
		if (all->partition_array[i].flags & PART_FLAG_DEFAULT)
			return &all->partition_array[i];
	return NULL;
}

const partition_info_t *tb_candidate_partition(const struct tb_job_spec *spec,
					       const struct tb_cluster *cluster)
{
	return spec->partitions
		       ? tb_cluster_partition(cluster, spec->partitions)
		       : find_default_partition(cluster);
}

uint32_t tb_consumed_resources(const struct tb_cluster *cluster,
			       const partition_info_t *partition)
{
	return partition && partition->cr_type
		       ? partition->cr_type
		       : cluster->slurm->select_type_param;
}

bool tb_candidates_count_memory(const struct tb_cluster *cluster,
				const partition_info_t *partition)
{
	return tb_consumed_resources(cluster, partition) & SELECT_MEMORY;
}

/* What Slurm makes of a job that does not say how much memory it needs. */
static void set_memory(struct rules *rules, const partition_info_t *partition)
{
	uint64_t usual = rules->cluster->slurm->def_mem_per_cpu;

	if (partition && partition->def_mem_per_cpu)
		usual = partition->def_mem_per_cpu;
	rules->counts_memory = tb_candidates_count_memory(rules->cluster,
							  partition);
	rules->goes_with_devices = tb_job_devices_have_memory(
		&rules->spec->devices);
	if (rules->goes_with_devices)
		return;
	rules->memory = rules->spec->memory ? rules->spec->memory
			: rules->counts_memory && usual != INFINITE64 ? usual
								      : 0;
}

static void set_partitions(struct rules *rules)
{
	const struct tb_cluster *cluster = rules->cluster;
	const partition_info_t *partition = tb_candidate_partition(rules->spec,
								   cluster);

	rules->partitions = rules->spec->partitions;
	if (!rules->partitions && partition)
		rules->partitions = partition->name;
	if (rules->partitions)
		rules->partition = list_partition_nodes(cluster,
							rules->partitions);
	set_memory(rules, partition);
	rules->most_cpus = partition ? partition->max_cpus_per_node : INFINITE;
	/* As for jobs that share: nobody counts it. */
	if (rules->spec->whole_nodes || rules->most_cpus == INFINITE)
		rules->most_cpus = UINT32_MAX;
}

/* Each node gets a task, so there is no use for more nodes than tasks. */
static unsigned count_most_nodes(const struct tb_job_spec *spec)
{
	unsigned most = spec->tasks < spec->max_nodes ? spec->tasks
						      : spec->max_nodes;

	return most > spec->min_nodes ? most : spec->min_nodes;
}

static void make_rules(struct rules *rules, const struct tb_job_spec *spec,
		       const struct tb_cluster *cluster)
{
	*rules = (struct rules){ .spec = spec, .cluster = cluster };
	set_partitions(rules);
	if (spec->required)
		rules->required = slurm_hostlist_create(spec->required);
	if (spec->excluded)
		rules->excluded = slurm_hostlist_create(spec->excluded);
	rules->only_required = rules->required &&
			       (unsigned)slurm_hostlist_count(
				       rules->required) >=
				       count_most_nodes(spec);
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

/* Of a job that waits Slurm tells for how many CPUs it asks on each node. */
static void check_tasks(const struct tb_job_spec *spec,
			struct tb_candidate_node *node)
{
	struct tb_tasks_of_node asked = tb_job_spec_tasks_of_node(spec);

	if (tb_lacks_cpus_of_tasks(&asked, node->info->cpus) &&
	    (!spec->asked.node_cpus ||
	     spec->asked.node_cpus > node->info->cpus))
		set_text(&node->closed,
			 "has %u %s, too few for --ntasks-per-node=%u",
			 node->info->cpus,
			 tb_count_word(node->info->cpus, "CPU", "CPUs"),
			 asked.tasks);
}

static void check_lists(const struct rules *rules,
			struct tb_candidate_node *node)
{
	if (rules->partition && !is_in(rules->partition, node->info))
		set_text(&node->closed, "not in partition %s",
			 rules->partitions);
	if (rules->excluded && is_in(rules->excluded, node->info))
		set_text(&node->closed, "excluded by the job");
	node->required = rules->required && is_in(rules->required, node->info);
	if (rules->only_required && !node->required)
		set_text(&node->closed,
			 "not one of the nodes that the job requires");
}

/* The load comes and goes: the node is closed now. */
static void check_load(const struct tb_conf *conf,
		       struct tb_candidate_node *node)
{
	double most =
		conf ? tb_conf_node_numbers(conf, node->info->name).max_load
		     : 0;
	uint32_t percent = node->info->cpu_load;

	if (most > 0 && percent != NO_VAL && percent > 100 * most)
		set_text(&node->closed,
			 "has a load of %.2f, more than MaxLoad=%g",
			 percent / 100.0, most);
}

/* The last check: what is closed for that only can be open again. */
static void check_state(struct tb_candidate_node *node)
{
	uint32_t state = node->info->node_state;
	uint32_t base = state & NODE_STATE_BASE;
	bool open = !node->closed;

	if (base == NODE_STATE_DOWN || base == NODE_STATE_UNKNOWN)
		set_text(&node->closed, "down");
	if (base == NODE_STATE_FUTURE)
		set_text(&node->closed, "not there yet");
	if (state & (NODE_STATE_DRAIN | NODE_STATE_FAIL))
		set_text(&node->closed, "drained");
	if (state & NODE_STATE_NO_RESPOND)
		set_text(&node->closed, "not responding");
	node->out_of_service = open && node->closed;
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

static void check_layout(const struct rules *rules,
			 struct tb_candidate_node *node)
{
	const struct tb_layout there = { node->info->sockets, node->info->cores,
					 node->info->threads };

	if (!tb_layout_suffices(&there, &rules->spec->layout))
		set_text(&node->closed,
			 "has %u %s of %u %s with %u %s, the job asks for more",
			 there.sockets,
			 tb_count_word(there.sockets, "socket", "sockets"),
			 there.cores_per_socket,
			 tb_count_word(there.cores_per_socket, "core", "cores"),
			 there.threads_per_core,
			 tb_count_word(there.threads_per_core, "thread",
				       "threads"));
}

static void check_features(const struct rules *rules,
			   struct tb_candidate_node *node)
{
	const char *wanted = rules->spec->features;

	if (wanted && !has_features(node->info, wanted))
		set_text(&node->closed, "lacks the features %s", wanted);
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

/* Slurm tells how many, on all of its nodes, and not which. */
static void note_devices(const reserve_info_t *reservation,
			 struct tb_candidate_node *node)
{
	if (reservation->tres_str && strstr(reservation->tres_str, "gres/"))
		node->devices_reserved = true;
}

static void note_reservation(struct tb_candidate_node *node, const char *name)
{
	char *before = node->reserved_by;

	node->reserved_by = NULL;
	set_text(&node->reserved_by, "%s%s%s", before ? before : "",
		 before ? ", " : "", name);
	free(before);
}

static void take_reserved(const reserve_info_t *reservation, time_t now,
			  struct tb_candidate_node *node)
{
	struct tb_bitset *threads = tb_reserved_threads(reservation, node->info,
							node->topology);
	bool begun = reservation->start_time <= now;

	if (threads && threads->nbits == node->reserved->nbits) {
		tb_bitset_or(node->reserved, threads);
		note_reservation(node, reservation->name);
	} else {
		set_text(&node->closed, "reserved by %s%s", reservation->name,
			 begun ? "" : " before the job would end");
	}
	tb_bitset_destroy(threads);
}

/* Inside the job's own reservation the other cores are out of reach. */
static void close_outside(const reserve_info_t *own,
			  struct tb_candidate_node *node)
{
	struct tb_bitset *inside = tb_reserved_threads(own, node->info,
						       node->topology);

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
	if (rules->own)
		note_devices(rules->own, node);
	for (uint32_t i = 0; all && node->topology && i < all->record_count;
	     i++) {
		const reserve_info_t *other = &all->reservation_array[i];

		if (other != rules->own && other->start_time < rules->end &&
		    other->end_time > rules->now && covers_node(other, node)) {
			take_reserved(other, rules->now, node);
			note_devices(other, node);
		}
	}
}

/* ---- units ---- */

static unsigned count_listed(const struct tb_candidate_node *node,
			     const struct tb_request *request,
			     const struct tb_bitset *used)
{
	struct tb_bitset *listed = tb_bitset_create(used->nbits);
	unsigned count = 0;

	if (listed) {
		tb_listed_threads(request, node->topology, listed);
		tb_bitset_andnot(listed, used);
		tb_bitset_andnot(listed, node->masked);
		count = tb_bitset_count(listed);
	}
	tb_bitset_destroy(listed);
	return count;
}

unsigned tb_candidate_node_units(const struct tb_candidate_node *node,
				 const struct tb_request *request,
				 const struct tb_bitset *used)
{
	if (request->cpus)
		return count_listed(node, request, used);
	return tb_units_available(node->topology, request->unit, used,
				  node->masked);
}

unsigned tb_needed_units(const struct tb_request *request)
{
	return request->cpus ? tb_bitset_count(request->cpus) : request->amount;
}

/* "has no E cores", "has only 1 X unit that no filter masks" */
static void close_for_units(struct tb_candidate_node *node, struct tb_unit unit,
			    unsigned units)
{
	bool masked = units < tb_units_total(node->topology, unit);
	const char *name = tb_unit_name(unit);
	const char *what = unit.letter == 'C' ? "core" : "unit";
	const char *many = unit.letter == 'C' ? "cores" : "units";
	const char *left = masked ? " that is not masked or the system's" : "";

	if (units)
		set_text(&node->closed, "has only %u %s %s%s", units, name,
			 tb_count_word(units, what, many),
			 masked && units > 1
				 ? " that are not masked or the system's"
				 : left);
	else
		set_text(&node->closed, "has no %s %s%s", name,
			 masked ? what : many, left);
}

static void check_amount(const struct tb_request *request,
			 struct tb_candidate_node *node)
{
	unsigned units = tb_candidate_node_units(node, request, node->system);

	if (units >= tb_needed_units(request))
		return;
	if (request->cpus && request->os_numbers &&
	    !tb_topology_os_cpus(node->topology))
		set_text(&node->closed,
			 "does not tell how its OS numbers its CPUs");
	else if (request->cpus)
		set_text(&node->closed, "lacks some of the CPUs");
	else
		close_for_units(node, request->unit, units);
}

/* Each kind of its units alone, and both beside each other. */
static void check_parts(const struct tb_request *request,
			struct tb_candidate_node *node)
{
	struct tb_request there = tb_request_masked(request, node->masked);

	for (unsigned i = 0; i < request->nparts && !node->closed; i++) {
		struct tb_request only = tb_request_only_part(request, i);

		check_amount(&only, node);
	}
	if (!node->closed && request->nparts &&
	    tb_place(node->placer, &there, node->system, 1) <= 0)
		set_text(&node->closed,
			 "has no room for both kinds of units beside each other");
}

/* Whatever is in use there. */
static void check_window(const struct tb_request *request,
			 struct tb_candidate_node *node)
{
	struct tb_request there = tb_request_masked(request, node->masked);

	if (request->amount > tb_window_most_units(node->topology, &there))
		set_text(&node->closed,
			 "never has %u %s units in the window at once",
			 request->amount, tb_unit_name(request->unit));
	else if (!tb_window_can_hold(node->placer, &there, node->system,
				     node->books.by_thread))
		set_text(&node->closed,
			 "has no %s unit that the window could ever hold",
			 tb_unit_name(request->unit));
}

/* A filter of the job's has the node's shape, or the node is none for it. */
static int mask_units(const struct rules *rules, struct tb_candidate_node *node,
		      struct tb_error *err)
{
	const struct tb_filter *own = rules->spec->request.filter;

	tb_cluster_add_system(node->info, node->topology, node->system);
	if (own && !tb_filter_matches(own, node->topology))
		set_text(&node->closed, "has another shape than --bfilter");
	else if (own)
		tb_filter_add(own, node->topology, node->masked);
	if (tb_site_mask_add(rules->cluster, node->info, rules->partitions,
			     node->topology, node->masked, err))
		return -1;
	if (rules->spec->whole_nodes &&
	    !tb_bitset_contains(node->system, node->reserved)) {
		node->for_now = node->for_now || !node->closed;
		set_text(&node->closed, "a part of it is reserved");
	}
	tb_bitset_or(node->reserved, node->system);
	node->has_lost = tb_cluster_add_lost(node->info, node->topology,
					     node->reserved);
	if (node->has_lost && rules->spec->whole_nodes)
		set_text(&node->closed, "has lost some of its CPUs");
	return 0;
}

static unsigned count_group(struct tb_candidate_node *node,
			    const struct tb_request *request, unsigned group,
			    struct tb_bitset *threads)
{
	tb_placed_group(node->placer, group, threads);
	return tb_booked_runs(&node->books, request, node->topology, threads,
			      tb_placed_masked(node->placer));
}

/*
 * CPUs of the largest slot (TB_HOST: of all units) that the node has when no job
 * uses it.  0: it has none.
 */
static int find_most_cpus(struct tb_candidate_node *node,
			  const struct tb_request *request, unsigned *most,
			  struct tb_error *err)
{
	unsigned all = tb_topology_threads(node->topology);
	struct tb_request wide = tb_request_masked(request, node->masked);
	struct tb_bitset *threads = tb_bitset_create(all);

	*most = 0;
	if (!threads)
		return tb_fail(err, "out of memory");
	tb_request_widen_window(&wide);
	if (tb_place(node->placer, &wide, node->system, all) > 0)
		for (unsigned i = 0; i < tb_placed_groups(node->placer); i++) {
			unsigned cpus = count_group(node, request, i, threads);

			*most = cpus > *most ? cpus : *most;
		}
	tb_bitset_destroy(threads);
	return 0;
}

/* "2 X units have 12 CPUs, a task needs 16" */
static void check_cpus(const struct tb_job_spec *spec, unsigned most,
		       struct tb_candidate_node *node)
{
	const struct tb_request *request = &spec->request;
	char *units;

	if (spec->implicit || request->cpus || !most || most >= spec->task_cpus)
		return;
	units = tb_request_print_units(request, "");
	set_text(&node->closed, "%s %s %u %s, a task needs %u",
		 units ? units : "",
		 request->amount == 1 && !request->nparts ? "has" : "have",
		 most, tb_count_word(most, "CPU", "CPUs"), spec->task_cpus);
	free(units);
}

/* ---- memory ---- */

/* MB that go with the fewest devices that the job has on a node. */
static uint64_t count_memory_of_devices(const struct rules *rules)
{
	const struct tb_job_devices *devices = &rules->spec->devices;
	uint64_t memory = 0;

	for (unsigned i = 0; i < devices->count; i++)
		memory += devices->asked[i].megabytes *
			  tb_job_devices_needed(devices, i);
	return memory;
}

/* MB that are asked for on a node where the job has a slot. */
static uint64_t get_wanted_memory(const struct rules *rules, uint64_t there,
				  unsigned cpus)
{
	uint64_t memory = rules->memory;

	if (rules->goes_with_devices)
		return count_memory_of_devices(rules);
	if (!memory)
		return rules->counts_memory ? there : 0;
	if (!(memory & MEM_PER_CPU))
		return memory;
	return (memory & ~MEM_PER_CPU) *
	       (cpus > rules->spec->task_cpus ? cpus : rules->spec->task_cpus);
}

/* Is its memory that of the NUMA nodes of its units, and counted? */
static bool is_local(const struct rules *rules)
{
	const struct tb_conf *conf = rules->cluster->conf;
	struct tb_memory_policy site = tb_any_memory(), memory;

	if (conf)
		site = tb_conf_memory(conf, rules->partitions);
	memory = tb_request_memory(&rules->spec->request, site);
	return rules->counts_memory &&
	       (rules->memory || rules->goes_with_devices) &&
	       memory.where == TB_MEMORY_LOCAL &&
	       memory.kinds == TB_MEMORY_BIT(TB_MEMORY_MAIN);
}

/* With the CPUs of a slot, which are all the job's. */
static void check_memory(const struct rules *rules, unsigned cpus,
			 struct tb_candidate_node *node)
{
	uint64_t there = node->info->real_memory - node->info->mem_spec_limit;
	uint64_t used = tb_allocated_memory(node->info);
	/* A node of its own is the job's with all CPUs. */
	uint64_t wanted = get_wanted_memory(rules, there,
					    rules->spec->whole_nodes
						    ? node->info->cpus
						    : cpus);

	node->memory = there;
	node->free_memory = there > used ? there - used : 0;
	node->counts_memory = rules->counts_memory && !is_local(rules);
	/* With each CPU the slots say how much. */
	if (rules->spec->whole_nodes || !(rules->memory & MEM_PER_CPU))
		node->least_memory = wanted;
	if (rules->counts_memory && rules->memory & MEM_PER_CPU)
		node->cpu_memory = rules->memory & ~MEM_PER_CPU;
	if (there < wanted)
		set_text(&node->closed,
			 "only %llu MB of memory, %llu are asked for",
			 (unsigned long long)there, (unsigned long long)wanted);
	if (!rules->counts_memory || !wanted ||
	    (used <= there && node->free_memory >= wanted))
		return;
	node->lacks_memory = true;
	set_text(&node->note, "%llu MB of memory free, %llu are asked for",
		 (unsigned long long)node->free_memory,
		 (unsigned long long)wanted);
}

/* Of its CPUs each counts. */
static struct tb_memory_need find_memory_need(const struct rules *rules)
{
	const struct tb_job_spec *spec = rules->spec;
	struct tb_memory_need need = { 0 };
	uint32_t nodes = tb_asked_most_nodes(&spec->asked, spec->max_nodes);

	for (unsigned i = 0;
	     rules->goes_with_devices && i < spec->devices.count; i++)
		tb_devices_add_memory(&spec->devices.asked[i], nodes,
				      &need.per_node, &need.per_slot);
	if (rules->memory & MEM_PER_CPU)
		need.per_core = rules->memory & ~MEM_PER_CPU;
	else
		need.per_node += rules->memory;
	return need;
}

/* Of a job that the site binds what one task needs; it borrows. */
static struct tb_request find_slot(const struct tb_job_spec *spec,
				   const struct tb_candidate_node *node)
{
	struct tb_request slot = spec->request;
	struct tb_request there = tb_request_masked(&slot, node->masked);
	uint32_t units;

	if (!spec->implicit)
		return slot;
	tb_implicit_place(node->placer, &there, &node->books, node->system,
			  spec->task_cpus, 1, &units);
	slot.type = TB_SLOT;
	slot.amount = units ? units : 1;
	return slot;
}

static int check_numa_memory(const struct rules *rules,
			     struct tb_candidate_node *node,
			     struct tb_error *err)
{
	struct tb_request slot;
	struct tb_candidate_memory found;

	if (node->closed || !is_local(rules))
		return 0;
	node->local_need = find_memory_need(rules);
	node->numa = tb_candidate_numa_create(node);
	slot = find_slot(rules->spec, node);
	if (tb_candidate_memory_find(node, &slot,
				     tb_asked_slots_of_node(&rules->spec->asked),
				     find_memory_need(rules), &found, err))
		return -1;
	if (!found.ever)
		set_text(&node->closed,
			 "its NUMA nodes have too little memory: a slot needs %llu MB",
			 (unsigned long long)found.needed);
	if (found.now || !found.ever)
		return 0;
	node->lacks_memory = true;
	set_text(&node->note,
		 "too little memory free on NUMA nodes: a slot needs %llu MB",
		 (unsigned long long)found.needed);
	return 0;
}

/* ---- devices ---- */

static int check_devices(const struct tb_job_devices *asked,
			 struct tb_candidate_node *node, struct tb_error *err)
{
	uint32_t untyped;

	if (!asked->count)
		return 0;
	node->devices = calloc(asked->count, sizeof(*node->devices));
	if (!node->devices)
		return tb_fail(err, "out of memory");
	for (unsigned i = 0; i < asked->count; i++) {
		uint32_t needed = tb_job_devices_needed(asked, i);

		node->devices[i] = tb_devices_in_list(node->info->gres,
						      asked->names[i],
						      &untyped);
		if (node->devices[i] < needed)
			set_text(&node->closed, "%u %s there, %u %s asked for",
				 node->devices[i], asked->names[i], needed,
				 tb_count_word(needed, "is", "are"));
	}
	node->pools = tb_candidate_pools_create(node, asked, err);
	return node->pools ? 0 : -1;
}

static int check_units(const struct rules *rules,
		       struct tb_candidate_node *node, struct tb_error *err)
{
	const struct tb_request *request = &rules->spec->request;
	unsigned most = 0;

	if (!tb_request_matches(request, node->topology))
		set_text(&node->closed, "has another shape than --btopology");
	if (mask_units(rules, node, err))
		return -1;
	if (node->closed)
		return 0;
	check_amount(request, node);
	check_parts(request, node);
	check_window(request, node);
	if (!node->closed && !rules->spec->implicit &&
	    find_most_cpus(node, request, &most, err))
		return -1;
	check_cpus(rules->spec, most, node);
	check_memory(rules, most, node);
	return check_numa_memory(rules, node, err) ||
			       check_devices(&rules->spec->devices, node, err)
		       ? -1
		       : 0;
}

/* Whose memory is memory of GPUs, for --bmem=local+gpu. */
static void check_gpu_memory(const struct tb_request *request,
			     struct tb_candidate_node *node)
{
	char *known;

	if (!tb_request_names_gpu_memory(request))
		return;
	known = tb_cluster_token(node->info, TB_EXTRA_GPU_MEMORY);
	if (!known || !*known)
		set_text(&node->closed,
			 "does not know which memory is that of GPUs");
	free(known);
}

static void check_isolation(const struct tb_request *request,
			    struct tb_candidate_node *node)
{
	if (tb_request_binds(request) && request->isolate &&
	    tb_extra_has(node->info->extra, TB_EXTRA_ISOLATES, "no"))
		set_text(&node->closed, "cannot isolate CPUs");
}

static int read_topology(const struct rules *rules,
			 struct tb_candidate_node *node, struct tb_error *err)
{
	unsigned threads, cores = node->info->sockets * node->info->cores;
	struct tb_error why;

	node->topology = tb_cluster_topology(node->info, &node->inuse, &why);
	if (!node->topology) {
		set_text(&node->closed, "shows no topology");
		return 0;
	}
	node->books = (struct tb_books){
		.by_thread = cores != tb_topology_cores(node->topology),
		.threads_per_core = node->info->threads,
		.cpus_per_core =
			tb_booked_per_core(rules->spec->layout.threads_per_core,
					   node->info->threads),
	};
	node->most_cpus = rules->most_cpus;
	threads = tb_topology_threads(node->topology);
	node->masked = tb_bitset_create(threads);
	node->system = tb_bitset_create(threads);
	node->reserved = tb_bitset_create(threads);
	node->placer = tb_placer_create(node->topology);
	return node->masked && node->system && node->reserved && node->placer
		       ? 0
		       : tb_fail(err, "out of memory");
}

/* ---- all of it ---- */

static int fill_node(struct tb_candidate_node *node, const struct rules *rules,
		     struct tb_error *err)
{
	bool lasting;

	check_lists(rules, node);
	check_features(rules, node);
	check_layout(rules, node);
	node->outside = node->closed != NULL;
	check_tasks(rules->spec, node);
	lasting = node->closed != NULL;
	if (tb_request_binds(&rules->spec->request))
		check_load(rules->cluster->conf, node);
	check_gpu_memory(&rules->spec->request, node);
	check_isolation(&rules->spec->request, node);
	if (read_topology(rules, node, err))
		return -1;
	check_reservations(rules, node);
	node->for_now = node->closed && !lasting;
	if (node->topology && check_units(rules, node, err))
		return -1;
	check_state(node);
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
	for (unsigned i = 0; i < node->nholds; i++) {
		free((uint32_t *)node->holds[i].devices);
		free((uint32_t *)node->holds[i].of_pools);
		free((uint64_t *)node->holds[i].of_numa);
		tb_bitset_destroy((struct tb_bitset *)node->holds[i].threads);
	}
	free(node->holds);
	free(node->held_units);
	free(node->closed);
	free(node->note);
	free(node->reserved_by);
	free(node->devices);
	tb_candidate_pools_destroy(node->pools);
	tb_candidate_numa_destroy(node->numa);
	tb_bitset_destroy(node->inuse);
	tb_bitset_destroy(node->masked);
	tb_bitset_destroy(node->system);
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
