/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_check_topobind.c - topobind.conf; see conf_check.h */
#include <stdlib.h>

#include "common/conf/conf.h"
#include "conf_check.h"
#include "cluster/hosts.h"

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

void tb_check_topobind_conf(const struct tb_conf_site *site,
			    struct tb_findings *findings)
{
	const char *name;

	if (!site->topobind) {
		tb_findings_add(
			findings, TB_CONF_FILE, tb_words("%s", site->why.text),
			tb_words(
				"correct it and run \"scontrol reconfigure\""));
		return;
	}
	for (unsigned i = 0; (name = tb_conf_partition_line(site->topobind, i));
	     i++)
		check_partition(site, name, findings);
	for (unsigned i = 0; (name = tb_conf_node_line(site->topobind, i)); i++)
		check_nodes(site, name, findings);
}
