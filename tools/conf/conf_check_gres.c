/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_check_gres.c - Cores= of gres.conf beside the units of nodes; see conf_check.h
 *
 * A unit is near a device when one of its cores is (core/place/device_affinity.h),
 * so cores that are a part of some units, but of several, make units near that are
 * not.  Mostly somebody has counted as the OS does.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/conf_here.h"
#include "cluster/hosts.h"
#include "compat/slurm_conf_lines.h"
#include "conf_check.h"
#include "core/topology/topology.h"
#include "gres_text.h"

/* What devices can be beside. */
static const char containers[] = "SNX";

struct visit {
	const struct tb_conf_site *site;
	struct tb_findings *findings;
};

/* ---- units ---- */

/* Is each object of this kind in the set or outside, and all of the set in them? */
static bool are_whole(const struct tb_topology *topology, char letter,
		      const struct tb_bitset *near)
{
	unsigned count = tb_topology_count(topology, letter), inside = 0;

	for (unsigned i = 0; i < count; i++) {
		unsigned first, threads, both;

		tb_topology_object(topology, letter, i, &first, &threads);
		both = tb_bitset_count_range(near, first, threads);
		if (both && both != threads)
			return false;
		inside += both;
	}
	return inside == tb_bitset_count(near);
}

static bool is_inside_one(const struct tb_topology *topology, char letter,
			  const struct tb_bitset *near)
{
	unsigned count = tb_topology_count(topology, letter);

	for (unsigned i = 0; i < count; i++) {
		unsigned first, threads;

		tb_topology_object(topology, letter, i, &first, &threads);
		if (tb_bitset_count_range(near, first, threads) ==
		    tb_bitset_count(near))
			return true;
	}
	return false;
}

/* The kind that has most objects. */
static char find_smallest(const struct tb_topology *topology)
{
	char smallest = 'S';

	for (const char *letter = containers; *letter; letter++)
		if (tb_topology_count(topology, *letter) >
		    tb_topology_count(topology, smallest))
			smallest = *letter;
	return smallest;
}

static bool fits(const struct tb_topology *topology,
		 const struct tb_bitset *near)
{
	for (const char *letter = containers; *letter; letter++)
		if (are_whole(topology, *letter, near))
			return true;
	return is_inside_one(topology, find_smallest(topology), near);
}

/* ---- one line, one node ---- */

/* Slurm's cores are the string's, or its threads; NULL with a sentence. */
static struct tb_bitset *read_cores(const struct tb_topology *topology,
				    const struct tb_site_node *node,
				    const char *list, struct tb_error *err)
{
	unsigned counted = node->sockets * node->cores;
	struct tb_bitset *cores = tb_bitset_parse_list(list, counted, err);
	struct tb_bitset *near;

	if (!cores || counted != tb_topology_cores(topology))
		return cores;
	near = tb_bitset_create(tb_topology_threads(topology));
	if (near)
		tb_threads_of_cores(topology, cores, near);
	else
		tb_fail(err, "out of memory");
	tb_bitset_destroy(cores);
	return near;
}

static void tell(const struct visit *visit, const struct tb_gres_line *line,
		 const struct tb_site_node *node, char *why)
{
	tb_findings_add_node(
		visit->findings, node->name,
		why ? tb_words(TB_GRES_FILE " says Cores=%s of its %s, %s",
			       line->cores, line->name, why)
		    : NULL,
		tb_words(
			"count cores from 0 in the order of the string that \"topobind topology\" prints, not as the OS does, name all of the units near the device, and restart slurmctld and slurmd"));
	free(why);
}

static void check_cores(const struct visit *visit,
			const struct tb_gres_line *line,
			const struct tb_site_node *node,
			const struct tb_topology *topology)
{
	unsigned counted = node->sockets * node->cores;
	struct tb_bitset *near;
	struct tb_error why;

	/* Another number is told of the node. */
	if (counted != tb_topology_cores(topology) &&
	    counted != tb_topology_threads(topology))
		return;
	near = read_cores(topology, node, line->cores, &why);
	if (!near)
		tell(visit, line, node,
		     tb_words("which cannot be: %s", why.text));
	else if (!fits(topology, near))
		tell(visit, line, node,
		     tb_words("which are neither whole units (%s) nor inside one %c, so that it counts as near to units of which only a part is",
			      "S, N or X", find_smallest(topology)));
	tb_bitset_destroy(near);
}

static void check_node(const struct visit *visit,
		       const struct tb_gres_line *line,
		       const struct tb_site_node *node)
{
	const char *text = tb_conf_site_topology(visit->site, node);
	struct tb_error why;
	struct tb_topology *topology = text ? tb_topology_parse(text, NULL,
								&why)
					    : NULL;

	if (topology)
		check_cores(visit, line, node, topology);
	tb_topology_destroy(topology);
}

/* ---- lines ---- */

/* A line without nodes is for all that have it. */
static void check_line(const struct visit *visit,
		       const struct tb_gres_line *line)
{
	const struct tb_conf_site *site = visit->site;
	struct tb_hosts *hosts = line->nodes ? tb_hosts_create(line->nodes)
					     : NULL;
	const struct tb_site_node *node;
	char *name;

	for (unsigned i = 0; !line->nodes && i < site->node_count; i++)
		if (tb_gres_has(site->nodes[i].gres, line->name))
			check_node(visit, line, &site->nodes[i]);
	while (hosts && (name = tb_hosts_next(hosts))) {
		node = tb_conf_site_node(site, name);
		if (node && tb_gres_has(node->gres, line->name))
			check_node(visit, line, node);
		free(name);
	}
	tb_hosts_destroy(hosts);
}

static void take_line(void *data, char *text)
{
	struct tb_gres_line line = tb_gres_line_read(text);

	if (line.name && line.cores)
		check_line(data, &line);
}

void tb_check_gres(const struct tb_conf_site *site,
		   struct tb_findings *findings)
{
	struct visit visit = { site, findings };
	char *path = tb_beside_slurm_conf(TB_GRES_FILE);

	if (path)
		tb_slurm_file_lines(path, "Name", "NodeName", take_line,
				    &visit);
	else
		tb_findings_add(findings, TB_GRES_FILE, NULL, NULL);
	free(path);
}
