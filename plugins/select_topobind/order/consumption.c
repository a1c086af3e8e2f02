/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "consumption.h"

#include <string.h>

#include "src/common/xhash.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "core/policy/begun.h"
#include "select_topobind/nodes/job_nodes.h"

struct share {
	uint32_t node;
	struct tb_consumption has;
	struct tb_begun begun;
};

struct consumer {
	uint32_t job_id; /* its key */
	time_t began;
	uint32_t count;
	struct share *parts;
};

struct node_use {
	struct tb_consumption all;
	struct tb_begun_jobs begun;
};

static xhash_t *entries;
static struct node_use *nodes;
static uint32_t node_count;
static time_t last_reset;

static void get_entry_key(void *item, const char **key, uint32_t *length)
{
	struct consumer *entry = item;

	*key = (const char *)&entry->job_id;
	*length = sizeof(entry->job_id);
}

static void destroy_entry(void *item)
{
	struct consumer *entry = item;

	xfree(entry->parts);
	xfree(entry);
}

void tb_consumption_fini(void)
{
	if (entries)
		xhash_free(entries);
	entries = NULL;
	xfree(nodes);
	node_count = 0;
}

void tb_consumption_reset(void)
{
	tb_consumption_fini();
	node_count = tb_node_count();
	nodes = xcalloc(node_count + 1, sizeof(*nodes));
	entries = xhash_init(get_entry_key, destroy_entry);
	last_reset = time(NULL);
}

static void add_share(struct share *part)
{
	struct node_use *node = &nodes[part->node];

	node->all.jobs += part->has.jobs;
	node->all.cpus += part->has.cpus;
	node->all.memory += part->has.memory;
	node->all.disk += part->has.disk;
	tb_begun_add(&node->begun, &part->begun);
}

static void subtract_share(struct share *part)
{
	struct node_use *node = &nodes[part->node];

	node->all.jobs -= part->has.jobs;
	node->all.cpus -= part->has.cpus;
	node->all.memory -= part->has.memory;
	node->all.disk -= part->has.disk;
	tb_begun_remove(&node->begun, &part->begun);
}

/* What the job has of its index-th node; nothing of one that it gave back. */
static struct tb_consumption find_share(const job_record_t *job, uint32_t index)
{
	const job_resources_t *allocated = job->job_resrcs;
	struct tb_consumption has = { 0 };

	if (!allocated->cpus || !allocated->cpus[index])
		return has;
	has.jobs = 1;
	has.cpus = allocated->cpus[index];
	if (allocated->memory_allocated)
		has.memory = allocated->memory_allocated[index];
	if (job->details && job->details->pn_min_tmp_disk != NO_VAL)
		has.disk = job->details->pn_min_tmp_disk;
	return has;
}

static struct share make_share(const job_record_t *job,
			       const struct tb_allocated_node *at, time_t began)
{
	struct tb_consumption has = find_share(job, at->index);

	return (struct share){
		.node = at->node,
		.has = has,
		.begun = { .at = began, .cpus = has.cpus },
	};
}

static struct consumer *create_entry(const job_record_t *job, time_t began)
{
	const job_resources_t *allocated = job->job_resrcs;
	struct consumer *entry = xmalloc(sizeof(*entry));
	struct tb_allocated_node at = { 0 };

	entry->job_id = job->job_id;
	entry->began = began;
	entry->parts = xcalloc(allocated->nhosts + 1, sizeof(*entry->parts));
	while (entry->count < allocated->nhosts &&
	       tb_allocated_node_next(allocated, &at))
		entry->parts[entry->count++] = make_share(job, &at, began);
	return entry;
}

static struct consumer *find_entry(const job_record_t *job)
{
	return entries ? xhash_get(entries, (const char *)&job->job_id,
				   sizeof(job->job_id))
		       : NULL;
}

static void remove_entry(struct consumer *entry)
{
	uint32_t job_id = entry->job_id;

	for (uint32_t i = 0; i < entry->count; i++)
		subtract_share(&entry->parts[i]);
	xhash_delete(entries, (const char *)&job_id, sizeof(job_id));
}

void tb_consumption_remove(const job_record_t *job)
{
	struct consumer *entry = find_entry(job);

	if (entry)
		remove_entry(entry);
}

void tb_consumption_put(const job_record_t *job, time_t began)
{
	struct consumer *entry = find_entry(job);

	if (entry) {
		began = entry->began;
		remove_entry(entry);
	}
	if (!entries || !job->job_resrcs || !job->job_resrcs->node_bitmap ||
	    bit_size(job->job_resrcs->node_bitmap) != node_count)
		return;
	entry = create_entry(job, began);
	for (uint32_t i = 0; i < entry->count; i++)
		add_share(&entry->parts[i]);
	xhash_add(entries, entry);
}

struct tb_consumption tb_consumption_of(uint32_t node)
{
	return node < node_count ? nodes[node].all
				 : (struct tb_consumption){ 0 };
}

/*
 * When the node told of its load.  Slurm 22.05 forgets that at a reconfigure, but
 * not the load: then what began before is taken to be in it.
 */
static time_t get_load_time(const node_record_t *record)
{
	if (record->cpu_load_time || record->cpu_load == NO_VAL)
		return record->cpu_load_time;
	return last_reset;
}

uint64_t tb_consumption_since_load(uint32_t node)
{
	if (node >= node_count)
		return 0;
	return tb_begun_since(&nodes[node].begun,
			      get_load_time(node_record_table_ptr[node]));
}
