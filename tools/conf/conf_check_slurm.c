/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_check_slurm.c - slurm.conf; see conf_check.h */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "conf_check.h"

static const char *const where = "slurm.conf";

int tb_task_plugin_position(const char *list, const char *name)
{
	char *words = strdup(list ? list : ""), *rest = words, *word;
	int found = -1, position = 0;

	while (words && found < 0 && (word = strsep(&rest, ","))) {
		if (!strncmp(word, "task/", strlen("task/")))
			word += strlen("task/");
		if (!strcmp(word, name))
			found = position;
		position++;
	}
	free(words);
	return found;
}

static bool is_topobind(const char *select_type)
{
	return select_type &&
	       (!strcmp(select_type, "select/topobind") ||
		!strcmp(select_type, "select/cons_tres_topobind"));
}

static bool binds_cores(unsigned select_type_param)
{
	return (select_type_param & (SELECT_CORE | SELECT_CPU)) &&
	       !(select_type_param & SELECT_SOCKET);
}

static void check_select(const slurm_conf_t *conf, struct tb_findings *findings)
{
	if (!is_topobind(conf->select_type))
		tb_findings_add(
			findings, where,
			tb_words("SelectType=%s, so that slurmctld binds no job",
				 conf->select_type),
			tb_words(
				"set SelectType=select/topobind and restart slurmctld"));
	if (!binds_cores(conf->select_type_param))
		tb_findings_add(
			findings, where,
			tb_words(
				"SelectTypeParameters has neither CR_Core nor CR_CPU, so that jobs with a binding are refused"),
			tb_words(
				"set SelectTypeParameters=CR_Core_Memory and restart slurmctld and slurmd"));
}

static void check_partitions(const struct tb_conf_site *site,
			     struct tb_findings *findings)
{
	for (unsigned i = 0; i < site->partition_count; i++) {
		const struct tb_site_partition *partition = &site->partitions[i];

		if (partition->select_type_param &&
		    !binds_cores(partition->select_type_param))
			tb_findings_add(
				findings, where,
				tb_words("partition %s has SelectTypeParameters=CR_Socket, so that jobs with a binding are refused in it",
					 partition->name),
				tb_words(
					"take that out of its line, or keep bound jobs to other partitions"));
	}
}

/* Of these partitions a list, malloc()ed; NULL: none, or no memory. */
static char *list_partitions(const struct tb_conf_site *site,
			     bool (*test)(const struct tb_site_partition *))
{
	char *list = NULL;

	for (unsigned i = 0; i < site->partition_count; i++)
		if (test(&site->partitions[i])) {
			char *longer = tb_words("%s%s%s", list ? list : "",
						list ? "," : "",
						site->partitions[i].name);

			free(list);
			list = longer;
		}
	return list;
}

static bool is_exclusive(const struct tb_site_partition *partition)
{
	return partition->is_exclusive;
}

static bool lacks_memory(const struct tb_site_partition *partition)
{
	return !partition->has_default_memory;
}

/* Slurm gives all memory of a node to a job that asks for none. */
static void check_memory(const struct tb_conf_site *site,
			 struct tb_findings *findings)
{
	const slurm_conf_t *conf = tb_conf_site_slurm(site);
	char *partitions;

	if (!(conf->select_type_param & SELECT_MEMORY) || conf->def_mem_per_cpu)
		return;
	partitions = list_partitions(site, lacks_memory);
	if (partitions)
		tb_findings_add(
			findings, where,
			tb_words("memory is counted, but there is no DefMemPerCPU or DefMemPerNode for partition %s, so that a job without --mem takes all of a node's memory, and no other runs beside it",
				 partitions),
			tb_words(
				"set DefMemPerCPU and run \"scontrol reconfigure\""));
	free(partitions);
}

static void note_exclusive(const struct tb_conf_site *site,
			   struct tb_findings *findings)
{
	char *partitions = list_partitions(site, is_exclusive);

	if (partitions)
		tb_findings_note(
			findings, where,
			tb_words("partition %s has OverSubscribe=EXCLUSIVE, so that each job has whole nodes, also the units that it did not ask for",
				 partitions),
			tb_words(
				"take that out of its line where jobs should share nodes"));
	free(partitions);
}

const char *tb_task_plugins(const slurm_conf_t *conf)
{
	return conf->task_plugin ? conf->task_plugin : "task/none";
}

static void check_task_plugins(const slurm_conf_t *conf,
			       struct tb_findings *findings)
{
	const char *plugins = tb_task_plugins(conf);
	int topobind = tb_task_plugin_position(plugins, "topobind");
	int cgroup = tb_task_plugin_position(plugins, "cgroup");

	if (topobind < 0)
		tb_findings_add(
			findings, where,
			tb_words("TaskPlugin=%s has no task/topobind, so that nodes publish no topology and no task is held on its units",
				 plugins),
			tb_words(
				"set TaskPlugin=task/topobind,task/cgroup,task/affinity and restart slurmctld and slurmd"));
	else if (cgroup >= 0 && cgroup < topobind)
		tb_findings_add(
			findings, where,
			tb_words("TaskPlugin=%s has task/cgroup before task/topobind, so that a node where cgroups fail is drained without a reason",
				 plugins),
			tb_words("put task/topobind first and restart slurmd"));
}

/* Of the others Slurm loses processes, and lets them run on beside later jobs. */
static void check_proctrack(const slurm_conf_t *conf,
			    struct tb_findings *findings)
{
	if (conf->proctrack_type &&
	    strcmp(conf->proctrack_type, "proctrack/cgroup"))
		tb_findings_add(
			findings, where,
			tb_words("ProctrackType=%s, so that processes of a job can run on after its end on units that others have",
				 conf->proctrack_type),
			tb_words(
				"set ProctrackType=proctrack/cgroup and restart slurmctld and slurmd"));
}

static bool values_differ(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") != 0;
}

static void compare_values(const char *key, const char *running,
			   const char *file, const char *restart,
			   struct tb_findings *findings)
{
	if (values_differ(running, file))
		tb_findings_add(findings, where,
				tb_words("%s=%s here, but slurmctld has %s",
					 key, file ? file : "",
					 running ? running : "none"),
				tb_words("correct the file, or restart %s",
					 restart));
}

/* The file was changed, or is another one than that of slurmctld. */
static void compare_running(const struct tb_conf_site *site,
			    struct tb_findings *findings)
{
	const slurm_conf_t *running = site->running, *file = site->file;

	if (!running)
		return;
	compare_values("SelectType", running->select_type, file->select_type,
		       "slurmctld", findings);
	if (running->select_type_param != file->select_type_param)
		tb_findings_add(
			findings, where,
			tb_words(
				"SelectTypeParameters is not what slurmctld has"),
			tb_words(
				"correct the file, or restart slurmctld and slurmd"));
	compare_values("TaskPlugin", tb_task_plugins(running),
		       tb_task_plugins(file), "slurmctld and slurmd", findings);
}

void tb_check_slurm_conf(const struct tb_conf_site *site,
			 struct tb_findings *findings)
{
	const slurm_conf_t *conf = tb_conf_site_slurm(site);

	compare_running(site, findings);
	check_select(conf, findings);
	check_partitions(site, findings);
	check_memory(site, findings);
	note_exclusive(site, findings);
	check_task_plugins(conf, findings);
	check_proctrack(conf, findings);
}
