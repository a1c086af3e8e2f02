/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_check_files.c - plugstack.conf, cgroup.conf, cgroups; see conf_check.h */
#define _GNU_SOURCE /* getline, strndup */
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cluster/conf_here.h"
#include "compat/slurm_conf_lines.h"
#include "conf_check.h"
#include "plugin_file.h"

#define SPANK_FILE "spank_topobind.so"
/* How deep files include each other; Slurm itself has no limit. */
#define INCLUDES_DEEP 8

/* ---- plugstack.conf ---- */

struct search {
	unsigned lines; /* that load our plugin */
	char *missing;	/* such a path that leads nowhere; NULL: none */
	char *wrong; /* a first word that Slurm does not know, of such a line */
};

static void search_file(struct search *search, const char *path,
			unsigned depth);

/* A pattern, relative to the file that includes. */
static void search_included(struct search *search, const char *path,
			    const char *pattern, unsigned depth)
{
	const char *slash = strrchr(path, '/');
	int directory = *pattern != '/' && slash ? (int)(slash - path) + 1 : 0;
	char *whole = tb_words("%.*s%s", directory, path, pattern);
	glob_t found;

	if (whole && depth < INCLUDES_DEEP && !glob(whole, 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			search_file(search, found.gl_pathv[i], depth + 1);
		globfree(&found);
	}
	free(whole);
}

static bool is_ours(const char *file)
{
	const char *slash = strrchr(file, '/');

	return !strcmp(slash ? slash + 1 : file, SPANK_FILE);
}

static void take_ours(struct search *search, const char *kind, const char *file)
{
	/* Slurm ignores the line, with a sentence in the log of the command. */
	if (strcmp(kind, "required") != 0 && strcmp(kind, "optional") != 0) {
		free(search->wrong);
		search->wrong = strdup(kind);
		return;
	}
	search->lines++;
	if (*file == '/' && access(file, R_OK) && !search->missing)
		search->missing = strdup(file);
}

/* "required|optional FILE [ARGUMENT...]" or "include PATTERN" */
static void search_line(struct search *search, const char *path, char *line,
			unsigned depth)
{
	static const char blanks[] = " \t\r\n";
	char *rest = NULL, *kind, *file;

	line[strcspn(line, "#")] = '\0';
	kind = strtok_r(line, blanks, &rest);
	file = kind ? strtok_r(NULL, blanks, &rest) : NULL;
	if (!file)
		return;
	if (!strcmp(kind, "include"))
		search_included(search, path, file, depth);
	else if (is_ours(file))
		take_ours(search, kind, file);
}

static void search_file(struct search *search, const char *path, unsigned depth)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;

	while (file && getline(&line, &size, file) >= 0)
		search_line(search, path, line, depth);
	free(line);
	if (file)
		fclose(file);
}

static void tell_search(const struct search *search, const char *path,
			struct tb_findings *findings)
{
	if (search->wrong)
		tb_findings_add(
			findings, "plugstack.conf",
			tb_words("a line for " SPANK_FILE
				 " begins with \"%s\", which Slurm does not know, and is ignored",
				 search->wrong),
			tb_words("write \"required " SPANK_FILE "\""));
	else if (!search->lines)
		tb_findings_add(
			findings, "plugstack.conf",
			tb_words(access(path, F_OK)
					 ? "there is no file %s, so that sbatch, srun and salloc have no options for bindings"
					 : "%s does not load " SPANK_FILE
					   ", so that sbatch, srun and salloc have no options for bindings",
				 path),
			tb_words("add the line \"required " SPANK_FILE "\""));
	if (search->lines > 1)
		tb_findings_add(findings, "plugstack.conf",
				tb_words("%s loads " SPANK_FILE " %u times",
					 path, search->lines),
				tb_words("keep one of the lines"));
	if (search->missing)
		tb_findings_add(findings, "plugstack.conf",
				tb_words("%s names %s, which is not there",
					 path, search->missing),
				tb_words(
					"write \"required " SPANK_FILE
					"\", which is looked for in PluginDir"));
}

void tb_check_plugstack(const struct tb_conf_site *site,
			struct tb_findings *findings)
{
	struct search search = { 0, NULL, NULL };
	char *path = site->file->plugstack
			     ? strdup(site->file->plugstack)
			     : tb_beside_slurm_conf("plugstack.conf");

	if (path) {
		search_file(&search, path, 0);
		tell_search(&search, path, findings);
	} else {
		tb_findings_add(findings, "plugstack.conf", NULL, NULL);
	}
	free(search.missing);
	free(search.wrong);
	free(path);
}

/* ---- cgroup.conf ---- */

static bool constrains_cores(void)
{
	char *path = tb_beside_slurm_conf("cgroup.conf");
	char *value = path ? tb_slurm_file_value(path, "ConstrainCores") : NULL;
	bool yes = value &&
		   (!strcasecmp(value, "yes") || !strcasecmp(value, "true") ||
		    !strcasecmp(value, "up") || !strcmp(value, "1"));

	xfree(value);
	free(path);
	return yes;
}

/*
 * Are this host's cpusets those of cgroup v1?  Then the kernel names them in a line
 * "NUMBER:LIST:PATH", as it does nothing of v2 (cgroups(7)).
 */
static bool cpusets_are_v1(void)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char *line = NULL, *rest, *list, *word;
	bool found = false;
	size_t size = 0;

	while (file && !found && getline(&line, &size, file) >= 0) {
		rest = line;
		strsep(&rest, ":");
		list = strsep(&rest, ":");
		while (!found && list && (word = strsep(&list, ",")))
			found = !strcmp(word, "cpuset");
	}
	free(line);
	if (file)
		fclose(file);
	return found;
}

/* SECURITY.md has the table. */
static void note_version(struct tb_findings *findings)
{
	if (cpusets_are_v1())
		tb_findings_note(
			findings, "cgroups",
			tb_words(
				"this host has cgroup v1, where processes can hide from Slurm's freezer until their step ends, a user can keep a bound task of his own from starting, and with Slurm up to 23.02 the cgroups of a step are the user's until task/topobind takes them, and stay his where it is not in TaskPlugin"),
			tb_words(
				"boot nodes with cgroup v2 where you can; SECURITY.md says what holds with each"));
}

void tb_check_cgroup(const struct tb_conf_site *site,
		     struct tb_findings *findings)
{
	const char *plugins = tb_task_plugins(tb_conf_site_slurm(site));

	if (tb_task_plugin_position(plugins, "cgroup") < 0)
		tb_findings_add(
			findings, "slurm.conf",
			tb_words("TaskPlugin=%s has no task/cgroup, so that nothing keeps jobs without a binding off the units of bound ones",
				 plugins),
			tb_words(
				"set TaskPlugin=task/topobind,task/cgroup,task/affinity, and ConstrainCores=yes in cgroup.conf, and restart slurmd"));
	else if (!constrains_cores())
		tb_findings_add(
			findings, "cgroup.conf",
			tb_words(
				"ConstrainCores is not yes, so that nothing keeps jobs without a binding off the units of bound ones"),
			tb_words("set ConstrainCores=yes and restart slurmd"));
	note_version(findings);
}
