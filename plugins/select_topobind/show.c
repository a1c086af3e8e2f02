/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/hostlist.h"
#include "src/common/job_resources.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "nodes.h"

static const char binding_prefix[] = "binding=";
static const char grant_prefix[] = "grant=";
static const char waiting_prefix[] = "waiting=";

/* Nodes with the same grant string. */
struct group {
	char *grant;
	hostlist_t nodes;
};

static void destroy_group(void *item)
{
	struct group *group = item;

	free(group->grant);
	hostlist_destroy(group->nodes);
	xfree(group);
}

static int has_grant(void *item, void *grant)
{
	const struct group *group = item;

	return !strcmp(group->grant, grant);
}

/* Takes over grant. */
static void add_to_group(List groups, char *grant, const char *node_name)
{
	struct group *group = list_find_first(groups, has_grant, grant);

	if (group) {
		free(grant);
		hostlist_push_host(group->nodes, node_name);
		return;
	}
	group = xmalloc(sizeof(*group));
	group->grant = grant;
	group->nodes = hostlist_create(node_name);
	list_append(groups, group);
}

/*
 * The string of a node whose cores begin at bit first of the job's; NULL when
 * it has none there.
 */
static char *grant_of_node(const job_resources_t *granted, uint32_t node,
			   uint32_t first)
{
	struct tb_shape *shape = tb_node_shape(node);

	if (!shape)
		return NULL;
	tb_bitset_clear_all(shape->cores);
	for (uint32_t core = 0; core < shape->cores->nbits; core++)
		if (bit_test(granted->core_bitmap, first + core))
			tb_bitset_set(shape->cores, core);
	if (tb_bitset_is_empty(shape->cores))
		return NULL;
	tb_shape_threads(shape, shape->cores, shape->threads);
	return tb_topology_print(shape->topology, shape->threads);
}

static List group_grants(const job_resources_t *granted)
{
	List groups = list_create(destroy_group);
	uint32_t first = 0;

	for (uint32_t node = 0; node < tb_node_count(); node++) {
		char *grant;

		if (!bit_test(granted->node_bitmap, node))
			continue;
		grant = grant_of_node(granted, node, first);
		if (grant)
			add_to_group(groups, grant,
				     node_record_table_ptr[node]->name);
		first += node_record_table_ptr[node]->tot_cores;
	}
	return groups;
}

static bool begins_with(const char *line, const char *prefix)
{
	return !xstrncmp(line, prefix, strlen(prefix));
}

static bool is_ours(const char *line)
{
	return begins_with(line, binding_prefix) ||
	       begins_with(line, grant_prefix) ||
	       begins_with(line, waiting_prefix);
}

/* The lines of others. */
static char *foreign_lines(const char *comment)
{
	char *kept = NULL, *copy = xstrdup(comment), *rest = NULL;

	for (char *line = copy ? strtok_r(copy, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest))
		if (!is_ours(line))
			xstrfmtcat(kept, "%s%s", kept ? "\n" : "", line);
	xfree(copy);
	return kept;
}

static int append_group(void *item, void *arg)
{
	struct group *group = item;
	char **comment = arg;
	char *names;

	hostlist_sort(group->nodes);
	names = hostlist_ranged_string_xmalloc(group->nodes);
	xstrfmtcat(*comment, "\n%s%s:%s", grant_prefix, names, group->grant);
	xfree(names);
	return 0;
}

void tb_show_grant(job_record_t *job, const char *request)
{
	char *comment = foreign_lines(job->system_comment);
	List groups;

	if (request) {
		groups = group_grants(job->job_resrcs);
		xstrfmtcat(comment, "%s%s%s", comment ? "\n" : "",
			   binding_prefix, request);
		list_for_each(groups, append_group, &comment);
		FREE_NULL_LIST(groups);
	}
	xfree(job->system_comment);
	job->system_comment = comment;
}

/* What the job's line binding= says, up to the end of the line; or NULL. */
static const char *find_binding(const job_record_t *job, size_t *length)
{
	const char *line = job->system_comment;

	while (line && !begins_with(line, binding_prefix)) {
		line = strchr(line, '\n');
		line += line != NULL;
	}
	if (!line)
		return NULL;
	line += strlen(binding_prefix);
	*length = strcspn(line, "\n");
	return line;
}

bool tb_show_is_bound(const job_record_t *job)
{
	size_t length;

	return find_binding(job, &length) != NULL;
}

/* What the line says, xmalloc()ed; NULL when the job is not bound. */
static char *copy_binding(const job_record_t *job)
{
	size_t length;
	const char *binding = find_binding(job, &length);

	return binding ? xstrndup(binding, length) : NULL;
}

bool tb_show_request(const job_record_t *job, struct tb_request *request)
{
	char *line = copy_binding(job);
	const char *asked = line;
	struct tb_error why;
	bool read;

	if (begins_with(line, TB_SHOW_IMPLICIT))
		asked += strlen(TB_SHOW_IMPLICIT);
	read = asked && !tb_request_parse(request, asked, &why);
	xfree(line);
	return read;
}

void tb_show_grant_again(job_record_t *job)
{
	char *request = copy_binding(job);

	if (request && job->job_resrcs)
		tb_show_grant(job, request);
	xfree(request);
}

bool tb_show_has_binding(const job_record_t *job, const char *request)
{
	char *own = copy_binding(job);
	bool same = !xstrcmp(own, request);

	xfree(own);
	return same;
}

bool tb_show_same_binding(const job_record_t *a, const job_record_t *b)
{
	char *binding = copy_binding(b);
	bool same = tb_show_has_binding(a, binding);

	xfree(binding);
	return same;
}

void tb_show_waiting(job_record_t *job, const char *why)
{
	char *comment = foreign_lines(job->system_comment);

	if (why) {
		xstrfmtcat(comment, "%s%s%s", comment ? "\n" : "",
			   waiting_prefix, why);
		xfree(job->state_desc);
		job->state_desc = xstrdup(why);
	}
	xfree(job->system_comment);
	job->system_comment = comment;
}

void tb_show_nodes_of(const job_record_t *job)
{
	const job_resources_t *granted = job->job_resrcs;

	if (!granted || !granted->node_bitmap)
		return;
	for (uint32_t node = 0; node < tb_node_count(); node++)
		if (bit_test(granted->node_bitmap, node))
			tb_node_show(node);
}
