/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "grant_text.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/hostlist.h"
#include "src/common/xhash.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "select_topobind/nodes/core_bits.h"
#include "select_topobind/nodes/job_nodes.h"
#include "select_topobind/nodes/nodes.h"

/* Room for " more=" and any number. */
#define MORE_MAX 16

/* Nodes of one shape with the same threads granted. */
struct group {
	char *key;     /* shape and threads */
	char *threads; /* "0-5,8" */
	struct tb_shape *shape;
	uint32_t first_core; /* of one of them, among the job's */
	tb_hostlist_t nodes;
	uint32_t count;
};

static void get_group_key(void *item, const char **key, uint32_t *length)
{
	struct group *group = item;

	*key = group->key;
	*length = strlen(group->key);
}

static void destroy_group(void *item)
{
	struct group *group = item;

	hostlist_destroy(group->nodes);
	free(group->threads);
	xfree(group->key);
	xfree(group);
}

/*
 * The job's threads of a node, in the shape's scratch; the node's cores begin at
 * bit first of the job's.
 */
static const struct tb_bitset *find_threads(const struct tb_shape *shape,
					    const job_resources_t *granted,
					    uint32_t first)
{
	struct tb_scratch *scratch = shape->scratch;

	tb_cores_from_bits(scratch->cores, granted->core_bitmap, first);
	tb_shape_threads(shape, scratch->cores, scratch->threads);
	return scratch->threads;
}

static struct group *create_group(struct tb_shape *shape, uint32_t first_core,
				  const struct tb_bitset *threads)
{
	struct group *group = xmalloc(sizeof(*group));

	group->shape = shape;
	group->first_core = first_core;
	group->threads = tb_bitset_print_list(threads);
	group->key = xstrdup_printf("%p:%s", (void *)shape,
				    group->threads ? group->threads : "");
	group->nodes = hostlist_create(NULL);
	return group;
}

static void add_node(xhash_t *groups, const job_resources_t *granted,
		     uint32_t node, uint32_t first_core)
{
	struct tb_shape *shape = tb_node_shape(node);
	const struct tb_bitset *threads;
	struct group *group, *known;

	if (!shape)
		return;
	threads = find_threads(shape, granted, first_core);
	/* The job has given this node back. */
	if (tb_bitset_is_empty(threads))
		return;
	group = create_group(shape, first_core, threads);
	known = xhash_get_str(groups, group->key);
	if (known) {
		destroy_group(group);
		group = known;
	} else {
		xhash_add(groups, group);
	}
	hostlist_push_host(group->nodes, node_record_table_ptr[node]->name);
	group->count++;
}

static xhash_t *group_nodes(const job_resources_t *granted)
{
	xhash_t *groups = xhash_init(get_group_key, destroy_group);
	struct tb_allocated_node at = { 0 };

	while (tb_allocated_node_next(granted, &at))
		add_node(groups, granted, at.node, at.first_core);
	return groups;
}

struct print {
	const job_resources_t *granted;
	bool as_strings;
	size_t room;
	char *text;
	size_t length;
	uint32_t left_out; /* nodes */
};

/* The caller xfree()s. */
static char *print_grant(const char *nodes, const char *units)
{
	char *grant = xstrdup(" grant=");

	xstrcat(grant, nodes);
	xstrcat(grant, ":");
	xstrcat(grant, units ? units : "");
	return grant;
}

/* The caller frees. */
static char *print_units(const struct print *print, const struct group *group)
{
	if (!print->as_strings)
		return strdup(group->threads ? group->threads : "");
	return tb_topology_print(group->shape->topology,
				 find_threads(group->shape, print->granted,
					      group->first_core));
}

static void print_group(void *item, void *arg)
{
	struct group *group = item;
	struct print *print = arg;
	char *names, *units, *grant;
	size_t length;

	/* Not all fit as strings, so the strings will not be used. */
	if (print->as_strings && print->left_out)
		return;
	hostlist_sort(group->nodes);
	names = hostlist_ranged_string_xmalloc(group->nodes);
	units = print_units(print, group);
	grant = print_grant(names, units);
	length = strlen(grant);
	if (print->length + length > print->room) {
		print->left_out += group->count;
	} else {
		xstrcat(print->text, grant);
		print->length += length;
	}
	xfree(grant);
	xfree(names);
	free(units);
}

/* Of a job with a single node, as most are; NULL: it does not fit, or shows nothing. */
static char *print_single(const job_resources_t *granted, size_t room)
{
	struct tb_allocated_node at = { 0 };
	const struct tb_bitset *threads;
	struct tb_shape *shape;
	char *units, *grant;

	if (!tb_allocated_node_next(granted, &at) ||
	    !(shape = tb_node_shape(at.node)))
		return NULL;
	threads = find_threads(shape, granted, at.first_core);
	if (tb_bitset_is_empty(threads))
		return NULL;
	units = tb_topology_print(shape->topology, threads);
	grant = print_grant(node_record_table_ptr[at.node]->name, units);
	free(units);
	if (strlen(grant) > room)
		xfree(grant);
	return grant;
}

static char *print_all(const job_resources_t *granted, size_t room)
{
	xhash_t *groups = group_nodes(granted);
	struct print strings = { .granted = granted,
				 .as_strings = true,
				 .room = room };
	struct print lists = { .granted = granted,
			       .room = room > MORE_MAX ? room - MORE_MAX : 0 };

	xhash_walk(groups, print_group, &strings);
	if (strings.left_out) {
		xfree(strings.text);
		xhash_walk(groups, print_group, &lists);
	}
	if (lists.left_out)
		xstrfmtcat(lists.text, " more=%u", lists.left_out);
	xhash_free(groups);
	return strings.text ? strings.text : lists.text;
}

char *tb_grant_text_print(const job_resources_t *granted, size_t room)
{
	char *text = granted->nhosts == 1 ? print_single(granted, room) : NULL;

	return text ? text : print_all(granted, room);
}
