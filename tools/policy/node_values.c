/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_values.c - see node_values.h */
#define _GNU_SOURCE
#include "node_values.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "cluster/node_walk.h"
#include "common/conf/conf.h"
#include "common/node/node_extra.h"
#include "compat/job_cpus.h"
#include "core/policy/allocation.h"
#include "core/policy/history.h"
#include "core/request/prefer.h"
#include "files/read_file.h"
#include "terminal/words.h"

/* What slurmctld writes is smaller. */
#define HISTORY_MOST (16 << 20)
#define FREE_TIME_SECONDS (60 * 24 * 60 * 60)

/* What jobs have of a node. */
struct use {
	uint64_t cpus, disk;
	unsigned running, suspended;
	int64_t reserved; /* seconds, of the next FREE_TIME_SECONDS */
	int affinity;	  /* RESAFFINITY */
};

struct tb_node_values {
	const struct tb_cluster *cluster;
	const job_info_t *job;
	const struct tb_request *request;
	const partition_info_t *partition;
	struct use *of; /* by node */
	double partition_cpus;
	bool wants_os;
	struct tb_history *history; /* NULL: it cannot be read */
	struct tb_application application;
	time_t now;
};

static const node_info_t *get_node(const struct tb_node_values *values,
				   unsigned node)
{
	return &values->cluster->nodes->node_array[node];
}

/* ---- what jobs have ---- */

/* All CPUs of its cores; 0: it has none, or Slurm does not say. */
static uint64_t count_cpus(const job_info_t *job, const node_info_t *node)
{
	unsigned cores = node->sockets * node->cores;
	struct tb_bitset *own = node->name && cores
					? tb_job_cpus_on_node(job, node->name,
							      cores, NULL)
					: NULL;
	uint64_t cpus = own ? tb_bitset_count(own) * node->threads : 0;

	tb_bitset_destroy(own);
	return cpus;
}

static void add_job(struct tb_node_values *values, const job_info_t *job)
{
	uint32_t state = job->job_state & JOB_STATE_BASE;
	struct tb_node_walk walk =
		tb_node_walk_begin(job->node_inx,
				   values->cluster->nodes->record_count);
	unsigned node;

	if (!tb_cluster_job_holds(job))
		return;
	while (tb_node_walk_next(&walk, &node)) {
		struct use *use = &values->of[node];
		uint64_t cpus = 0;

		if (!tb_cluster_job_gave_back(job))
			cpus = count_cpus(job, get_node(values, node));
		use->running += state == JOB_RUNNING;
		use->suspended += state == JOB_SUSPENDED;
		use->cpus += cpus;
		if (cpus && job->pn_min_tmp_disk != NO_VAL)
			use->disk += job->pn_min_tmp_disk;
	}
}

static uint64_t subtract(uint64_t from, uint64_t what)
{
	return what < from ? from - what : 0;
}

static uint64_t count_free_cpus(const struct tb_node_values *values,
				unsigned node)
{
	return subtract(get_node(values, node)->cpus_efctv,
			values->of[node].cpus);
}

static uint64_t get_memory(const node_info_t *node)
{
	return subtract(node->real_memory, node->mem_spec_limit);
}

static uint64_t count_free_memory(const node_info_t *node)
{
	return subtract(get_memory(node), tb_allocated_memory(node));
}

static uint64_t count_free_disk(const struct tb_node_values *values,
				unsigned node)
{
	return subtract(get_node(values, node)->tmp_disk,
			values->of[node].disk);
}

static void sum_partition(struct tb_node_values *values)
{
	const char *name = values->partition ? values->partition->name : NULL;

	for (unsigned i = 0; name && i < values->cluster->nodes->record_count;
	     i++)
		if (tb_words_have(get_node(values, i)->partitions, name,
				  strlen(name)))
			values->partition_cpus += (double)
				count_free_cpus(values, i);
}

/* ---- reservations ---- */

static int compare_starts(const void *left, const void *right)
{
	const reserve_info_t *a = *(reserve_info_t *const *)left;
	const reserve_info_t *b = *(reserve_info_t *const *)right;

	return (a->start_time > b->start_time) -
	       (a->start_time < b->start_time);
}

/* They come in the order of their start: what overlaps counts once. */
static void add_reservation(struct tb_node_values *values,
			    const reserve_info_t *reservation, time_t *until)
{
	const char *own = values->job ? values->job->resv_name : NULL;
	bool is_own = own && reservation->name &&
		      !strcmp(own, reservation->name);
	time_t last = values->now + FREE_TIME_SECONDS;
	struct tb_node_walk walk =
		tb_node_walk_begin(reservation->node_inx,
				   values->cluster->nodes->record_count);
	unsigned node;

	if (reservation->end_time <= values->now)
		return;
	while (tb_node_walk_next(&walk, &node)) {
		struct use *use = &values->of[node];
		time_t from = reservation->start_time;
		time_t to = reservation->end_time;

		if (is_own || !use->affinity)
			use->affinity = is_own ? 1 : -1;
		from = from > until[node] ? from : until[node];
		to = to < last ? to : last;
		if (to <= from)
			continue;
		use->reserved += to - from;
		until[node] = to;
	}
}

