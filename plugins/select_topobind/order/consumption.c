/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "consumption.h"

#include <string.h>

#include "src/common/xhash.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "select_topobind/nodes/job_nodes.h"

struct share {
	uint32_t node;
	struct tb_consumption has;
};

struct consumer {
	char *key; /* the job's id as text, which is what xhash wants */
	uint32_t count;
	struct share *parts;
};

static xhash_t *entries;
static struct tb_consumption *nodes;
static uint32_t node_count;

static void get_entry_key(void *item, const char **key, uint32_t *length)
{
	struct consumer *entry = item;

	*key = entry->key;
	*length = strlen(entry->key);
}

static void destroy_entry(void *item)
{
	struct consumer *entry = item;

	xfree(entry->parts);
	xfree(entry->key);
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
}

static void add_share(const struct share *part)
{
	struct tb_consumption *node = &nodes[part->node];

	node->jobs += part->has.jobs;
	node->cpus += part->has.cpus;
	node->memory += part->has.memory;
	node->disk += part->has.disk;
}

static void subtract_share(const struct share *part)
{
	struct tb_consumption *node = &nodes[part->node];

	node->jobs -= part->has.jobs;
	node->cpus -= part->has.cpus;
	node->memory -= part->has.memory;
	node->disk -= part->has.disk;
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

static struct consumer *create_entry(const job_record_t *job)
{
	const job_resources_t *allocated = job->job_resrcs;
	struct consumer *entry = xmalloc(sizeof(*entry));
	struct tb_allocated_node at = { 0 };

	entry->key = xstrdup_printf("%u", job->job_id);
	entry->parts = xcalloc(allocated->nhosts + 1, sizeof(*entry->parts));
	while (entry->count < allocated->nhosts &&
	       tb_allocated_node_next(allocated, &at))
		entry->parts[entry->count++] = (struct share){
			.node = at.node,
			.has = find_share(job, at.index)
		};
	return entry;
}

void tb_consumption_remove(const job_record_t *job)
{
	struct consumer *entry;
	char *key;

	if (!entries)
		return;
	key = xstrdup_printf("%u", job->job_id);
	entry = xhash_get_str(entries, key);
	for (uint32_t i = 0; entry && i < entry->count; i++)
		subtract_share(&entry->parts[i]);
	if (entry)
		xhash_delete_str(entries, key);
	xfree(key);
}

void tb_consumption_put(const job_record_t *job)
{
	struct consumer *entry;

	tb_consumption_remove(job);
	if (!entries || !job->job_resrcs || !job->job_resrcs->node_bitmap ||
	    bit_size(job->job_resrcs->node_bitmap) != node_count)
		return;
	entry = create_entry(job);
	for (uint32_t i = 0; i < entry->count; i++)
		add_share(&entry->parts[i]);
	xhash_add(entries, entry);
}

struct tb_consumption tb_consumption_of(uint32_t node)
{
	return node < node_count ? nodes[node] : (struct tb_consumption){ 0 };
}
