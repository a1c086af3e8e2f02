/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_tres.c - see conf_tres.h */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/hosts.h"
#include "conf_findings.h" /* tb_words() */
#include "conf_tres.h"
#include "core/topology/topology.h"
#include "gres_text.h"

/* ---- what nodes have ---- */

struct tb_unit_counts tb_conf_units_of(const struct tb_conf_site *site,
				       const struct tb_site_node *node)
{
	struct tb_unit_counts counts = { { 0 } };
	const char *text = tb_conf_site_topology(site, node);
	struct tb_topology *topology;
	struct tb_error why;

	if (!text) {
		counts.of[0] = node->sockets;
		return counts;
	}
	topology = tb_topology_parse(text, NULL, &why);
	if (topology)
		counts = tb_units_of_node(topology);
	tb_topology_destroy(topology);
	return counts;
}

/* Nodes with the same. */
struct group {
	struct tb_unit_counts counts;
	char *gres; /* all of Gres=, NULL: out of memory */
	struct tb_hosts *nodes;
	char *list;
};

struct groups {
	struct group *groups;
	unsigned count;
	bool failed;
};

/* ---- lists with commas ---- */

static char *join(char *list, const char *word, size_t length)
{
	char *joined = list ? tb_words("%s%s%.*s", list, *list ? "," : "",
				       (int)length, word)
			    : NULL;

	free(list);
	return joined;
}

/* "l3", "l3:2(S:0)" or "gres/l3" */
static bool is_unit(const char *word, size_t length)
{
	static const char before[] = "gres/";

	if (length > sizeof(before) - 1 &&
	    !strncmp(word, before, sizeof(before) - 1)) {
		word += sizeof(before) - 1;
		length -= sizeof(before) - 1;
	}
	for (unsigned kind = 0; kind < TB_COUNTED_UNITS; kind++) {
		size_t name = strlen(tb_counted_names[kind]);

		if (length >= name &&
		    !strncmp(word, tb_counted_names[kind], name) &&
		    (length == name || word[name] == ':' || word[name] == '('))
			return true;
	}
	return false;
}

