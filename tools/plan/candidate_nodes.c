/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidate_nodes.c - see candidate_nodes.h
 *
 * The first reason that is found against a node is told: lists and reservations
 * come before units and memory, and the state of the node comes last.
 */
#include "candidate_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "common/conf/conf.h"
#include "common/node/node_extra.h"
#include "compat/slurm_types.h"
#include "core/base/text.h"
#include "terminal/words.h"

#include "candidate_memory.h"
#include "candidate_pools.h"
#include "candidate_reservations.h"
#include "candidate_rules.h"
#include "candidate_units.h"

/* ---- any job ---- */

/* Of a job that waits Slurm tells for how many CPUs it asks on each node. */
static void check_tasks(const struct tb_job_spec *spec,
			struct tb_candidate_node *node)
{
	struct tb_tasks_of_node asked = tb_job_spec_tasks_of_node(spec);

	if (tb_lacks_cpus_of_tasks(&asked, node->info->cpus) &&
	    (!spec->asked.node_cpus ||
	     spec->asked.node_cpus > node->info->cpus))
		tb_candidate_say(&node->closed,
				 "has %u %s, too few for --ntasks-per-node=%u",
				 node->info->cpus,
				 tb_count_word(node->info->cpus, "CPU", "CPUs"),
				 asked.tasks);
}