static int add_reservations(struct tb_node_values *values)
{
	const reserve_info_msg_t *all = values->cluster->reservations;
	unsigned nodes = values->cluster->nodes->record_count;
	unsigned count = all ? all->record_count : 0;
	time_t *until = calloc(nodes + 1, sizeof(*until));
	reserve_info_t **sorted = calloc(count + 1, sizeof(*sorted));
	int rc = until && sorted ? 0 : -1;

	for (unsigned i = 0; !rc && i < nodes; i++)
		until[i] = values->now;
	for (unsigned i = 0; !rc && i < count; i++)
		sorted[i] = &all->reservation_array[i];
	if (!rc)
		qsort(sorted, count, sizeof(*sorted), compare_starts);
	for (unsigned i = 0; !rc && i < count; i++)
		add_reservation(values, sorted[i], until);
	free(sorted);
	free(until);
	return rc;
}

/* ---- what was learned ---- */

static void read_history(struct tb_node_values *values)
{
	const slurm_conf_t *slurm = values->cluster->slurm;
	char *path = NULL, *text = NULL;
	size_t size;
	int file;

	if (!slurm || !slurm->state_save_location ||
	    asprintf(&path, "%s/topobind_history", slurm->state_save_location) <
		    0)
		return;
	file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (file >= 0) {
		text = tb_read_file(file, HISTORY_MOST, &size);
		close(file);
	}
	if (text)
		values->history = tb_history_parse(text, NULL);
	free(text);
	free(path);
}

static double count_observed(const struct tb_node_values *values)
{
	double seconds = (double)values->now -
			 (double)tb_history_since(values->history);

	return seconds < 1 ? 1 : seconds;
}

static bool get_learned(const struct tb_node_values *values, unsigned node,
			enum tb_component component, double *value)
{
	const char *name = get_node(values, node)->name;
	double percent;

	if (!values->history)
		return false;
	switch (component) {
	case TB_COMPONENT_APPLAFFINITY:
		*value = values->job ? tb_history_affinity(values->history,
							   &values->application,
							   name)
				     : 1;
		return true;
	case TB_COMPONENT_APPLFAILURERATE:
		*value = values->job
				 ? tb_history_failure_rate(values->history,
							   &values->application,
							   name)
				 : 0;
		return true;
	case TB_COMPONENT_MTBF:
		*value = count_observed(values) /
			 (tb_history_failures(values->history, name) + 1.0);
		return true;
	default: /* TB_COMPONENT_USAGE */
		percent = 100 * tb_history_busy(values->history, name) /
			  count_observed(values);
		*value = percent < 100 ? percent : 100;
		return true;
	}
}

/* ---- what the node says ---- */

static double read_extra_number(const node_info_t *node, const char *name)
{
	size_t length;
	const char *text = tb_extra_find(node->extra, name, &length);

	return text && length ? strtod(text, NULL) : 0;
}

static double get_speed(const struct tb_node_numbers *numbers,
			const node_info_t *node)
{
	return numbers->speed > 0 ? numbers->speed
				  : read_extra_number(node, TB_EXTRA_SPEED);
}

/* Is its operating system, "Linux 6.1.0-9 ...", one of the job's features? */
static bool has_asked_os(const struct tb_node_values *values,
			 const node_info_t *node)
{
	const char *at = values->job ? values->job->features : NULL;
	size_t length = node->os ? strcspn(node->os, " ") : 0;

	while (at && *at) {
		size_t word = strcspn(at, "&|,*[]()");

		if (length && word == length &&
		    !strncasecmp(at, node->os, length))
			return true;
		at += word + (at[word] != '\0');
	}
	return false;
}

static bool is_on(const node_info_t *node)
{
	return !(node->node_state &
		 (NODE_STATE_POWERED_DOWN | NODE_STATE_POWERING_DOWN |
		  NODE_STATE_POWERING_UP));
}

static bool meets(const struct tb_node_values *values, unsigned node,
		  const struct tb_preference *item, double swap)
{
	const node_info_t *info = get_node(values, node);

	switch (item->kind) {
	case TB_PREFERENCE_MEMORY:
		return count_free_memory(info) >= item->megabytes;
	case TB_PREFERENCE_SWAP:
		return (double)count_free_memory(info) + swap >=
		       (double)item->megabytes;
	case TB_PREFERENCE_DISK:
		return count_free_disk(values, node) >= item->megabytes;
	default:
		return tb_words_have(info->features_act, item->name,
				     item->length);
	}
}

