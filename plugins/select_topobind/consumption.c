/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "consumption.h"

#include <string.h>

#include "src/common/job_resources.h"
#include "src/common/xhash.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

struct part {
	uint32_t node;
	struct tb_consumption has;
};

struct entry {
	char *key; /* the job's id as text, which is what xhash wants */
	uint32_t count;
	struct part *parts;
};

static xhash_t *entries;
static struct tb_consumption *nodes;
static uint32_t node_count;

static void entry_key(void *item, const char **key, uint32_t *length)
{
	struct entry *entry = item;

	*key = entry->key;
	*length = strlen(entry->key);
}

static void destroy_entry(void *item)
{
	struct entry *entry = item;

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
	entries = xhash_init(entry_key, destroy_entry);
}

static void add(const struct part *part)
{
	struct tb_consumption *node = &nodes[part->node];

	node->jobs += part->has.jobs;
	node->cpus += part->has.cpus;
	node->memory += part->has.memory;
	node->disk += part->has.disk;
}

static void take_back(const struct part *part)
{
	struct tb_consumption *node = &nodes[part->node];

	node->jobs -= part->has.jobs;
	node->cpus -= part->has.cpus;
	node->memory -= part->has.memory;
	node->disk -= part->has.disk;
}

/* Of the index-th node of the allocation; nothing of one that it gave back. */
static struct tb_consumption share_of(const job_record_t *job, uint32_t index)
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

static struct entry *create_entry(const job_record_t *job)
{
	const job_resources_t *allocated = job->job_resrcs;
	struct entry *entry = xmalloc(sizeof(*entry));

	entry->key = xstrdup_printf("%u", job->job_id);
	entry->parts = xcalloc(allocated->nhosts + 1, sizeof(*entry->parts));
	for (uint32_t node = 0;
	     node < node_count && entry->count < allocated->nhosts; node++) {
		if (!bit_test(allocated->node_bitmap, node))
			continue;
		entry->parts[entry->count] = (struct part) {
			.node = node, .has = share_of(job, entry->count)
		};
		entry->count++;
	}
	return entry;
}

void tb_consumption_remove(const job_record_t *job)
{
	struct entry *entry;
	char *key;

	if (!entries)
		return;
	key = xstrdup_printf("%u", job->job_id);
	entry = xhash_get_str(entries, key);
	for (uint32_t i = 0; entry && i < entry->count; i++)
		take_back(&entry->parts[i]);
	if (entry)
		xhash_delete_str(entries, key);
	xfree(key);
}

void tb_consumption_put(const job_record_t *job)
{
	struct entry *entry;

	tb_consumption_remove(job);
	if (!entries || !job->job_resrcs || !job->job_resrcs->node_bitmap ||
	    bit_size(job->job_resrcs->node_bitmap) != node_count)
		return;
	entry = create_entry(job);
	for (uint32_t i = 0; i < entry->count; i++)
		add(&entry->parts[i]);
	xhash_add(entries, entry);
}

struct tb_consumption tb_consumption_of(uint32_t node)
{
	return node < node_count ? nodes[node] : (struct tb_consumption){ 0 };
}
