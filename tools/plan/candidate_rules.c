/* SPDX-License-Identifier: GPL-2.0-or-later */
/* candidate_rules.c - see candidate_rules.h */
#define _GNU_SOURCE /* vasprintf */
#include "candidate_rules.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "terminal/words.h"

void tb_candidate_say(char **to, const char *format, ...)
{
	va_list args;

	if (*to)
		return;
	va_start(args, format);
	if (vasprintf(to, format, args) < 0)
		*to = NULL;
	va_end(args);
}

bool tb_candidate_is_in(tb_hostlist_t list, const node_info_t *node)
{
	return slurm_hostlist_find(list, node->name) >= 0;
}

/* The nodes of all partitions of a list. */
static tb_hostlist_t list_partition_nodes(const struct tb_cluster *cluster,
					  const char *names)
{
	tb_hostlist_t nodes = slurm_hostlist_create("");

	for (uint32_t i = 0; i < cluster->partitions->record_count; i++) {
		const partition_info_t *partition =
			&cluster->partitions->partition_array[i];

		if (partition->name && partition->nodes &&
		    tb_words_have(names, partition->name,
				  strlen(partition->name)))
			slurm_hostlist_push(nodes, partition->nodes);
	}
	return nodes;
}

static const reserve_info_t *find_own(const struct tb_candidate_rules *rules)
{
	const reserve_info_msg_t *all = rules->cluster->reservations;

	for (uint32_t i = 0;
	     all && rules->spec->reservation && i < all->record_count; i++)
		if (!strcmp(all->reservation_array[i].name,
			    rules->spec->reservation))
			return &all->reservation_array[i];
	return NULL;
}

/* That of jobs that name none; NULL: there is none. */
static const partition_info_t *
find_default_partition(const struct tb_cluster *cluster)
{
	const partition_info_msg_t *all = cluster->partitions;

	for (uint32_t i = 0; i < all->record_count; i++)
		if (all->partition_array[i].flags & PART_FLAG_DEFAULT)
			return &all->partition_array[i];
	return NULL;
}

const partition_info_t *tb_candidate_partition(const struct tb_job_spec *spec,
					       const struct tb_cluster *cluster)
{
	return spec->partitions
		       ? tb_cluster_partition(cluster, spec->partitions)
		       : find_default_partition(cluster);
}

uint32_t tb_consumed_resources(const struct tb_cluster *cluster,
			       const partition_info_t *partition)
{
	return partition && partition->cr_type
		       ? partition->cr_type
		       : cluster->slurm->select_type_param;
}

bool tb_candidates_count_memory(const struct tb_cluster *cluster,
				const partition_info_t *partition)
{
	return tb_consumed_resources(cluster, partition) & SELECT_MEMORY;
}

/* What Slurm makes of a job that does not say how much memory it needs. */
static void set_memory(struct tb_candidate_rules *rules,
		       const partition_info_t *partition)
{
	uint64_t usual = rules->cluster->slurm->def_mem_per_cpu;

	if (partition && partition->def_mem_per_cpu)
		usual = partition->def_mem_per_cpu;
	rules->counts_memory = tb_candidates_count_memory(rules->cluster,
							  partition);
	rules->goes_with_devices = tb_job_devices_have_memory(
		&rules->spec->devices);
	if (rules->goes_with_devices)
		return;
	rules->memory = rules->spec->memory ? rules->spec->memory
			: rules->counts_memory && usual != INFINITE64 ? usual
								      : 0;
}

static void set_partitions(struct tb_candidate_rules *rules)
{
	const struct tb_cluster *cluster = rules->cluster;
	const partition_info_t *partition = tb_candidate_partition(rules->spec,
								   cluster);

	rules->partitions = rules->spec->partitions;
	if (!rules->partitions && partition)
		rules->partitions = partition->name;
	if (rules->partitions)
		rules->partition = list_partition_nodes(cluster,
							rules->partitions);
	set_memory(rules, partition);
	rules->most_cpus = partition ? partition->max_cpus_per_node : INFINITE;
	/* As for jobs that share: nobody counts it. */
	if (rules->spec->whole_nodes || rules->most_cpus == INFINITE)
		rules->most_cpus = UINT32_MAX;
}

/* Each node gets a task, so there is no use for more nodes than tasks. */
static unsigned count_most_nodes(const struct tb_job_spec *spec)
{
	unsigned most = spec->tasks < spec->max_nodes ? spec->tasks
						      : spec->max_nodes;

	return most > spec->min_nodes ? most : spec->min_nodes;
}

void tb_candidate_rules_make(struct tb_candidate_rules *rules,
			     const struct tb_job_spec *spec,
			     const struct tb_cluster *cluster)
{
	*rules = (struct tb_candidate_rules){ .spec = spec,
					      .cluster = cluster };
	set_partitions(rules);
	if (spec->required)
		rules->required = slurm_hostlist_create(spec->required);
	if (spec->excluded)
		rules->excluded = slurm_hostlist_create(spec->excluded);
	rules->only_required = rules->required &&
			       (unsigned)slurm_hostlist_count(
				       rules->required) >=
				       count_most_nodes(spec);
	rules->own = find_own(rules);
	rules->now = time(NULL);
	rules->end = rules->now + (spec->minutes > 0 ? spec->minutes * 60 : 60);
}

void tb_candidate_rules_clear(struct tb_candidate_rules *rules)
{
	if (rules->partition)
		slurm_hostlist_destroy(rules->partition);
	if (rules->required)
		slurm_hostlist_destroy(rules->required);
	if (rules->excluded)
		slurm_hostlist_destroy(rules->excluded);
}
