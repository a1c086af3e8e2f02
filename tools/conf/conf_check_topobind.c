/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_check_topobind.c - topobind.conf; see conf_check.h */
#define _GNU_SOURCE /* strndup */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/conf_here.h"
#include "cluster/hosts.h"
#include "common/conf/conf.h"
#include "common/conf/conf_metrics.h"
#include "common/policy/site_policy.h"
#include "conf_check.h"

#define RECONFIGURE "run \"scontrol reconfigure\""
#define HOST_NAME_ROOM 256

/* ---- partitions and nodes ---- */

static void check_partition(const struct tb_conf_site *site, const char *name,
			    struct tb_findings *findings)
{
	struct tb_error line;

	if (tb_conf_site_has_partition(site, name))
		return;
	tb_conf_say_where(site->topobind, "PartitionName", name, &line);
	tb_findings_add(findings, TB_CONF_FILE,
			tb_words("%s: Slurm has no such partition", line.text),
			tb_words("correct the name, or create the partition"));
}

/* NULL: all of them are nodes of Slurm. */
static struct tb_hosts *find_unknown_nodes(const struct tb_conf_site *site,
					   const char *list)
{
	struct tb_hosts *hosts = tb_hosts_create(list), *unknown = NULL;
	char *name;

	while (hosts && (name = tb_hosts_next(hosts))) {
		if (!tb_conf_site_node(site, name)) {
			if (unknown)
				tb_hosts_add(unknown, name);
			else
				unknown = tb_hosts_create(name);
		}
		free(name);
	}
	tb_hosts_destroy(hosts);
	return unknown;
}

static void check_nodes(const struct tb_conf_site *site, const char *list,
			struct tb_findings *findings)
{
	struct tb_hosts *unknown = find_unknown_nodes(site, list);
	struct tb_error line;
	char *names;

	if (!unknown)
		return;
	names = tb_hosts_print(unknown);
	tb_conf_say_where(site->topobind, "NodeName", list, &line);
	tb_findings_add(findings, TB_CONF_FILE,
			names ? tb_words("%s: Slurm has no node %s", line.text,
					 names)
			      : NULL,
			tb_words("correct the name, or create the node"));
	free(names);
	tb_hosts_destroy(unknown);
}

/* ---- the file ---- */

/* Slurm's parser takes a directory for an empty file, and a link to nothing. */
static void check_file(struct tb_findings *findings)
{
	char *path = tb_beside_slurm_conf(TB_CONF_FILE);
	struct stat status;

	if (!path)
		tb_findings_add(findings, TB_CONF_FILE, NULL, NULL);
	else if (!lstat(path, &status) &&
		 (stat(path, &status) || !S_ISREG(status.st_mode)))
		tb_findings_add(
			findings, TB_CONF_FILE,
			tb_words("%s is not a file, nor a link to one, so that its settings do not count",
				 path),
			tb_words("put the file there, and " RECONFIGURE));
	free(path);
}

/* ---- plugins ---- */

static void check_plugin(const struct tb_conf_site *site, const char *partition,
			 struct tb_findings *findings)
{
	const char *name = tb_conf_policy_plugin(site->topobind, partition);
	const char *of_site = tb_conf_policy_plugin(site->topobind, NULL);
	const slurm_conf_t *slurm = tb_conf_site_slurm(site);
	struct tb_site_policy *policy;
	struct tb_error why;

	if (!name || (partition && of_site && !strcmp(name, of_site)))
		return;
	policy = tb_site_policy_open(slurm->plugindir, name,
				     slurm->slurm_user_id, &why);
	if (!policy)
		tb_findings_add(
			findings, TB_CONF_FILE, tb_words("%s", why.text),
			tb_words(
				"install one that is right, and " RECONFIGURE));
	tb_site_policy_close(policy);
}

static void check_plugins(const struct tb_conf_site *site,
			  struct tb_findings *findings)
{
	const char *partition;

	check_plugin(site, NULL, findings);
	for (unsigned i = 0;
	     (partition = tb_conf_partition_line(site->topobind, i)); i++)
		check_plugin(site, partition, findings);
}

/* ---- filters ---- */

struct tally {
	unsigned known, fitting; /* nodes */
};

static void count_node(const struct tb_conf_site *site,
		       const struct tb_site_node *node,
		       const struct tb_filter *filter, struct tally *tally)
{
	const char *text = tb_conf_site_topology(site, node);
	struct tb_error why;
	struct tb_topology *topology = text ? tb_topology_parse(text, NULL,
								&why)
					    : NULL;

	/* Its own filter counts in place of this one. */
	if (topology && !tb_conf_node_says_filter(site->topobind, node->name)) {
		tally->known++;
		tally->fitting += tb_filter_matches(filter, topology);
	}
	tb_topology_destroy(topology);
}

