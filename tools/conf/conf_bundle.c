/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_bundle.c - see conf_bundle.h */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "compat/slurm_compat.h"
#include "compat/slurm_types.h"

#include "src/common/list.h"
#include "src/common/read_config.h"

#include "cluster/hosts.h"
#include "cluster/running_conf.h"
#include "command.h"
#include "conf_bundle.h"
#include "conf_show.h"

/* Of slurm.conf and cgroup.conf, by the names that scontrol has for them. */
static const char *const wanted[] = {
	"SLURM_VERSION",	"AccountingStorageType",
	"CgroupPlugin",		"ConstrainCores",
	"ConstrainDevices",	"ConstrainRAMSpace",
	"DefMemPerCPU",		"DefMemPerNode",
	"EnableControllers",	"GresTypes",
	"IgnoreSystemd",	"JobAcctGatherType",
	"LaunchParameters",	"PreemptMode",
	"PreemptType",		"PriorityType",
	"ProctrackType",	"SchedulerParameters",
	"SchedulerType",	"SelectType",
	"SelectTypeParameters", "SlurmctldParameters",
	"SlurmdParameters",	"SwitchType",
	"TaskPlugin",		"TaskPluginParam",
	"TopologyPlugin",	"TopologyParam",
};

static bool is_wanted(const char *name)
{
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		if (!strcmp(name, wanted[i]))
			return true;
	return false;
}

static int take_pair(void *item, void *arg)
{
	const config_key_pair_t *pair = item;
	json_t *settings = arg;

	if (pair->name && pair->value && is_wanted(pair->name))
		json_object_set_new(settings, pair->name,
				    json_string(pair->value));
	return 0;
}

/* slurmctld's, or those of the file. */
static json_t *json_of_slurm_conf(const struct tb_conf_site *site)
{
	const slurm_conf_t *slurm = tb_conf_site_slurm(site);
	list_t *pairs = slurm_ctl_conf_2_key_pairs((slurm_conf_t *)slurm);
	json_t *settings = json_object();

	if (pairs) {
		list_for_each(pairs, take_pair, settings);
		list_destroy(pairs);
	}
	if (slurm->cgroup_conf)
		list_for_each(slurm->cgroup_conf, take_pair, settings);
	return settings;
}

/* ---- nodes ---- */

static bool is_same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static bool is_same_node(const struct tb_site_node *a,
			 const struct tb_site_node *b)
{
	return a->sockets == b->sockets && a->cores == b->cores &&
	       a->threads == b->threads && a->socket == b->socket &&
	       a->responds == b->responds &&
	       is_same_text(a->topology, b->topology) &&
	       is_same_text(a->distances, b->distances) &&
	       is_same_text(a->gres, b->gres);
}

static json_t *json_of_kind(const struct tb_site_node *node, json_t *names)
{
	const char socket[2] = { node->socket, '\0' };

	return json_pack("{s:o, s:i, s:i, s:i, s:s, s:s*, s:s*, s:s*, s:b}",
			 "nodes", names, "sockets", (int)node->sockets, "cores",
			 (int)node->cores, "threads", (int)node->threads,
			 "socket", socket, "topology", node->topology,
			 "distances", node->distances, "gres", node->gres,
			 "responds", node->responds);
}

/* Those that are alike together. */
static json_t *json_of_nodes(const struct tb_conf_site *site)
{
	json_t *kinds = json_array();
	const struct tb_site_node **firsts = calloc(site->node_count + 1,
						    sizeof(const void *));

	for (unsigned i = 0; firsts && i < site->node_count; i++) {
		const struct tb_site_node *node = &site->nodes[i];
		size_t kind = 0;

		while (kind < json_array_size(kinds) &&
		       !is_same_node(firsts[kind], node))
			kind++;
		if (kind == json_array_size(kinds)) {
			firsts[kind] = node;
			json_array_append_new(kinds,
					      json_of_kind(node, json_array()));
		}
		json_array_append_new(json_object_get(json_array_get(kinds,
								     kind),
						      "nodes"),
				      json_string(node->name));
	}
	free(firsts);
	return kinds;
}

static json_t *json_of_partitions(const struct tb_conf_site *site)
{
	json_t *partitions = json_array();

	for (unsigned i = 0; i < site->partition_count; i++) {
		const struct tb_site_partition *partition = &site->partitions[i];

		json_array_append_new(partitions,
				      json_pack("{s:s, s:o*, s:b, s:b}",
						"partition", partition->name,
						"nodes",
						tb_hosts_to_json(
							partition->nodes),
						"exclusive",
						partition->is_exclusive,
						"default_memory",
						partition->has_default_memory));
	}
	return partitions;
}

/* ---- the system ---- */

/* "Debian GNU/Linux 12 (bookworm)"; malloc()ed, NULL: it is not told. */
static char *read_system_name(void)
{
	static const char key[] = "PRETTY_NAME=\"";
	FILE *file = fopen("/etc/os-release", "re");
	char *line = NULL, *name = NULL;
	size_t size = 0;

	while (file && !name && getline(&line, &size, file) > 0)
		if (!strncmp(line, key, strlen(key)))
			name = strndup(line + strlen(key),
				       strcspn(line + strlen(key), "\"\n"));
	free(line);
	if (file)
		fclose(file);
	return name;
}

static json_t *json_of_host(void)
{
	struct utsname system;
	char *name = read_system_name();
	json_t *json = json_pack("{s:s*}", "system", name);

	free(name);
	if (!uname(&system)) {
		json_object_set_new(json, "kernel",
				    json_string(system.release));
		json_object_set_new(json, "machine",
				    json_string(system.machine));
	}
	return json;
}

json_t *tb_conf_bundle(const struct tb_conf_site *site,
		       const struct tb_findings *findings)
{
	return json_pack("{s:s, s:o, s:b, s:o, s:o*, s:o, s:o, s:o, s:o}",
			 "topobind", tb_command_release, "host", json_of_host(),
			 "slurmctld", site->running != NULL, "slurm_conf",
			 json_of_slurm_conf(site), "settings",
			 site->in_force ? tb_conf_show_json(site->in_force)
					: NULL,
			 "findings", tb_findings_json(findings, false), "notes",
			 tb_findings_json(findings, true), "nodes",
			 json_of_nodes(site), "partitions",
			 json_of_partitions(site));
}
