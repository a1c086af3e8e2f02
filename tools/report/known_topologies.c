/* SPDX-License-Identifier: GPL-2.0-or-later */
/* known_topologies.c - see known_topologies.h */
#define _GNU_SOURCE /* strndup, gethostname */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/hosts.h"
#include "common/node/node_extra.h"
#include "core/base/text.h"
#include "hwloc/machine.h"
#include "known_topologies.h"

struct tb_given_topology {
	tb_hostlist_t nodes;
	struct tb_topology *topology;
};

/* ---- of the command line ---- */

static bool is_file(const char *text)
{
	size_t length = strlen(text);

	return strchr(text, '/') ||
	       (length > 4 && !strcmp(text + length - 4, ".xml"));
}

static struct tb_topology *read_file(const char *path, struct tb_error *err)
{
	struct tb_machine *machine = tb_machine_load_xml(path, err);
	struct tb_topology *topology = NULL;

	if (machine)
		topology = tb_topology_parse(tb_machine_string(machine), NULL,
					     err);
	tb_machine_destroy(machine);
	return topology;
}

static struct tb_topology *read_string(const char *text, struct tb_error *err)
{
	struct tb_error why;
	struct tb_topology *topology = tb_topology_parse(text, NULL, &why);

	if (!topology)
		tb_fail(err, "--topology=...=%.60s: %s", text, why.text);
	return topology;
}

static int append_given(struct tb_known_topologies *known,
			struct tb_given_topology one, struct tb_error *err)
{
	struct tb_given_topology *longer = reallocarray(known->given,
							known->ngiven + 1,
							sizeof(*longer));

	if (!longer)
		return tb_fail(err, "out of memory");
	known->given = longer;
	known->given[known->ngiven++] = one;
	return 0;
}

static void clear_given(struct tb_given_topology *one)
{
	if (one->nodes)
		slurm_hostlist_destroy(one->nodes);
	tb_topology_destroy(one->topology);
}

/* The list is what stands before the sign. */
static int add_given(struct tb_known_topologies *known, const char *list,
		     const char *text, struct tb_error *err)
{
	struct tb_given_topology one = { NULL, NULL };

	if (*list)
		one.nodes = slurm_hostlist_create(list);
	if (!one.nodes)
		return tb_fail(
			err,
			"--topology: \"%.100s\" is not a list of nodes, write for example n1,n[3-5]",
			list);
	slurm_hostlist_uniq(one.nodes);
	one.topology = is_file(text) ? read_file(text, err)
				     : read_string(text, err);
	if (one.topology && !append_given(known, one, err))
		return 0;
	clear_given(&one);
	return -1;
}

int tb_known_topologies_add(struct tb_known_topologies *known, const char *text,
			    struct tb_error *err)
{
	const char *sign = strchr(text, '=');
	char *list;
	int rc;

	if (!sign)
		return tb_fail(
			err,
			"--topology=%.60s has no \"=\", give NODES=STRING or NODES=FILE.xml",
			text);
	list = strndup(text, (size_t)(sign - text));
	if (!list)
		return tb_fail(err, "out of memory");
	rc = add_given(known, list, sign + 1, err);
	free(list);
	return rc;
}

void tb_known_topologies_clear(struct tb_known_topologies *known)
{
	for (unsigned i = 0; i < known->ngiven; i++)
		clear_given(&known->given[i]);
	free(known->given);
	tb_topology_destroy(known->here);
}

int tb_known_topologies_check(const struct tb_known_topologies *known,
			      const struct tb_cluster *cluster,
			      struct tb_error *err)
{
	for (unsigned i = 0; i < known->ngiven; i++) {
		char *name = tb_cluster_find_unknown(cluster,
						     known->given[i].nodes);

		if (!name)
			continue;
		tb_fail(err, "--topology: Slurm knows no node \"%.100s\"",
			name);
		free(name);
		return -1;
	}
	return 0;
}

static const struct tb_topology *
find_given(const struct tb_known_topologies *known, const char *node)
{
	for (unsigned i = known->ngiven; i-- > 0;)
		if (slurm_hostlist_find(known->given[i].nodes, node) >= 0)
			return known->given[i].topology;
	return NULL;
}

static int push_nodes(tb_hostlist_t all, tb_hostlist_t nodes)
{
	char *text = tb_hostlist_print(nodes);

	if (!text)
		return -1;
	slurm_hostlist_push(all, text);
	free(text);
	return 0;
}