/* nodes: a list, NULL for all. */
static struct tally count_nodes(const struct tb_conf_site *site,
				const char *nodes,
				const struct tb_filter *filter)
{
	struct tb_hosts *hosts = nodes ? tb_hosts_create(nodes) : NULL;
	struct tally tally = { 0, 0 };
	const struct tb_site_node *node;
	char *name;

	for (unsigned i = 0; !nodes && i < site->node_count; i++)
		count_node(site, &site->nodes[i], filter, &tally);
	while (hosts && (name = tb_hosts_next(hosts))) {
		node = tb_conf_site_node(site, name);
		if (node)
			count_node(site, node, filter, &tally);
		free(name);
	}
	tb_hosts_destroy(hosts);
	return tally;
}

/* partition: NULL for the site's filter. */
static void check_filter(const struct tb_conf_site *site,
			 const struct tb_site_partition *partition,
			 struct tb_findings *findings)
{
	const struct tb_filter *filter =
		tb_conf_partition_filter(site->topobind,
					 partition ? partition->name : NULL);
	struct tally tally;

	if (!filter)
		return;
	tally = count_nodes(site, partition ? partition->nodes : NULL, filter);
	if (tally.known && !tally.fitting)
		tb_findings_add(
			findings, TB_CONF_FILE,
			tb_words("the Filter= of %s%s has another shape than each of its nodes, and masks nothing",
				 partition ? "partition " : "the site",
				 partition ? partition->name : ""),
			tb_words(
				"make it of the string that \"topobind topology\" prints on a node, and " RECONFIGURE));
}

/* Partitions without a line have the site's filter. */
static void check_filters(const struct tb_conf_site *site,
			  struct tb_findings *findings)
{
	const struct tb_filter *of_site =
		tb_conf_partition_filter(site->topobind, NULL);

	check_filter(site, NULL, findings);
	for (unsigned i = 0; i < site->partition_count; i++)
		if (tb_conf_partition_filter(site->topobind,
					     site->partitions[i].name) !=
		    of_site)
			check_filter(site, &site->partitions[i], findings);
}

/* ---- metrics ---- */

/* Only there is the directory known. */
static bool is_controller(const slurm_conf_t *slurm)
{
	char host[HOST_NAME_ROOM] = "";

	if (gethostname(host, sizeof(host) - 1))
		return false;
	host[strcspn(host, ".")] = '\0';
	for (uint32_t i = 0; i < slurm->control_cnt; i++)
		if (!strcmp(slurm->control_machine[i], host))
			return true;
	return false;
}

static void check_metrics(const struct tb_conf_site *site,
			  struct tb_findings *findings)
{
	const char *file = tb_conf_metrics(site->topobind)->file;
	const char *slash = file ? strrchr(file, '/') : NULL;
	char *directory = slash ? strndup(file, (size_t)(slash - file) + 1)
				: NULL;
	struct stat status;

	if (directory && is_controller(tb_conf_site_slurm(site)) &&
	    (stat(directory, &status) || !S_ISDIR(status.st_mode)))
		tb_findings_add(
			findings, TB_CONF_FILE,
			tb_words("MetricsFile=%s is in no directory of this host, so that no metrics are written",
				 file),
			tb_words("create %s, writable by SlurmUser and nobody else",
				 directory));
	free(directory);
}

/* ---- all of it ---- */

static void check_lines(const struct tb_conf_site *site,
			struct tb_findings *findings)
{
	const char *name;

	for (unsigned i = 0; (name = tb_conf_partition_line(site->topobind, i));
	     i++)
		check_partition(site, name, findings);
	for (unsigned i = 0; (name = tb_conf_node_line(site->topobind, i)); i++)
		check_nodes(site, name, findings);
}

void tb_check_topobind_conf(const struct tb_conf_site *site,
			    struct tb_findings *findings)
{
	check_file(findings);
	if (!site->topobind) {
		tb_findings_add(
			findings, TB_CONF_FILE, tb_words("%s", site->why.text),
			tb_words(
				"correct it and run \"scontrol reconfigure\""));
		return;
	}
	check_lines(site, findings);
	check_plugins(site, findings);
	check_filters(site, findings);
	check_metrics(site, findings);
}
