/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_check_nodes.c - topologies of nodes; see conf_check.h
 *
 * The rules are those of slurmctld (select_topobind/nodes/nodes.c): topobind.conf
 * counts before what the node says; Slurm's cores are the string's, or its
 * threads.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/conf/conf.h"
#include "common/node/node_extra.h"
#include "conf_check.h"
#include "conf_lines.h"
#include "core/base/text.h"
#include "core/topology/distances.h"
#include "core/topology/topology.h"

/* No more of a string is shown. */
#define SHOWN 40

/* What is stated of a node, and who says so. */
struct statement {
	const char *topology, *distances; /* NULL: none */
	bool is_configured;
};

static struct statement find_statement(const struct tb_conf_site *site,
				       const struct tb_site_node *node)
{
	struct statement stated = { node->topology, node->distances, false };
	const char *configured = site->topobind
					 ? tb_conf_topology(site->topobind,
							    node->name)
					 : NULL;

	if (configured)
		stated = (struct statement){
			configured,
			tb_conf_distances(site->topobind, node->name),
			true,
		};
	/* Without a string somebody has set it to be none. */
	if (stated.topology && !*stated.topology)
		stated.topology = stated.distances = NULL;
	return stated;
}

/* ---- the numbers of slurm.conf ---- */

static char *make_numbers_fix(const struct statement *stated)
{
	if (stated->is_configured)
		return tb_words(
			"correct its line in topobind.conf (\"topobind topology\" on the node), or leave Topology= out");
	return tb_words(
		"put the line that \"topobind conf\" prints on the node into slurm.conf, and restart slurmctld and slurmd");
}

/* Slurm counts caches or NUMA nodes as sockets, which no command prints for all. */
static void tell_sockets(const struct tb_site_node *node,
			 const struct tb_conf_numbers *numbers,
			 struct tb_findings *findings)
{
	tb_findings_add_node(
		findings, node->name,
		tb_words("with %s its topology is one of Sockets=%u, but slurm.conf gives it Sockets=%u",
			 node->socket == 'X' ? "l3cache_as_socket"
					     : "numa_node_as_socket",
			 numbers->sockets, node->sockets),
		tb_words("set Sockets=%u CoresPerSocket=%u in its line, and restart slurmctld and slurmd",
			 numbers->sockets, numbers->cores));
}

/*
 * As many cores as the string: sockets and threads must be its, too, for Slurm
 * deals out CPUs by them.
 */
static void check_cores(const struct tb_site_node *node,
			const struct tb_topology *topology,
			const struct statement *stated,
			struct tb_findings *findings)
{
	struct tb_conf_numbers numbers = tb_conf_numbers_of(topology,
							    node->socket,
							    false);
	unsigned threads = tb_topology_threads(topology);
	unsigned counted = node->sockets * node->cores * node->threads;

	if (numbers.sockets != node->sockets && node->socket != 'S')
		tell_sockets(node, &numbers, findings);
	else if (numbers.sockets != node->sockets)
		tb_findings_add_node(
			findings, node->name,
			tb_words("its topology is one of Sockets=%u, but slurm.conf gives it Sockets=%u",
				 numbers.sockets, node->sockets),
			make_numbers_fix(stated));
	if (threads != counted)
		tb_findings_add_node(
			findings, node->name,
			tb_words("its topology has %u %s, but slurm.conf gives it %u",
				 threads,
				 tb_count_word(threads, "thread", "threads"),
				 counted),
			make_numbers_fix(stated));
}

static void check_numbers(const struct tb_site_node *node,
			  const struct tb_topology *topology,
			  const struct statement *stated,
			  struct tb_findings *findings)
{
	unsigned cores = tb_topology_cores(topology);
	unsigned threads = tb_topology_threads(topology);
	unsigned counted = node->sockets * node->cores;

	if (counted == cores)
		check_cores(node, topology, stated, findings);
	else if (counted != threads)
		tb_findings_add_node(
			findings, node->name,
			tb_words("its topology has %u %s and %u %s, but slurm.conf gives it %u %s, so that it is not used",
				 cores, tb_count_word(cores, "core", "cores"),
				 threads,
				 tb_count_word(threads, "thread", "threads"),
				 counted,
				 tb_count_word(counted, "core", "cores")),
			make_numbers_fix(stated));
	else if (node->threads != 1)
		tb_findings_add_node(
			findings, node->name,
			tb_words("slurm.conf gives it as many cores as its topology has threads, and ThreadsPerCore=%u",
				 node->threads),
			tb_words(
				"set ThreadsPerCore=1 and restart slurmctld and slurmd"));
}

/* ---- the strings ---- */

static void check_distances(const struct tb_site_node *node,
			    const struct tb_topology *topology,
			    const struct statement *stated,
			    struct tb_findings *findings)
{
	struct tb_error why;
	unsigned *distances = tb_distances_parse(stated->distances,
						 tb_topology_count(topology,
								   'N'),
						 &why);

