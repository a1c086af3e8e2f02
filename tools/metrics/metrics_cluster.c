/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics_cluster.c - see metrics.h */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/node_memory.h"
#include "cluster/node_walk.h"
#include "common/metrics/exposition.h"
#include "common/job/job_comment.h"
#include "jobs/granted.h"
#include "metrics.h"
#include "terminal/words.h"

/* Of one kind in one partition. */
struct units {
	uint64_t total, offline; /* on all nodes, on those out of service */
	uint64_t free, broken, largest; /* on those in service */
	uint64_t granted;
};

struct partition {
	const char *name;
	uint64_t nodes, in_service, unknown;
	uint64_t cores, free_cores, fragments; /* on nodes in service */
	uint64_t running, waiting;	       /* jobs with a binding */
	/* Bytes of NUMA nodes where they are counted, on nodes in service. */
	uint64_t memory, free_memory, largest_free_memory, hugepages;
	struct units units[TB_CENSUS_KINDS];
};

struct partitions {
	struct partition *list;
	unsigned count;
};

/* ---- counting ---- */

static void count_units(struct units *units, const struct tb_unit_census *of,
			bool in_service)
{
	units->total += of->total;
	if (!in_service) {
		units->offline += of->total;
		return;
	}
	units->free += of->free;
	units->broken += of->broken;
	if (of->largest > units->largest)
		units->largest = of->largest;
}

static void count_memory(struct partition *partition, const node_info_t *node)
{
	struct tb_node_memory memory;

	tb_node_memory_load(node, &memory);
	for (unsigned i = 0; i < memory.count; i++) {
		uint64_t available = memory.available[i] << 20;

		partition->memory += memory.sizes[i] << 20;
		partition->free_memory += available;
		if (available > partition->largest_free_memory)
			partition->largest_free_memory = available;
		if (memory.hugepages)
			partition->hugepages += memory.hugepages[i] << 20;
	}
	tb_node_memory_clear(&memory);
}

static void count_node(struct partition *partition,
		       const struct tb_node_view *node)
{
	bool in_service = tb_node_is_in_service(node->info);

	partition->nodes++;
	partition->in_service += in_service;
	if (!node->census) {
		partition->unknown++;
		return;
	}
	if (in_service) {
		partition->cores += node->census->cores;
		partition->free_cores += node->census->free_cores;
		partition->fragments += node->census->fragments;
		count_memory(partition, node->info);
	}
	for (unsigned kind = 0; kind < TB_CENSUS_KINDS; kind++)
		count_units(&partition->units[kind], &node->census->units[kind],
			    in_service);
}

static void count_nodes(struct partition *partition, const int32_t *node_inx,
			const struct tb_node_views *views)
{
	struct tb_node_walk walk = tb_node_walk_begin(node_inx, views->nnodes);
	unsigned node;

	while (tb_node_walk_next(&walk, &node))
		if (views->nodes[node].info->name)
			count_node(partition, &views->nodes[node]);
}

static struct partition *find_partition(const struct partitions *partitions,
					const char *name)
{
	for (unsigned i = 0; name && i < partitions->count; i++)
		if (!strcmp(partitions->list[i].name, name))
			return &partitions->list[i];
	return NULL;
}

static unsigned find_kind(struct tb_unit unit)
{
	unsigned kind = 0;

	while (kind < TB_CENSUS_KINDS &&
	       (tb_census_unit(kind).letter != unit.letter ||
		tb_census_unit(kind).kind != unit.kind))
		kind++;
	return kind;
}

static void count_running(const struct partitions *partitions,
			  const struct tb_node_views *views,
			  const job_info_t *job)
{
	struct partition *partition = find_partition(partitions,
						     job->partition);
	struct tb_unit unit;
	uint64_t count;

	if (!partition || !tb_granted_units(views, job, &unit, &count))
		return;
	partition->running++;
	partition->units[find_kind(unit)].granted += count;
}

/* It can wait in several partitions. */
static void count_waiting(const struct partitions *partitions,
			  const job_info_t *job)
{
	struct tb_comment comment;

	if (!tb_comment_read(&comment, job->system_comment, NULL) &&
	    comment.request && comment.waiting)
		for (unsigned i = 0; i < partitions->count; i++)
			partitions->list[i].waiting +=
				tb_words_have(job->partition,
					      partitions->list[i].name,
					      strlen(partitions->list[i].name));
	tb_comment_clear(&comment);
}

static void count_jobs(const struct partitions *partitions,
		       const struct tb_node_views *views)
{
	const job_info_msg_t *jobs = views->cluster->jobs;

	for (uint32_t i = 0; i < jobs->record_count; i++) {
		const job_info_t *job = &jobs->job_array[i];

		if (tb_cluster_job_holds(job))
			count_running(partitions, views, job);
		else if ((job->job_state & JOB_STATE_BASE) == JOB_PENDING)
			count_waiting(partitions, job);
	}
}

/* ---- printing ---- */

/* A number of a partition, or of a kind of unit there. */
struct metric {
	const char *name, *help;
	size_t offset; /* in struct partition or struct units */
};

