/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/common/log.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "common/node/node_extra.h"
#include "core/topology/numa_memory.h"

#include "stock.h"
#include "text_digest.h"

/* What topobind.conf or the node itself says of a node. */
struct statement {
	struct tb_text_part topology, distances, memory, os_cpus, gpu_memory,
		isolates, speed, lost;
};

/* What is known of one node. */
struct known_node {
	struct tb_shape *shape;
	const char *topology;  /* as stated, or NULL; of the stock */
	const char *distances; /* likewise */
	const char *os_cpus;   /* likewise */
	time_t looked_at;      /* when the record was last looked at */
	uint64_t looked_extra; /* a digest of Extra as it was then */
	uint64_t question;     /* during which that was, or 0 */
	/* Of topobind.conf, looked up the first time. */
	const char *conf_topology, *conf_distances, *conf_memory;
	const struct tb_filter *filter;
	bool says_filter;
	double max_load;  /* 0: none */
	char *speed;	  /* only shown */
	char *gpu_memory; /* NULL: it does not know which memory is a GPU's */
	char *isolates;	  /* as stated, or NULL */
	char *memory;	  /* of its NUMA nodes, as stated, or NULL */
	uint64_t *memory_sizes;	      /* for its shape; NULL: not known */
	char *lost;		      /* as stated, or NULL */
	struct tb_bitset *lost_cores; /* Slurm's, for its shape; NULL: none */
	bool is_stated;		      /* its shape is of the stated topology */
};

static const struct tb_conf *site;
static struct known_node *nodes;
static uint32_t node_count;
static uint64_t question; /* the number of the present one; 0: none */

void tb_nodes_fini(void)
{
	for (uint32_t node = 0; node < node_count; node++) {
		xfree(nodes[node].speed);
		xfree(nodes[node].gpu_memory);
		xfree(nodes[node].isolates);
		xfree(nodes[node].memory);
		xfree(nodes[node].memory_sizes);
		xfree(nodes[node].lost);
		tb_bitset_destroy(nodes[node].lost_cores);
	}
	xfree(nodes);
	node_count = 0;
	tb_stock_fini();
}

void tb_nodes_reset(const struct tb_conf *new_conf)
{
	tb_nodes_fini();
	site = new_conf;
	node_count = tb_node_count();
	nodes = xcalloc(node_count + 1, sizeof(*nodes));
}

/* With S and C, and T where a core has several threads, as in slurm.conf. */
static char *print_slurm_topology(const node_record_t *record)
{
	char *text = NULL;

	for (uint32_t core = 0; core < record->tot_cores; core++) {
		if (record->cores && core % record->cores == 0)
			xstrcatchar(text, 'S');
		xstrcatchar(text, 'C');
		for (uint16_t thread = 0;
		     record->tpc > 1 && thread < record->tpc; thread++)
			xstrcatchar(text, 'T');
	}
	return text;
}

static struct tb_text_part take_whole_text(const char *text)
{
	return (struct tb_text_part){ text, text ? strlen(text) : 0 };
}

/* A token without a value is none. */
static struct tb_text_part find_token(const node_record_t *record,
				      const char *name)
{
	size_t length;
	const char *begin = tb_extra_find(record->extra, name, &length);

	if (!begin || !length)
		return take_whole_text(NULL);
	return (struct tb_text_part){ begin, length };
}

/*
 * All from topobind.conf or all from the node's own Extra field, but for the OS CPU
 * numbers, the memory of GPUs, isolation and lost CPUs, which only the node knows.  What
 * a node once said counts until it says something else: somebody who overwrites Extra
 * does not mean that, but m_topology= without a string does.  This is done in
 * every test, so nothing is copied.
 */
static struct statement find_statement(const struct known_node *node,
				       const node_record_t *record)
{
	struct statement stated = {
		take_whole_text(node->topology),
		take_whole_text(node->distances),
		take_whole_text(node->memory),
		take_whole_text(node->os_cpus),
		take_whole_text(node->gpu_memory),
		take_whole_text(node->isolates),
		take_whole_text(node->speed),
		take_whole_text(node->lost),
	};
	size_t length;
	bool states_machine = tb_extra_find(record->extra, TB_EXTRA_OS_CPUS,
					    &length) != NULL;

	if (tb_extra_find(record->extra, TB_EXTRA_TOPOLOGY, &length)) {
		stated.topology = find_token(record, TB_EXTRA_TOPOLOGY);
		stated.distances = find_token(record, TB_EXTRA_DISTANCES);
		stated.memory = find_token(record, TB_EXTRA_MEMORY);
		stated.speed = find_token(record, TB_EXTRA_SPEED);
		states_machine = true;
	}
	if (states_machine) {
		stated.os_cpus = find_token(record, TB_EXTRA_OS_CPUS);
		stated.gpu_memory = find_token(record, TB_EXTRA_GPU_MEMORY);
		stated.isolates = find_token(record, TB_EXTRA_ISOLATES);
		stated.lost = find_token(record, TB_EXTRA_LOST);
	}
	if (node->conf_topology) {
		stated.topology = take_whole_text(node->conf_topology);
		stated.distances = take_whole_text(node->conf_distances);
		stated.memory = take_whole_text(node->conf_memory);
	}
	return stated;
}