static int fill_list(const struct tb_known_topologies *known, tb_hostlist_t all,
		     struct tb_named_topologies *list)
{
	size_t room;
	char *name;

	for (unsigned i = 0; i < known->ngiven; i++)
		if (push_nodes(all, known->given[i].nodes))
			return -1;
	slurm_hostlist_uniq(all);
	room = (size_t)slurm_hostlist_count(all) + 1;
	list->topologies = calloc(room, sizeof(*list->topologies));
	list->names = calloc(room, sizeof(*list->names));
	if (!list->topologies || !list->names)
		return -1;
	while ((name = slurm_hostlist_shift(all))) {
		list->names[list->count] = name;
		list->topologies[list->count++] = find_given(known, name);
	}
	return 0;
}

int tb_known_topologies_list(const struct tb_known_topologies *known,
			     struct tb_named_topologies *list,
			     struct tb_error *err)
{
	tb_hostlist_t all = slurm_hostlist_create("");
	int rc;

	*list = (struct tb_named_topologies){ 0 };
	rc = all ? fill_list(known, all, list) : -1;
	if (all)
		slurm_hostlist_destroy(all);
	return rc ? tb_fail(err, "out of memory") : 0;
}

void tb_named_topologies_clear(struct tb_named_topologies *list)
{
	for (unsigned i = 0; i < list->count; i++)
		free(list->names[i]);
	free(list->names);
	free(list->topologies);
}

/* ---- what the node shows ---- */

static bool shows_one(const node_info_t *node)
{
	char *topology = tb_cluster_token(node, TB_EXTRA_TOPOLOGY);
	char *inuse = tb_cluster_token(node, TB_EXTRA_INUSE);
	bool shows = topology || inuse;

	free(topology);
	free(inuse);
	return shows;
}

/* ---- this machine ---- */

/* Slurm may have the name without its domain. */
static bool is_here(const node_info_t *node)
{
	const char *name = node->node_hostname;
	char host[256] = "";
	size_t length;

	if (!name || gethostname(host, sizeof(host) - 1))
		return false;
	length = strcspn(host, ".");
	return !strcmp(host, name) ||
	       (strlen(name) == length && !strncmp(host, name, length));
}

static const struct tb_topology *load_here(struct tb_known_topologies *known)
{
	struct tb_machine *machine;

	if (known->looked_here)
		return known->here;
	known->looked_here = true;
	machine = tb_machine_load_whole(NULL);
	if (machine)
		known->here = tb_topology_parse(tb_machine_string(machine),
						NULL, NULL);
	tb_machine_destroy(machine);
	return known->here;
}

/* ---- any of them ---- */

static bool has_its_size(const struct tb_topology *topology,
			 const node_info_t *node)
{
	unsigned cores = (unsigned)node->sockets * node->cores;

	return cores == tb_topology_cores(topology) ||
	       cores == tb_topology_threads(topology);
}

static void fail_for_size(const struct tb_topology *topology,
			  const node_info_t *node, struct tb_error *why)
{
	unsigned cores = tb_topology_cores(topology);
	unsigned threads = tb_topology_threads(topology);
	unsigned there = (unsigned)node->sockets * node->cores;

	tb_fail(why, "the topology has %u %s and %u %s, Slurm's node %u %s",
		cores, tb_count_word(cores, "core", "cores"), threads,
		tb_count_word(threads, "thread", "threads"), there,
		tb_count_word(there, "core", "cores"));
}

/* Several slurmds of one host have names of their own, and other sizes. */
static const struct tb_topology *find_here(struct tb_known_topologies *known,
					   const node_info_t *node)
{
	const struct tb_topology *topology = NULL;

	if (is_here(node))
		topology = load_here(known);
	return topology && has_its_size(topology, node) ? topology : NULL;
}

const struct tb_topology *
tb_known_topologies_find(struct tb_known_topologies *known,
			 const node_info_t *node, struct tb_topology **own,
			 struct tb_error *why)
{
	const struct tb_topology *topology = find_given(known, node->name);

	*own = NULL;
	why->text[0] = '\0';
	if (!topology && shows_one(node)) {
		topology = *own = tb_cluster_topology(node, NULL, why);
		if (!topology)
			return NULL;
	}
	if (!topology)
		return find_here(known, node);
	if (has_its_size(topology, node))
		return topology;
	fail_for_size(topology, node, why);
	tb_topology_destroy(*own);
	*own = NULL;
	return NULL;
}
