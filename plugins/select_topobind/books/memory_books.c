/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of each node is known what all its jobs have together, once somebody has asked and
 * as long as its topology stays.  A view takes away those that have ended in it.
 */
#include "memory_books.h"

#include <string.h>

#include "src/common/macros.h"
#include "src/common/xhash.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "core/place/local_memory.h"
#include "core/topology/numa_memory.h"

#include "select_topobind/nodes/job_nodes.h"

/* A job on one node. */
struct part {
	struct memory_entry *entry;
	uint32_t node, place; /* among the parts of the node */
	uint64_t memory;      /* MiB */
	struct tb_bitset cores;
};

/* What a job has. */
struct memory_entry {
	uint32_t job_id; /* its key */
	bool local;
	uint64_t ended_in; /* the number of the view in which it has ended */
	uint32_t count;
	struct part *parts;
};

/* The jobs of a node. */
struct node_parts {
	struct part **list;
	uint32_t count, room;
	uint64_t shape; /* the number of that of which the sums are, or 0 */
	uint64_t *sums; /* for each NUMA node: of local jobs, then of others */
};

static xhash_t *entries;
static struct node_parts *parts_of; /* by node */
static uint32_t node_count;

static void get_entry_key(void *item, const char **key, uint32_t *length)
{
	struct memory_entry *entry = item;

	*key = (const char *)&entry->job_id;
	*length = sizeof(entry->job_id);
}

static void destroy_entry(void *item)
{
	struct memory_entry *entry = item;

	for (uint32_t i = 0; i < entry->count; i++)
		xfree(entry->parts[i].cores.words);
	xfree(entry->parts);
	xfree(entry);
}

void tb_memory_books_fini(void)
{
	if (entries)
		xhash_free(entries);
	entries = NULL;
	for (uint32_t node = 0; node < node_count; node++) {
		xfree(parts_of[node].list);
		xfree(parts_of[node].sums);
	}
	xfree(parts_of);
	node_count = 0;
}

void tb_memory_books_reset(void)
{
	tb_memory_books_fini();
	node_count = tb_node_count();
	entries = xhash_init(get_entry_key, destroy_entry);
	parts_of = xcalloc(node_count + 1, sizeof(*parts_of));
}

/* --- sums -------------------------------------------------------------------- */

/* Of the local jobs, or of the others. */
static uint64_t *find_sums(const struct part *part,
			   const struct tb_shape *shape, uint64_t *sums)
{
	return part->entry->local ? sums : sums + shape->numa->count;
}

/* Its cores are those of the node, also after that was changed. */
static bool is_of_shape(const struct part *part, const struct tb_shape *shape)
{
	return part->cores.nbits == shape->ncores;
}

static void add_part(const struct part *part, const struct tb_shape *shape,
		     uint64_t *sums)
{
	if (is_of_shape(part, shape))
		tb_numa_memory_add(shape->numa, &part->cores, part->memory,
				   find_sums(part, shape, sums));
}

static void take_part(const struct part *part, const struct tb_shape *shape,
		      uint64_t *sums)
{
	if (is_of_shape(part, shape))
		tb_numa_memory_take(shape->numa, &part->cores, part->memory,
				    find_sums(part, shape, sums));
}

/* The shape of which there are sums; NULL: there are none any more. */
static const struct tb_shape *find_summed_shape(uint32_t node)
{
	struct node_parts *parts = &parts_of[node];
	const struct tb_shape *shape = parts->shape ? tb_node_shape(node)
						    : NULL;

	if (shape && shape->number == parts->shape)
		return shape;
	parts->shape = 0;
	return NULL;
}

static void sum_up(struct node_parts *parts, const struct tb_shape *shape)
{
	if (parts->shape == shape->number)
		return;
	xfree(parts->sums);
	parts->sums = xcalloc(2 * shape->numa->count + 1, sizeof(*parts->sums));
	for (uint32_t i = 0; i < parts->count; i++)
		add_part(parts->list[i], shape, parts->sums);
	parts->shape = shape->number;
}

/* --- entries ----------------------------------------------------------------- */

static void link_part(struct part *part)
{
	struct node_parts *parts = &parts_of[part->node];
	const struct tb_shape *shape = find_summed_shape(part->node);

	if (shape)
		add_part(part, shape, parts->sums);
	if (parts->count == parts->room) {
		parts->room = MAX(2 * parts->room, 4);
		xrecalloc(parts->list, parts->room, sizeof(*parts->list));
	}
	part->place = parts->count;
	parts->list[parts->count++] = part;
}