/* The part can be the text itself. */
static void set_text(char **text, struct tb_text_part part)
{
	if (tb_text_part_is(*text, part))
		return;
	xfree(*text);
	*text = part.begin ? xstrndup(part.begin, part.length) : NULL;
}

/* The shape that has the distances, too; the one without when they are wrong. */
static struct tb_shape *add_distances(const struct known_node *node,
				      const node_record_t *record,
				      struct tb_shape *without,
				      struct tb_shape_text *text)
{
	struct tb_shape *shape;
	struct tb_error why;

	if (!node->distances)
		return without;
	text->distances = node->distances;
	shape = tb_stock_shape(text, record->tot_cores, &why);
	if (shape)
		return shape;
	error("topobind: node %s: its NUMA distances %.200s cannot be used: %s; going on without",
	      record->name, node->distances, why.text);
	text->distances = NULL;
	return without;
}

/*
 * The same with the OS CPU numbers.  A node that topobind.conf describes need not be
 * the machine that publishes them.
 */
static struct tb_shape *add_os_cpus(const struct known_node *node,
				    const node_record_t *record,
				    struct tb_shape *without,
				    struct tb_shape_text *text)
{
	struct tb_shape *shape;
	struct tb_error why;

	if (!node->os_cpus)
		return without;
	text->os_cpus = node->os_cpus;
	shape = tb_stock_shape(text, record->tot_cores, &why);
	if (shape)
		return shape;
	if (!node->conf_topology)
		error("topobind: node %s: its OS CPU numbers %.200s cannot be used: %s; going on without",
		      record->name, node->os_cpus, why.text);
	return without;
}

/* The shape by what is stated; NULL when that is nothing or cannot be used. */
static struct tb_shape *find_stated_shape(const struct known_node *node,
					  const node_record_t *record)
{
	struct tb_shape_text text = { .topology = node->topology };
	struct tb_shape *shape;
	struct tb_error why;

	if (!node->topology)
		return NULL;
	shape = tb_stock_shape(&text, record->tot_cores, &why);
	if (!shape) {
		error("topobind: node %s: its topology %.200s cannot be used: %s; using Sockets, Cores and Threads of slurm.conf",
		      record->name, node->topology, why.text);
		return NULL;
	}
	shape = add_distances(node, record, shape, &text);
	return add_os_cpus(node, record, shape, &text);
}

/* A filter that was written for this node must have its shape. */
static void check_filter(const struct tb_shape *shape, const char *node_name)
{
	const struct tb_filter *filter = tb_conf_node_filter(site, node_name);

	if (filter && !tb_filter_matches(filter, shape->topology))
		error("topobind: node %s: the Filter= of its NodeName= line in topobind.conf has another shape than the node, %.200s; it has no effect",
		      node_name, shape->text);
}

/* Logs what is wrong once only: it is called when what is stated has changed. */
static struct tb_shape *choose_shape(struct known_node *node,
				     const node_record_t *record)
{
	struct tb_shape *shape = find_stated_shape(node, record);
	struct tb_shape_text text = { .topology = NULL };
	struct tb_error why;
	char *printed;

	node->is_stated = shape != NULL;
	if (shape) {
		check_filter(shape, record->name);
	} else {
		text.topology = printed = print_slurm_topology(record);
		shape = printed ? tb_stock_shape(&text, record->tot_cores, &why)
				: NULL;
		xfree(printed);
	}
	return shape;
}

static void find_in_conf(struct known_node *node, const char *name)
{
	node->conf_topology = tb_conf_topology(site, name);
	node->conf_distances = tb_conf_distances(site, name);
	node->conf_memory = tb_conf_node_memory(site, name);
	node->filter = tb_conf_node_filter(site, name);
	node->says_filter = tb_conf_node_says_filter(site, name);
	node->max_load = tb_conf_node_numbers(site, name).max_load;
}

/*
 * Any update of the node can change the Extra field, and sets last_node_update.
 * That counts in seconds: after a look in that same second the field may have
 * changed again.
 */
static bool is_stale(const struct known_node *node)
{
	return node->looked_at <= last_node_update &&
	       (!question || node->question != question);
}

static void mark_used(void)
{
	for (uint32_t i = 0; i < node_count; i++) {
		tb_stock_mark_shape(nodes[i].shape);
		tb_stock_mark_text(nodes[i].topology);
		tb_stock_mark_text(nodes[i].distances);
		tb_stock_mark_text(nodes[i].os_cpus);
	}
}