static const struct metric of_partitions[] = {
	/* clang-format off */
	{ "topobind_nodes", "Nodes.", offsetof(struct partition, nodes) },
	{ "topobind_nodes_in_service", "Nodes that are not down, drained or failing.",
	  offsetof(struct partition, in_service) },
	{ "topobind_nodes_without_topology", "Nodes that show no topology.",
	  offsetof(struct partition, unknown) },
	{ "topobind_cores", "Cores of nodes in service.",
	  offsetof(struct partition, cores) },
	{ "topobind_cores_free", "Cores of nodes in service of which no thread is in use.",
	  offsetof(struct partition, free_cores) },
	{ "topobind_cores_fragmented", "Free cores in a cache, or else socket, that is partly in use.",
	  offsetof(struct partition, fragments) },
	{ "topobind_numa_memory_bytes", "Memory of NUMA nodes that jobs can have, where it is counted, on nodes in service.",
	  offsetof(struct partition, memory) },
	{ "topobind_numa_memory_free_bytes", "What is free of it.",
	  offsetof(struct partition, free_memory) },
	{ "topobind_numa_memory_largest_free_bytes", "Most that is free on one NUMA node.",
	  offsetof(struct partition, largest_free_memory) },
	{ "topobind_numa_memory_free_hugepages_bytes", "Huge pages that were free when slurmd started.",
	  offsetof(struct partition, hugepages) },
	/* clang-format on */
};

static const struct metric of_units[] = {
	/* clang-format off */
	{ "topobind_units", "Units of nodes.", offsetof(struct units, total) },
	{ "topobind_units_offline", "Units of nodes out of service.",
	  offsetof(struct units, offline) },
	{ "topobind_units_free", "Units of nodes in service that are wholly free.",
	  offsetof(struct units, free) },
	{ "topobind_units_broken", "Units of nodes in service that are partly in use.",
	  offsetof(struct units, broken) },
	{ "topobind_units_largest_block", "Most units in one wholly free object of a node in service.",
	  offsetof(struct units, largest) },
	{ "topobind_units_granted", "Units that jobs hold, of the kind that they asked for.",
	  offsetof(struct units, granted) },
	/* clang-format on */
};
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static double get_number(const void *record, const struct metric *metric)
{
	return (double)*(const uint64_t *)((const char *)record +
					   metric->offset);
}

static void print_of_partition(const struct partitions *partitions,
			       const struct metric *metric, FILE *out)
{
	tb_metric_head(out, metric->name, "gauge", metric->help);
	for (unsigned i = 0; i < partitions->count; i++)
		tb_metric_sample(out, metric->name,
				 get_number(&partitions->list[i], metric),
				 "partition", partitions->list[i].name, NULL);
}

static void print_fragmentation(const struct partitions *partitions, FILE *out)
{
	static const char name[] = "topobind_fragmentation_ratio";

	tb_metric_head(out, name, "gauge",
		       "Fragmented cores, as part of the free ones.");
	for (unsigned i = 0; i < partitions->count; i++)
		tb_metric_sample(out, name,
				 tb_fragmentation(partitions->list[i].fragments,
						  partitions->list[i]
							  .free_cores),
				 "partition", partitions->list[i].name, NULL);
}

static void print_of_units(const struct partition *partition,
			   const struct metric *metric, FILE *out)
{
	for (unsigned kind = 0; kind < TB_CENSUS_KINDS; kind++) {
		const struct units *units = &partition->units[kind];

		/* Some ask for X where it means the socket. */
		if (units->total || units->granted)
			tb_metric_sample(out, metric->name,
					 get_number(units, metric), "partition",
					 partition->name, "unit",
					 tb_unit_name(tb_census_unit(kind)),
					 NULL);
	}
}

static void print_jobs(const struct partitions *partitions, FILE *out)
{
	tb_metric_head(out, "topobind_jobs", "gauge",
		       "Jobs with a binding that run, or wait for units.");
	for (unsigned i = 0; i < partitions->count; i++) {
		const struct partition *partition = &partitions->list[i];

		tb_metric_sample(out, "topobind_jobs",
				 (double)partition->running, "partition",
				 partition->name, "state", "running", NULL);
		tb_metric_sample(out, "topobind_jobs",
				 (double)partition->waiting, "partition",
				 partition->name, "state", "waiting", NULL);
	}
}

static void print_all(const struct partitions *partitions, FILE *out)
{
	for (size_t i = 0; i < COUNT(of_partitions); i++)
		print_of_partition(partitions, &of_partitions[i], out);
	print_fragmentation(partitions, out);
	for (size_t i = 0; i < COUNT(of_units); i++) {
		tb_metric_head(out, of_units[i].name, "gauge",
			       of_units[i].help);
		for (unsigned p = 0; p < partitions->count; p++)
			print_of_units(&partitions->list[p], &of_units[i], out);
	}
	print_jobs(partitions, out);
}

int tb_metrics_of_cluster(const struct tb_node_views *views, FILE *out)
{
	const partition_info_msg_t *all = views->cluster->partitions;
	struct partitions partitions = { 0 };

	partitions.list = calloc(all->record_count + 1,
				 sizeof(*partitions.list));
	if (!partitions.list)
		return -1;
	for (uint32_t i = 0; i < all->record_count; i++) {
		const partition_info_t *info = &all->partition_array[i];
		struct partition *partition = &partitions.list[partitions.count];

		if (!info->name)
			continue;
		partitions.count++;
		partition->name = info->name;
		count_nodes(partition, info->node_inx, views);
	}
	count_jobs(&partitions, views);
	print_all(&partitions, out);
	free(partitions.list);
	return 0;
}