static void unlink_part(const struct part *part)
{
	struct node_parts *parts = &parts_of[part->node];
	const struct tb_shape *shape = find_summed_shape(part->node);
	struct part *last = parts->list[--parts->count];

	if (shape)
		take_part(part, shape, parts->sums);
	last->place = part->place;
	parts->list[part->place] = last;
}

static void copy_cores(struct part *part, bitstr_t *cores, uint32_t first)
{
	part->cores.nbits = node_record_table_ptr[part->node]->tot_cores;
	part->cores.words = xcalloc(part->cores.nbits / 64 + 1,
				    sizeof(*part->cores.words));
	for (uint32_t core = 0; core < part->cores.nbits; core++)
		if (bit_test(cores, first + core))
			tb_bitset_set(&part->cores, core);
}

/* Not while nodes were changed: Slurm is about to end it (ledger.c). */
static bool sizes_agree(const job_resources_t *allocated)
{
	struct tb_allocated_node at = { 0 };

	if (!allocated || !allocated->core_bitmap || !allocated->node_bitmap ||
	    !allocated->memory_allocated ||
	    bit_size(allocated->node_bitmap) != node_count)
		return false;
	while (tb_allocated_node_next(allocated, &at))
		continue;
	return at.next_core == bit_size(allocated->core_bitmap);
}

static struct memory_entry *create_entry(const job_record_t *job, bool local)
{
	const job_resources_t *allocated = job->job_resrcs;
	struct memory_entry *entry = xmalloc(sizeof(*entry));
	struct tb_allocated_node at = { 0 };

	entry->job_id = job->job_id;
	entry->local = local;
	entry->parts = xcalloc(bit_set_count(allocated->node_bitmap) + 1,
			       sizeof(*entry->parts));
	while (tb_allocated_node_next(allocated, &at)) {
		struct part *part = &entry->parts[entry->count];

		if (!allocated->memory_allocated[at.index] ||
		    !node_record_table_ptr[at.node])
			continue;
		entry->count++;
		part->entry = entry;
		part->node = at.node;
		part->memory = MIN(allocated->memory_allocated[at.index],
				   TB_NUMA_MEMORY_MAX);
		copy_cores(part, allocated->core_bitmap, at.first_core);
	}
	return entry;
}

static struct memory_entry *find_entry(const job_record_t *job)
{
	return entries ? xhash_get(entries, (const char *)&job->job_id,
				   sizeof(job->job_id))
		       : NULL;
}

bool tb_memory_books_remove(const job_record_t *job)
{
	struct memory_entry *entry = find_entry(job);

	if (!entry)
		return false;
	for (uint32_t i = 0; i < entry->count; i++)
		unlink_part(&entry->parts[i]);
	xhash_delete(entries, (const char *)&job->job_id, sizeof(job->job_id));
	return true;
}

void tb_memory_books_put(const job_record_t *job, bool local)
{
	enum tb_count_memory count = tb_counted_memory();
	struct memory_entry *entry;

	tb_memory_books_remove(job);
	if (!entries || count == TB_COUNT_NONE ||
	    (count == TB_COUNT_LOCAL && !local) ||
	    !sizes_agree(job->job_resrcs))
		return;
	entry = create_entry(job, local);
	xhash_add(entries, entry);
	for (uint32_t i = 0; i < entry->count; i++)
		link_part(&entry->parts[i]);
}

void tb_memory_books_end(const job_record_t *job, uint64_t view)
{
	struct memory_entry *entry = find_entry(job);

	if (entry)
		entry->ended_in = view;
}

void tb_memory_books_restore(const job_record_t *job)
{
	tb_memory_books_end(job, 0);
}

/* --- what is free ------------------------------------------------------------ */

bool tb_memory_books_free(uint32_t node, const struct tb_shape *shape,
			  uint64_t view, struct tb_scratch *scratch,
			  uint64_t *available)
{
	const struct tb_numa_nodes *numa = shape->numa;
	uint64_t *sizes = scratch->memory;
	uint64_t *local = sizes + numa->count, *others = local + numa->count;
	struct node_parts *parts;

	if (node >= node_count || !tb_memory_is_counted(node) ||
	    !tb_node_memory_sizes(node, sizes))
		return false;
	parts = &parts_of[node];
	memset(local, 0, 2 * numa->count * sizeof(*local));
	if (view) {
		sum_up(parts, shape);
		memcpy(local, parts->sums, 2 * numa->count * sizeof(*local));
	}
	for (uint32_t i = 0; view && i < parts->count; i++)
		if (parts->list[i]->entry->ended_in == view)
			take_part(parts->list[i], shape, local);
	tb_numa_memory_free(numa, sizes, local, others, available);
	return true;
}