void tb_nodes_drop_unused(void)
{
	if (!tb_stock_is_full())
		return;
	mark_used();
	tb_stock_sweep();
}

void tb_nodes_freeze(void)
{
	static uint64_t count;

	tb_nodes_drop_unused();
	question = ++count;
}

void tb_nodes_thaw(void)
{
	question = 0;
}

/*
 * When features of nodes change, Slurm tries jobs again that no node could ever
 * hold (BadConstraints).  A new topology is a reason to try them, too.
 */
static void change_shape(struct known_node *node, const node_record_t *record)
{
	struct tb_shape *before = node->shape;

	node->shape = choose_shape(node, record);
	if (node->looked_at && node->shape != before)
		node_features_updated = true;
}

/* Of a node whose shape is the stated one, as a number for each NUMA node. */
static void read_memory(struct known_node *node, const node_record_t *record)
{
	unsigned count = node->shape && node->is_stated && node->memory
				 ? tb_topology_count(node->shape->topology, 'N')
				 : 0;
	struct tb_error why;
	uint64_t *sizes;

	xfree(node->memory_sizes);
	if (!count)
		return;
	sizes = tb_numa_memory_parse(node->memory, count, &why);
	if (!sizes) {
		error("topobind: node %s: the memory of its NUMA nodes, %.200s, cannot be used: %s; going on without",
		      record->name, node->memory, why.text);
		return;
	}
	node->memory_sizes = xcalloc(count, sizeof(*sizes));
	memcpy(node->memory_sizes, sizes, count * sizeof(*sizes));
	free(sizes);
}

/* More memory, too, is a reason to try jobs again (change_shape()). */
static void look_at_memory(struct known_node *node, const node_record_t *record,
			   struct tb_text_part memory, bool has_new_shape)
{
	bool is_new = !tb_text_part_is(node->memory, memory);

	if (!is_new && !has_new_shape)
		return;
	set_text(&node->memory, memory);
	read_memory(node, record);
	if (is_new && node->looked_at)
		node_features_updated = true;
}

/* Which decides what jobs the node may have, so it is a reason to try them, too. */
static void look_at_word(const struct known_node *node, char **word,
			 struct tb_text_part stated)
{
	if (tb_text_part_is(*word, stated))
		return;
	set_text(word, stated);
	if (node->looked_at)
		node_features_updated = true;
}

/* The lower-case threads of a string of the node's shape, as cores.  NULL with why. */
static struct tb_bitset *
parse_lost(const char *text, const struct tb_shape *shape, struct tb_error *why)
{
	struct tb_bitset *threads = NULL;
	struct tb_topology *topology = tb_topology_parse(text, &threads, why);
	struct tb_bitset *cores = NULL;

	if (topology && !tb_topology_same_shape(topology, shape->topology))
		tb_fail(why, "the node has another shape");
	else if (topology && !(cores = tb_bitset_create(shape->ncores)))
		tb_fail(why, "out of memory");
	if (cores)
		tb_shape_cores(shape, threads, cores);
	tb_topology_destroy(topology);
	tb_bitset_destroy(threads);
	return cores;
}

static void read_lost(struct known_node *node, const node_record_t *record)
{
	struct tb_error why;

	tb_bitset_destroy(node->lost_cores);
	node->lost_cores = NULL;
	if (!node->shape || !node->lost)
		return;
	node->lost_cores = parse_lost(node->lost, node->shape, &why);
	if (!node->lost_cores)
		error("topobind: node %s: the CPUs that it has lost, %.200s, are not known: %s; going on with all of them",
		      record->name, node->lost, why.text);
}

/* CPUs that are there again are a reason to try jobs again (change_shape()), too. */
static void look_at_lost(struct known_node *node, const node_record_t *record,
			 struct tb_text_part lost, bool has_new_shape)
{
	bool is_new = !tb_text_part_is(node->lost, lost);

	if (!is_new && !has_new_shape)
		return;
	set_text(&node->lost, lost);
	read_lost(node, record);
	if (is_new && node->looked_at)
		node_features_updated = true;
}

struct tb_shape *tb_node_shape(uint32_t index)
{
	node_record_t *record = node_record_table_ptr[index];
	struct known_node *node = &nodes[index];
	struct statement stated;
	bool has_new_shape;
	uint64_t extra;