static void check_lists(const struct tb_candidate_rules *rules,
			struct tb_candidate_node *node)
{
	if (rules->partition &&
	    !tb_candidate_is_in(rules->partition, node->info))
		tb_candidate_say(&node->closed, "not in partition %s",
				 rules->partitions);
	if (rules->excluded && tb_candidate_is_in(rules->excluded, node->info))
		tb_candidate_say(&node->closed, "excluded by the job");
	node->required = rules->required &&
			 tb_candidate_is_in(rules->required, node->info);
	if (rules->only_required && !node->required)
		tb_candidate_say(&node->closed,
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
		tb_candidate_say(&node->closed,
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
		tb_candidate_say(&node->closed, "down");
	if (base == NODE_STATE_FUTURE)
		tb_candidate_say(&node->closed, "not there yet");
	if (state & (NODE_STATE_DRAIN | NODE_STATE_FAIL))
		tb_candidate_say(&node->closed, "drained");
	if (state & NODE_STATE_NO_RESPOND)
		tb_candidate_say(&node->closed, "not responding");
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

static void check_layout(const struct tb_candidate_rules *rules,
			 struct tb_candidate_node *node)
{
	const struct tb_layout there = { node->info->sockets, node->info->cores,
					 node->info->threads };

	if (!tb_layout_suffices(&there, &rules->spec->layout))
		tb_candidate_say(
			&node->closed,
			"has %u %s of %u %s with %u %s, the job asks for more",
			there.sockets,
			tb_count_word(there.sockets, "socket", "sockets"),
			there.cores_per_socket,
			tb_count_word(there.cores_per_socket, "core", "cores"),
			there.threads_per_core,
			tb_count_word(there.threads_per_core, "thread",
				      "threads"));
}

static void check_features(const struct tb_candidate_rules *rules,
			   struct tb_candidate_node *node)
{
	const char *wanted = rules->spec->features;

	if (wanted && !has_features(node->info, wanted))
		tb_candidate_say(&node->closed, "lacks the features %s",
				 wanted);
}

/* ---- memory ---- */

/* MB that go with the fewest devices that the job has on a node. */
static uint64_t count_memory_of_devices(const struct tb_candidate_rules *rules)
{
	const struct tb_job_devices *devices = &rules->spec->devices;
	uint64_t memory = 0;

	for (unsigned i = 0; i < devices->count; i++)
		memory += devices->asked[i].megabytes *
			  tb_job_devices_needed(devices, i);
	return memory;
}

/* MB that are asked for on a node where the job has a slot. */
static uint64_t get_wanted_memory(const struct tb_candidate_rules *rules,
				  uint64_t there, unsigned cpus)
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
static bool is_local(const struct tb_candidate_rules *rules)
{
	const struct tb_conf *conf = rules->cluster->conf;
	struct tb_memory_policy site = tb_any_memory(), memory;

	if (conf)
		site = tb_conf_memory(conf, rules->partitions);
	memory = tb_request_memory(&rules->spec->request, site);
	return rules->counts_memory &&
	       (rules->memory || rules->goes_with_devices) &&
	       !rules->spec->implicit && memory.where == TB_MEMORY_LOCAL &&
	       memory.kinds == TB_MEMORY_BIT(TB_MEMORY_MAIN);
}

/* With the CPUs of a slot, which are all the job's. */
static void check_memory(const struct tb_candidate_rules *rules, unsigned cpus,
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
		tb_candidate_say(&node->closed,
				 "only %llu MB of memory, %llu are asked for",
				 (unsigned long long)there,
				 (unsigned long long)wanted);
	if (!rules->counts_memory || !wanted ||
	    (used <= there && node->free_memory >= wanted))
		return;
	node->lacks_memory = true;
	tb_candidate_say(&node->note,
			 "%llu MB of memory free, %llu are asked for",
			 (unsigned long long)node->free_memory,
			 (unsigned long long)wanted);
}

/* Of its CPUs each counts. */
static struct tb_memory_need
find_memory_need(const struct tb_candidate_rules *rules)
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

static int check_numa_memory(const struct tb_candidate_rules *rules,
			     struct tb_candidate_node *node,
			     struct tb_error *err)
{
	struct tb_candidate_memory found;

	if (node->closed || !is_local(rules))
		return 0;
	node->local_need = find_memory_need(rules);
	node->numa = tb_candidate_numa_create(node);
	if (tb_candidate_memory_find(node, &rules->spec->request,
				     tb_asked_slots_of_node(&rules->spec->asked),
				     find_memory_need(rules), &found, err))
		return -1;
	if (!found.ever)
		tb_candidate_say(
			&node->closed,
			"its NUMA nodes have too little memory: a slot needs %llu MB",
			(unsigned long long)found.needed);
	if (found.now || !found.ever)
		return 0;
	node->lacks_memory = true;
	tb_candidate_say(
		&node->note,
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
			tb_candidate_say(&node->closed,
					 "%u %s there, %u %s asked for",
					 node->devices[i], asked->names[i],
					 needed,
					 tb_count_word(needed, "is", "are"));
	}
	node->pools = tb_candidate_pools_create(node, asked, err);
	return node->pools ? 0 : -1;
}

static int check_topology(const struct tb_candidate_rules *rules,
			  struct tb_candidate_node *node, struct tb_error *err)
{
	unsigned cpus;

	if (tb_candidate_mask_units(rules, node, err))
		return -1;
	if (node->closed)
		return 0;
	if (tb_candidate_check_units(rules, node, &cpus, err))
		return -1;
	check_memory(rules, cpus, node);
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
		tb_candidate_say(&node->closed,
				 "does not know which memory is that of GPUs");
	free(known);
}

static void check_isolation(const struct tb_request *request,
			    struct tb_candidate_node *node)
{
	if (tb_request_binds(request) && request->isolate &&
	    tb_extra_has(node->info->extra, TB_EXTRA_ISOLATES, "no"))
		tb_candidate_say(&node->closed, "cannot isolate CPUs");
}

static int read_topology(const struct tb_candidate_rules *rules,
			 struct tb_candidate_node *node, struct tb_error *err)
{
	unsigned threads, cores = node->info->sockets * node->info->cores;
	struct tb_error why;

	node->topology = tb_cluster_topology(node->info, &node->inuse, &why);
	if (!node->topology) {
		tb_candidate_say(&node->closed, "shows no topology");
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

/* ---- for lib/core/plan/blockers.h ---- */

struct tb_used_node tb_candidate_used(const struct tb_candidate_node *node)
{
	return (struct tb_used_node){
		.topology = node->topology,
		.placer = node->placer,
		.books = node->books,
		.most_cpus = node->most_cpus,
		.reserved = node->reserved,
		.masked = node->masked,
		.holders = node->holds,
		.nholders = node->nholds,
		.required = node->required,
		.devices = node->devices,
		.pools = node->pools ? node->pools->list : NULL,
		.npools = node->pools ? node->pools->count : 0,
		.memory = node->memory,
		.least_memory = node->least_memory,
		.numa = node->numa ? node->numa->numa : NULL,
		.numa_sizes = node->numa ? node->numa->memory.sizes : NULL,
		.numa_free = node->numa ? node->numa->memory.available : NULL,
	};
}

struct tb_used_node tb_candidate_idle(const struct tb_candidate_node *node)
{
	struct tb_used_node idle = tb_candidate_used(node);

	idle.reserved = node->system;
	idle.nholders = 0;
	return idle;
}

/* ---- all of it ---- */

static int fill_node(struct tb_candidate_node *node,
		     const struct tb_candidate_rules *rules,
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
	tb_candidate_check_reservations(rules, node);
	node->for_now = node->closed && !lasting;
	if (node->topology && check_topology(rules, node, err))
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
	struct tb_candidate_rules rules;
	int rc = 0;

	if (!nodes) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	tb_candidate_rules_make(&rules, spec, cluster);
	for (unsigned i = 0; !rc && i < nnodes; i++) {
		nodes[i].info = &cluster->nodes->node_array[i];
		if (nodes[i].info->name)
			rc = fill_node(&nodes[i], &rules, err);
		else
			tb_candidate_say(&nodes[i].closed, "not there");
	}
	tb_candidate_rules_clear(&rules);
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