/* Slurm has these in any case, and tells them. */
static bool is_own_tres(const char *word, size_t length)
{
	static const char *const own[] = { "cpu",  "mem",     "energy",
					   "node", "billing", "fs/disk",
					   "vmem", "pages" };

	for (unsigned i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (strlen(own[i]) == length && !strncmp(own[i], word, length))
			return true;
	return false;
}

/* Without places of devices, as in "gpu:2(S:0-1,3)"; nor units. */
static char *copy_others(const char *list)
{
	char *kept = strdup("");

	while (list && *list) {
		size_t word = strcspn(list, ",("), whole = word;

		if (list[whole] == '(')
			whole += strcspn(list + whole, ")");
		whole += strcspn(list + whole, ",");
		if (word && !is_unit(list, word) && !is_own_tres(list, word))
			kept = join(kept, list, word);
		list += whole + (list[whole] == ',');
	}
	return kept;
}

static char *add_counts(char *list, const struct tb_unit_counts *counts)
{
	for (unsigned kind = 0; kind < TB_COUNTED_UNITS; kind++) {
		char *word;

		if (!counts->of[kind])
			continue;
		word = tb_words("%s:%u", tb_counted_names[kind],
				counts->of[kind]);
		list = word ? join(list, word, strlen(word)) : NULL;
		free(word);
	}
	return list;
}

/* For GresTypes= and AccountingStorageTRES=. */
static char *make_names(const char *list, const char *before)
{
	char *names = copy_others(list);

	for (unsigned kind = 0; kind < TB_COUNTED_UNITS; kind++) {
		char *word = tb_words("%s%s", before, tb_counted_names[kind]);

		names = word ? join(names, word, strlen(word)) : NULL;
		free(word);
	}
	return names;
}

/* ---- groups ---- */

static struct group *find_group(struct groups *groups, struct group *like)
{
	struct group *larger;

	for (unsigned i = 0; i < groups->count; i++)
		if (!strcmp(groups->groups[i].gres, like->gres)) {
			free(like->gres);
			return &groups->groups[i];
		}
	larger = realloc(groups->groups,
			 (groups->count + 1) * sizeof(*groups->groups));
	if (!larger) {
		free(like->gres);
		return NULL;
	}
	groups->groups = larger;
	larger[groups->count] = *like;
	return &larger[groups->count++];
}

static bool add_node(struct groups *groups, const struct tb_conf_site *site,
		     const struct tb_site_node *node)
{
	struct group like = { .counts = tb_conf_units_of(site, node) };
	struct group *group;

	like.gres = add_counts(copy_others(node->gres), &like.counts);
	group = like.gres ? find_group(groups, &like) : NULL;
	if (!group)
		return false;
	if (group->nodes)
		tb_hosts_add(group->nodes, node->name);
	else
		group->nodes = tb_hosts_create(node->name);
	return group->nodes != NULL;
}

static void destroy_groups(struct groups *groups)
{
	for (unsigned i = 0; i < groups->count; i++) {
		tb_hosts_destroy(groups->groups[i].nodes);
		free(groups->groups[i].gres);
		free(groups->groups[i].list);
	}
	free(groups->groups);
}

static struct groups make_groups(const struct tb_conf_site *site)
{
	struct groups groups = { NULL, 0, false };

	for (unsigned i = 0; i < site->node_count && !groups.failed; i++)
		groups.failed = !add_node(&groups, site, &site->nodes[i]);
	for (unsigned i = 0; i < groups.count && !groups.failed; i++) {
		struct group *group = &groups.groups[i];

		group->list = tb_hosts_print(group->nodes);
		groups.failed = !group->list;
	}
	return groups;
}

/* ---- lines ---- */

struct names {
	char *types, *tres;
};

static bool make_site_names(const struct tb_conf_site *site,
			    struct names *names)
{
	const slurm_conf_t *slurm = tb_conf_site_slurm(site);

	names->types = make_names(slurm->gres_plugins, "");
	names->tres = make_names(slurm->accounting_storage_tres, "gres/");
	return names->types && names->tres;
}

static void free_names(struct names *names)
{
	free(names->types);
	free(names->tres);
}

static void print_group(const struct group *group)
{
	for (unsigned kind = 0; kind < TB_COUNTED_UNITS; kind++)
		if (group->counts.of[kind])
			printf("NodeName=%s Name=%s Count=%u Flags=CountOnly\n",
			       group->list, tb_counted_names[kind],
			       group->counts.of[kind]);
}

static void print_lines(const struct names *names, const struct groups *groups)
{
	printf("# slurm.conf: in place of the lines of the same keys\n"
	       "GresTypes=%s\nAccountingStorageTRES=%s\n"
	       "# slurm.conf: Gres= in the lines of these nodes\n",
	       names->types, names->tres);
	for (unsigned i = 0; i < groups->count; i++)
		if (*groups->groups[i].gres)
			printf("NodeName=%s Gres=%s\n", groups->groups[i].list,
			       groups->groups[i].gres);
	printf("# " TB_GRES_FILE ": beside what is there\n");
	for (unsigned i = 0; i < groups->count; i++)
		print_group(&groups->groups[i]);
	puts("# topobind.conf\nUnitTRES=yes");
}

int tb_conf_tres_print(const struct tb_conf_site *site)
{
	struct groups groups = make_groups(site);
	struct names names = { NULL, NULL };
	bool made = make_site_names(site, &names) && !groups.failed;

	if (made)
		print_lines(&names, &groups);
	free_names(&names);
	destroy_groups(&groups);
	return made ? 0 : -1;
}

static json_t *make_nodes_json(const struct groups *groups)
{
	json_t *json = json_array();

	for (unsigned i = 0; i < groups->count; i++)
		json_array_append_new(json,
				      json_pack("{s:s, s:s}", "NodeName",
						groups->groups[i].list, "Gres",
						groups->groups[i].gres));
	return json;
}

static json_t *make_gres_json(const struct groups *groups)
{
	json_t *json = json_array();

	for (unsigned i = 0; i < groups->count; i++) {
		const struct group *group = &groups->groups[i];

		for (unsigned kind = 0; kind < TB_COUNTED_UNITS; kind++)
			if (group->counts.of[kind])
				json_array_append_new(
					json,
					json_pack("{s:s, s:s, s:i, s:s}",
						  "NodeName", group->list,
						  "Name",
						  tb_counted_names[kind],
						  "Count",
						  (int)group->counts.of[kind],
						  "Flags", "CountOnly"));
	}
	return json;
}

json_t *tb_conf_tres_json(const struct tb_conf_site *site)
{
	struct groups groups = make_groups(site);
	struct names names = { NULL, NULL };
	json_t *json = NULL;

	if (make_site_names(site, &names) && !groups.failed)
		json = json_pack("{s:{s:s, s:s, s:o}, s:o, s:{s:s}}",
				 "slurm.conf", "GresTypes", names.types,
				 "AccountingStorageTRES", names.tres, "nodes",
				 make_nodes_json(&groups), TB_GRES_FILE,
				 make_gres_json(&groups), "topobind.conf",
				 "UnitTRES", "yes");
	free_names(&names);
	destroy_groups(&groups);
	return json;
}
