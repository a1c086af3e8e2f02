/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_check_tres.c - what UnitTRES=yes needs in Slurm's files; see conf_check.h */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cluster/conf_here.h"
#include "cluster/hosts.h"
#include "common/conf/conf.h"
#include "compat/slurm_conf_lines.h"
#include "conf_check.h"
#include "conf_tres.h"
#include "gres_text.h"

static const char remedy[] =
	"put in the lines that \"topobind conf --tres\" prints, and restart slurmctld and slurmd";

/* ---- slurm.conf ---- */

static void check_list(const char *key, const char *list, const char *before,
		       struct tb_findings *findings)
{
	char *missing = strdup("");

	for (unsigned kind = 0; missing && kind < TB_COUNTED_UNITS; kind++) {
		char *word = tb_words("%s%s", before, tb_counted_names[kind]);
		char *more = NULL;

		if (word && !tb_list_has(list, word))
			more = tb_words("%s%s%s", missing, *missing ? ", " : "",
					word);
		else if (word)
			more = strdup(missing);
		free(word);
		free(missing);
		missing = more;
	}
	if (!missing || *missing)
		tb_findings_add(findings, "slurm.conf",
				missing ? tb_words("%s lacks %s, and " TB_CONF_FILE
						   " has UnitTRES=yes",
						   key, missing)
					: NULL,
				tb_words("%s", remedy));
	free(missing);
}

/* Without it slurmctld does not start with such TRES. */
static void check_accounting(const slurm_conf_t *slurm,
			     struct tb_findings *findings)
{
	if (slurm->accounting_storage_type &&
	    strstr(slurm->accounting_storage_type, "slurmdbd"))
		return;
	tb_findings_add(
		findings, "slurm.conf",
		tb_words(
			TB_CONF_FILE
			" has UnitTRES=yes, which needs AccountingStorageType=accounting_storage/slurmdbd"),
		tb_words("set up slurmdbd, or remove UnitTRES=yes"));
}

static void check_node(const struct tb_conf_site *site,
		       const struct tb_site_node *node,
		       struct tb_findings *findings)
{
	struct tb_unit_counts wanted = tb_conf_units_of(site, node);

	for (unsigned kind = 0; kind < TB_COUNTED_UNITS; kind++) {
		const char *name = tb_counted_names[kind];
		unsigned there = tb_gres_count(node->gres, name);

		if (there == wanted.of[kind])
			continue;
		tb_findings_add_node(
			findings, node->name,
			tb_words("slurm.conf has Gres=%s:%u, but it has %u, which UnitTRES=yes counts",
				 name, there, wanted.of[kind]),
			tb_words("%s", remedy));
	}
}

/* ---- gres.conf ---- */

/* What its lines say of each node of the site, by kind. */
struct lines {
	const struct tb_conf_site *site;
	struct tb_findings *findings;
	struct tb_unit_counts *counts;
};

static int find_kind(const char *name)
{
	for (int kind = 0; kind < TB_COUNTED_UNITS; kind++)
		if (name && !strcmp(name, tb_counted_names[kind]))
			return kind;
	return -1;
}

static void note_count(struct lines *lines, const struct tb_site_node *node,
		       int kind, const struct tb_gres_line *line)
{
	lines->counts[node - lines->site->nodes].of[kind] +=
		line->count ? (unsigned)strtoul(line->count, NULL, 10) : 1;
}

static void take_line(void *data, char *text)
{
	struct lines *lines = data;
	struct tb_gres_line line = tb_gres_line_read(text);
	int kind = find_kind(line.name);
	struct tb_hosts *hosts;
	char *name;

	if (kind < 0)
		return;
	for (unsigned i = 0; !line.nodes && i < lines->site->node_count; i++)
		note_count(lines, &lines->site->nodes[i], kind, &line);
	hosts = line.nodes ? tb_hosts_create(line.nodes) : NULL;
	while (hosts && (name = tb_hosts_next(hosts))) {
		const struct tb_site_node *node = tb_conf_site_node(lines->site,
								    name);

		if (node)
			note_count(lines, node, kind, &line);
		free(name);
	}
	tb_hosts_destroy(hosts);
	if (!tb_list_has(line.flags, "CountOnly"))
		tb_findings_add(
			lines->findings, TB_GRES_FILE,
			tb_words("a line with Name=%s has no Flags=CountOnly",
				 tb_counted_names[kind]),
			tb_words("%s", remedy));
}

static void check_counts(const struct lines *lines)
{
	for (unsigned i = 0; i < lines->site->node_count; i++) {
		const struct tb_site_node *node = &lines->site->nodes[i];
		struct tb_unit_counts wanted = tb_conf_units_of(lines->site,
								node);

		for (unsigned kind = 0; kind < TB_COUNTED_UNITS; kind++) {
			unsigned there = lines->counts[i].of[kind];

			if (there == wanted.of[kind])
				continue;
			tb_findings_add_node(
				lines->findings, node->name,
				tb_words(TB_GRES_FILE
					 " has %u of gres/%s, but it has %u, which UnitTRES=yes counts",
					 there, tb_counted_names[kind],
					 wanted.of[kind]),
				tb_words("%s", remedy));
		}
	}
}

static void check_gres_file(const struct tb_conf_site *site,
			    struct tb_findings *findings)
{
	struct lines lines = { site, findings, NULL };
	char *path = tb_beside_slurm_conf(TB_GRES_FILE);

	lines.counts = calloc(site->node_count + 1, sizeof(*lines.counts));
	if (path && lines.counts) {
		tb_slurm_file_lines(path, "Name", "NodeName", take_line,
				    &lines);
		check_counts(&lines);
	} else {
		tb_findings_add(findings, TB_GRES_FILE, NULL, NULL);
	}
	free(lines.counts);
	free(path);
}

/* ---- all of it ---- */

void tb_check_tres(const struct tb_conf_site *site,
		   struct tb_findings *findings)
{
	const slurm_conf_t *slurm = tb_conf_site_slurm(site);

	if (!site->topobind || !tb_conf_unit_tres(site->topobind))
		return;
	check_accounting(slurm, findings);
	check_list("GresTypes", slurm->gres_plugins, "", findings);
	check_list("AccountingStorageTRES", slurm->accounting_storage_tres,
		   "gres/", findings);
	for (unsigned i = 0; i < site->node_count; i++)
		check_node(site, &site->nodes[i], findings);
	check_gres_file(site, findings);
}