	if (!record || index >= node_count)
		return NULL;
	if (!is_stale(node))
		return node->shape;
	node->question = question;
	extra = tb_text_digest(record->extra);
	if (node->looked_at && extra == node->looked_extra) {
		node->looked_at = time(NULL);
		return node->shape;
	}
	if (!node->looked_at)
		find_in_conf(node, record->name);
	node->looked_extra = extra;
	stated = find_statement(node, record);
	has_new_shape = !node->looked_at ||
			!tb_text_part_is(node->topology, stated.topology) ||
			!tb_text_part_is(node->distances, stated.distances) ||
			!tb_text_part_is(node->os_cpus, stated.os_cpus);
	if (has_new_shape) {
		node->topology = tb_stock_text(stated.topology);
		node->distances = tb_stock_text(stated.distances);
		node->os_cpus = tb_stock_text(stated.os_cpus);
		change_shape(node, record);
	}
	look_at_memory(node, record, stated.memory, has_new_shape);
	look_at_word(node, &node->gpu_memory, stated.gpu_memory);
	look_at_word(node, &node->isolates, stated.isolates);
	look_at_lost(node, record, stated.lost, has_new_shape);
	set_text(&node->speed, stated.speed);
	node->looked_at = time(NULL);
	return node->shape;
}

const char *tb_job_partition(const job_record_t *job)
{
	return job->part_ptr ? job->part_ptr->name : NULL;
}

bool tb_node_knows_gpu_memory(uint32_t node)
{
	return nodes[node].gpu_memory != NULL;
}

bool tb_node_cannot_isolate(uint32_t node)
{
	return nodes[node].isolates && !strcmp(nodes[node].isolates, "no");
}

struct tb_shape *tb_node_shape_for(uint32_t index, const job_record_t *job,
				   const struct tb_request *request)
{
	struct tb_shape *shape = tb_node_shape(index);

	if (shape && !nodes[index].gpu_memory &&
	    tb_request_names_gpu_memory(request))
		return NULL;
	if (shape && request->isolate && tb_node_cannot_isolate(index))
		return NULL;
	if (shape && !nodes[index].is_stated &&
	    !tb_conf_on_any_host(site, tb_job_partition(job)))
		return NULL;
	return shape;
}

const struct tb_bitset *tb_node_lost_cores(uint32_t node)
{
	return nodes[node].lost_cores;
}

bool tb_node_is_overloaded(uint32_t node)
{
	uint32_t percent = node_record_table_ptr[node]->cpu_load;
	double most = nodes[node].max_load;

	return most > 0 && percent != NO_VAL && percent > 100 * most;
}

const struct tb_filter *tb_job_filter(const job_record_t *job)
{
	return tb_conf_partition_filter(site, tb_job_partition(job));
}

/* A filter is for nodes of its shape only. */
const struct tb_filter *tb_node_filter(uint32_t node,
				       const struct tb_shape *shape,
				       const struct tb_filter *of_partition)
{
	const struct tb_filter *filter = nodes[node].says_filter
						 ? nodes[node].filter
						 : of_partition;

	return filter && tb_filter_matches(filter, shape->topology) ? filter
								    : NULL;
}

const struct tb_filter *tb_node_own_filter(uint32_t node,
					   const struct tb_shape *shape)
{
	return tb_node_filter(node, shape,
			      tb_conf_partition_filter(site, NULL));
}

struct tb_node_stated tb_node_stated(uint32_t node)
{
	return (struct tb_node_stated){
		nodes[node].topology,	nodes[node].distances,
		nodes[node].memory,	nodes[node].os_cpus,
		nodes[node].gpu_memory, nodes[node].isolates,
		nodes[node].speed,	nodes[node].lost
	};
}

/* What jobs may have of the node is divided over its NUMA nodes. */
bool tb_node_memory_sizes(uint32_t node, uint64_t *sizes)
{
	const struct known_node *known = &nodes[node];
	const node_record_t *record = node_record_table_ptr[node];
	uint64_t usable = record->real_memory > record->mem_spec_limit
				  ? record->real_memory - record->mem_spec_limit
				  : 0;
	unsigned count;

	if (!known->memory_sizes)
		return false;
	count = tb_topology_count(known->shape->topology, 'N');
	memcpy(sizes, known->memory_sizes, count * sizeof(*sizes));
	tb_numa_memory_limit(sizes, count, usable);
	return true;
}

bool tb_memory_is_counted(uint32_t node)
{
	return nodes[node].memory_sizes &&
	       tb_conf_count_memory(site) != TB_COUNT_NONE &&
	       slurm_conf.select_type_param & SELECT_MEMORY;
}

bool tb_job_is_local(const job_record_t *job, const struct tb_request *request)
{
	const struct tb_memory_policy memory =
		tb_request_memory(request,
				  tb_conf_memory(site, tb_job_partition(job)));

	return memory.where == TB_MEMORY_LOCAL &&
	       memory.kinds == TB_MEMORY_BIT(TB_MEMORY_MAIN);
}

bool tb_job_spares_devices(const job_record_t *job)
{
	return tb_conf_spares_devices(site, tb_job_partition(job));
}

enum tb_count_memory tb_counted_memory(void)
{
	return tb_conf_count_memory(site);
}
