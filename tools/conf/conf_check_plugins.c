/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_check_plugins.c - what is installed; see conf_check.h */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/slurm_conf_lines.h"
#include "conf_check.h"
#include "plugin_file.h"

static const char *const where = "PluginDir";

/* "22.05.8" or "22.05.8-1" as SLURM_VERSION_NUMBER; 0: it is none. */
static uint32_t read_version(const char *text)
{
	unsigned major, minor, micro;

	if (!text || sscanf(text, "%u.%u.%u", &major, &minor, &micro) != 3)
		return 0;
	return (major & 0xff) << 16 | (minor & 0xff) << 8 | (micro & 0xff);
}

static char *print_version(uint32_t version)
{
	return tb_words("%u.%02u.%u", version >> 16 & 0xff, version >> 8 & 0xff,
			version & 0xff);
}

static void tell_version(const char *path, uint32_t version, uint32_t wanted,
			 struct tb_findings *findings)
{
	char *has = print_version(version), *needs = print_version(wanted);

	tb_findings_add(
		findings, where,
		has && needs
			? tb_words("%s was built for Slurm %s, but this is Slurm %s",
				   path, has, needs)
			: NULL,
		needs ? tb_words("install topobind for Slurm %s", needs)
		      : NULL);
	free(has);
	free(needs);
}

/* wanted is 0 where it is not known. */
static void check_version(const char *path, uint32_t wanted, unsigned ignored,
			  struct tb_findings *findings)
{
	struct tb_error why;
	uint32_t version = tb_plugin_version(path, &why);

	if (!version)
		tb_findings_add(findings, where,
				tb_words("%s: %s", path, why.text),
				tb_words("install it again"));
	else if (wanted && version >> ignored != wanted >> ignored)
		tell_version(path, version, wanted, findings);
}

/* need: what does not work without it. */
static void tell_missing(const char *dir, const char *name, const char *need,
			 struct tb_findings *findings)
{
	tb_findings_add(findings, where,
			tb_words("%s has no %s.so, without which %s", dir, name,
				 need),
			tb_words(
				"install it on this host, or correct PluginDir"));
}

static void check_file(const char *dir, const char *name, uint32_t wanted,
		       unsigned ignored, const char *need,
		       struct tb_findings *findings)
{
	char *path = tb_plugin_find(dir, name);

	if (path)
		check_version(path, wanted, ignored, findings);
	else
		tell_missing(dir, name, need, findings);
	free(path);
}

/*
 * The version of the Slurm on this host, by a plugin of its own, which
 * select/topobind needs; 0: it is not there.
 */
static uint32_t find_slurm_here(const char *dir, struct tb_findings *findings)
{
	char *path = tb_plugin_find(dir, "select_cons_tres");
	uint32_t version = path ? tb_plugin_version(path, NULL) : 0;

	if (!path)
		tell_missing(dir, "select_cons_tres",
			     "select/topobind cannot be loaded", findings);
	free(path);
	return version;
}

/* Hosts may be older while Slurm is upgraded. */
static void compare_slurm(const struct tb_conf_site *site, uint32_t here,
			  struct tb_findings *findings)
{
	uint32_t there = site->running ? read_version(site->running->version)
				       : 0;
	char *version;

	if (!here || !there || here == there)
		return;
	version = print_version(here);
	tb_findings_add(
		findings, where,
		version ? tb_words("the plugins of Slurm here are of %s, but slurmctld is %s",
				   version, site->running->version)
			: NULL,
		tb_words(
			"upgrade this host, or restart slurmctld if it is here"));
	free(version);
}

/* Only one may be there: daemons load both and find the same number twice. */
static void check_names(const struct tb_conf_site *site,
			struct tb_findings *findings)
{
	const char *dir = site->file->plugindir;
	char *plain = tb_plugin_find(dir, "select_topobind");
	char *other = tb_plugin_find(dir, "select_cons_tres_topobind");

	if (plain && other)
		tb_findings_add(
			findings, where,
			tb_words("there are both %s and %s, with which Slurm does not start",
				 plain, other),
			tb_words(
				"remove the one that SelectType does not name"));
	free(plain);
	free(other);
}

/* Of the name in SelectType; of the default name if that is not topobind's. */
static const char *find_select_file(const struct tb_conf_site *site)
{
	return !strcmp(site->file->select_type, "select/cons_tres_topobind")
		       ? "select_cons_tres_topobind"
		       : "select_topobind";
}

static bool has_metrics(const struct tb_conf_site *site)
{
	const char *type = tb_slurm_metrics_type(site->file);

	return type && !strcmp(type, "metrics/topobind");
}

/* Of SPANK plugins the micro version does not count. */
void tb_check_plugins(const struct tb_conf_site *site,
		      struct tb_findings *findings)
{
	const char *dir = site->file->plugindir;
	uint32_t version = find_slurm_here(dir, findings);

	compare_slurm(site, version, findings);
	check_file(dir, find_select_file(site), version, 0,
		   "no daemon or command of Slurm works with this SelectType",
		   findings);
	check_names(site, findings);
	check_file(dir, "task_topobind", version, 0,
		   "slurmd does not start with task/topobind", findings);
	check_file(dir, "spank_topobind", version, 8,
		   "sbatch, srun and salloc have no options for bindings",
		   findings);
	if (has_metrics(site))
		check_file(dir, "metrics_topobind", version, 0,
			   "slurmctld does not start with this MetricsType",
			   findings);
}
