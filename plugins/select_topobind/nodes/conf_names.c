/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf_names.h"

#include <stdlib.h>

#include "compat/select_compat.h"

#include "src/common/hostlist.h"
#include "src/common/log.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

static int has_name(void *item, void *name)
{
	const part_record_t *partition = item;

	return !xstrcmp(partition->name, name);
}

static void check_partition(const struct tb_conf *site, const char *name)
{
	struct tb_error where;

	if (part_list && list_find_first(part_list, has_name, (void *)name))
		return;
	tb_conf_say_where(site, "PartitionName", name, &where);
	error("topobind: %s: Slurm has no such partition; the line has no effect until it has",
	      where.text);
}

/* Slurm finds a node by its host's name, too; topobind.conf does not. */
static bool is_node(char *name)
{
	const node_record_t *record = find_node_record2(name);

	return record && !xstrcmp(record->name, name);
}

static void tell_unknown_nodes(const struct tb_conf *site, const char *nodes,
			       tb_hostlist_t unknown)
{
	char *names = hostlist_ranged_string_xmalloc(unknown);
	struct tb_error where;

	tb_conf_say_where(site, "NodeName", nodes, &where);
	error("topobind: %s: Slurm does not have %.200s; the line has no effect on what is not there",
	      where.text, names);
	xfree(names);
}

static void check_nodes(const struct tb_conf *site, const char *nodes)
{
	tb_hostlist_t listed = hostlist_create(nodes);
	tb_hostlist_t unknown = hostlist_create(NULL);
	char *name;

	while ((name = hostlist_shift(listed))) {
		if (!is_node(name))
			hostlist_push_host(unknown, name);
		free(name);
	}
	if (hostlist_count(unknown))
		tell_unknown_nodes(site, nodes, unknown);
	hostlist_destroy(listed);
	hostlist_destroy(unknown);
}

void tb_conf_names_check(const struct tb_conf *site)
{
	const char *name;

	for (unsigned i = 0; (name = tb_conf_partition_line(site, i)); i++)
		check_partition(site, name);
	for (unsigned i = 0; (name = tb_conf_node_line(site, i)); i++)
		check_nodes(site, name);
}