static double get_preferred(const struct tb_node_values *values, unsigned node,
			    double swap)
{
	const char *at = values->request ? values->request->prefer : NULL;
	struct tb_preference item;
	double met = 0, all = 0;

	while (at && tb_preference_next(&at, &item)) {
		met += meets(values, node, &item, swap);
		all++;
	}
	return all > 0 ? met / all : 0;
}

static double get_size(const struct tb_node_values *values, unsigned node,
		       enum tb_component component, double swap)
{
	const node_info_t *info = get_node(values, node);

	switch (component) {
	case TB_COMPONENT_ADISK:
		return (double)count_free_disk(values, node);
	case TB_COMPONENT_AMEM:
		return (double)count_free_memory(info);
	case TB_COMPONENT_APROCS:
		return (double)count_free_cpus(values, node);
	case TB_COMPONENT_ASWAP:
		return (double)count_free_memory(info) + swap;
	case TB_COMPONENT_CDISK:
		return info->tmp_disk;
	case TB_COMPONENT_CMEM:
		return (double)get_memory(info);
	case TB_COMPONENT_CPROCS:
		return info->cpus_efctv;
	default: /* TB_COMPONENT_CSWAP */
		return (double)get_memory(info) + swap;
	}
}

bool tb_node_values_get(const struct tb_node_values *values, unsigned node,
			const struct tb_priority_term *term, double *value)
{
	const node_info_t *info = get_node(values, node);
	const struct tb_node_numbers numbers =
		tb_conf_node_numbers(values->cluster->conf, info->name);

	switch (term->component) {
	case TB_COMPONENT_APPLAFFINITY:
	case TB_COMPONENT_APPLFAILURERATE:
	case TB_COMPONENT_MTBF:
	case TB_COMPONENT_USAGE:
		return get_learned(values, node, term->component, value);
	case TB_COMPONENT_RANDOM: /* of the moment in which the job starts */
		return false;
	case TB_COMPONENT_OS:
		*value = !values->wants_os || has_asked_os(values, info);
		break;
	case TB_COMPONENT_ARCH:
		*value = info->arch && !strcasecmp(info->arch, term->name);
		break;
	case TB_COMPONENT_FEATURE:
		*value = tb_words_have(info->features_act, term->name,
				       strlen(term->name));
		break;
	case TB_COMPONENT_GMETRIC:
		*value = read_extra_number(info, term->name);
		break;
	case TB_COMPONENT_JOBCOUNT:
		*value = values->of[node].running;
		break;
	case TB_COMPONENT_SUSPENDEDJCOUNT:
		*value = values->of[node].suspended;
		break;
	case TB_COMPONENT_LOAD:
		*value = info->cpu_load == NO_VAL ? 0 : info->cpu_load / 100.0;
		break;
	case TB_COMPONENT_NODEINDEX:
		*value = node;
		break;
	case TB_COMPONENT_POWER:
		*value = is_on(info);
		break;
	case TB_COMPONENT_SPEED:
		*value = get_speed(&numbers, info);
		break;
	case TB_COMPONENT_COST:
		*value = numbers.cost;
		break;
	case TB_COMPONENT_PRIORITY:
		*value = numbers.priority;
		break;
	case TB_COMPONENT_PARAPROCS:
		*value = values->partition_cpus;
		break;
	case TB_COMPONENT_PREF:
		*value = get_preferred(values, node, numbers.swap);
		break;
	case TB_COMPONENT_FREETIME:
		*value = (double)(FREE_TIME_SECONDS -
				  values->of[node].reserved);
		break;
	case TB_COMPONENT_RESAFFINITY:
		*value = values->of[node].affinity;
		break;
	default:
		*value = get_size(values, node, term->component, numbers.swap);
		break;
	}
	return true;
}

/* ---- all of it ---- */

struct tb_node_values *tb_node_values_create(const struct tb_cluster *cluster,
					     const job_info_t *job,
					     const struct tb_request *request,
					     const partition_info_t *partition)
{
	struct tb_node_values *values = calloc(1, sizeof(*values));

	if (!values)
		return NULL;
	*values = (struct tb_node_values){
		.cluster = cluster,
		.job = job,
		.request = request,
		.partition = partition,
		.now = time(NULL),
		.of = calloc(cluster->nodes->record_count + 1,
			     sizeof(*values->of)),
	};
	if (!values->of || add_reservations(values)) {
		tb_node_values_destroy(values);
		return NULL;
	}
	for (unsigned i = 0; i < cluster->jobs->record_count; i++)
		add_job(values, &cluster->jobs->job_array[i]);
	for (unsigned i = 0; i < cluster->nodes->record_count; i++)
		values->wants_os = values->wants_os ||
				   has_asked_os(values, get_node(values, i));
	sum_partition(values);
	read_history(values);
	if (job)
		values->application = tb_application_of(job->name ? job->name
								  : "",
							job->num_cpus);
	return values;
}

void tb_node_values_destroy(struct tb_node_values *values)
{
	if (!values)
		return;
	tb_history_destroy(values->history);
	free(values->of);
	free(values);
}