	if (!distances)
		tb_findings_add_node(
			findings, node->name,
			tb_words("its NUMA distances cannot be used: %s",
				 why.text),
			tb_words(
				"restart slurmd there, which publishes them again"));
	free(distances);
}

static void check_filter(const struct tb_conf_site *site,
			 const struct tb_site_node *node,
			 const struct tb_topology *topology,
			 struct tb_findings *findings)
{
	const struct tb_filter *filter =
		site->topobind ? tb_conf_node_filter(site->topobind, node->name)
			       : NULL;

	if (filter && !tb_filter_matches(filter, topology))
		tb_findings_add_node(
			findings, node->name,
			tb_words(
				"the Filter= of its line in topobind.conf has another shape than the node, and masks nothing"),
			tb_words(
				"make it of the string that \"topobind topology\" prints on the node, and run \"scontrol reconfigure\""));
}

static void check_topology(const struct tb_conf_site *site,
			   const struct tb_site_node *node,
			   const struct statement *stated,
			   struct tb_findings *findings)
{
	struct tb_error why;
	struct tb_topology *topology = tb_topology_parse(stated->topology, NULL,
							 &why);

	if (!topology) {
		tb_findings_add_node(
			findings, node->name,
			tb_words("its topology cannot be used: %s", why.text),
			tb_words(
				"restart slurmd there, which publishes it again"));
		return;
	}
	check_numbers(node, topology, stated, findings);
	if (stated->distances)
		check_distances(node, topology, stated, findings);
	check_filter(site, node, topology, findings);
	tb_topology_destroy(topology);
}

/* ---- what is not there, or is of before ---- */

static void check_silence(const struct tb_conf_site *site,
			  const struct tb_site_node *node,
			  struct tb_findings *findings)
{
	if (site->running && node->responds && site->topobind &&
	    tb_task_plugin_position(site->running->task_plugin, "topobind") >=
		    0 &&
	    tb_conf_on_any_host(site->topobind, NULL))
		tb_findings_add_node(
			findings, node->name,
			tb_words(
				"it has published no topology, but gets bound jobs, whose tasks may not be bound"),
			tb_words(
				"set task/topobind in TaskPlugin there and restart slurmd, or set OnAnyHost=no in topobind.conf"));
}

/*
 * slurmctld shows what it has of topobind.conf, unless NodeRecord=no.  Where it tells
 * its settings they are compared, all of them.
 */
static void check_shown(const struct tb_conf_site *site,
			const struct tb_site_node *node,
			const struct statement *stated,
			struct tb_findings *findings)
{
	if (!site->in_force && stated->is_configured && node->topology &&
	    tb_conf_node_record(site->topobind) &&
	    strcmp(node->topology, stated->topology) != 0)
		tb_findings_add_node(
			findings, node->name,
			tb_words(
				"topobind.conf gives it another topology than slurmctld has"),
			tb_words(
				"copy the file to all hosts and run \"scontrol reconfigure\""));
}

/* ---- nodes of one line ---- */

static bool is_same(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static void tell_different(const struct tb_site_node *first,
			   const struct tb_site_node *other,
			   struct tb_findings *findings)
{
	bool by_shape = !is_same(first->topology, other->topology);

	tb_findings_add_node(
		findings, other->name,
		by_shape
			? tb_words("its topology is %.*s%s and not %.*s%s as that of %s, which is in the same line of slurm.conf",
				   SHOWN, other->topology,
				   strlen(other->topology) > SHOWN ? "..." : "",
				   SHOWN, first->topology,
				   strlen(first->topology) > SHOWN ? "..." : "",
				   first->name)
			: tb_words("its NUMA distances are not those of %s, which is in the same line of slurm.conf",
				   first->name),
		tb_words(
			"compare the machines and their firmware; give it a line of its own if this is intended"));
}

/* Each is compared with the first of its line that has published something. */
static void check_lines(const struct tb_conf_site *site,
			struct tb_findings *findings)
{
	const struct tb_site_node **first = calloc(site->node_count + 1,
						   sizeof(const void *));

	if (!first) {
		tb_findings_add_node(findings, "", NULL, NULL);
		return;
	}
	for (unsigned i = 0; i < site->node_count; i++) {
		const struct tb_site_node *node = &site->nodes[i];

		/* There are no more lines than nodes. */
		if (!node->topology || node->line >= site->node_count)
			continue;
		if (!first[node->line])
			first[node->line] = node;
		else if (!is_same(first[node->line]->topology,
				  node->topology) ||
			 !is_same(first[node->line]->distances,
				  node->distances))
			tell_different(first[node->line], node, findings);
	}
	free(first);
}

void tb_check_nodes(const struct tb_conf_site *site,
		    struct tb_findings *findings)
{
	for (unsigned i = 0; i < site->node_count; i++) {
		const struct tb_site_node *node = &site->nodes[i];
		struct statement stated = find_statement(site, node);

		if (stated.topology) {
			check_topology(site, node, &stated, findings);
			check_shown(site, node, &stated, findings);
		} else {
			check_silence(site, node, findings);
		}
	}
	check_lines(site, findings);
}
