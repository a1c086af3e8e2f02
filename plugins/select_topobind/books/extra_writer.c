/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "extra_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "common/node/node_extra.h"
#include "common/node/site_extra.h"

#include "select_topobind/nodes/devices_shown.h"
#include "select_topobind/nodes/job_nodes.h"
#include "select_topobind/nodes/nodes.h"
#include "select_topobind/nodes/reserved_cores.h"
#include "select_topobind/nodes/text_digest.h"

#include "cores_taken.h"
#include "ledger.h"
#include "memory_books.h"

/* Of so many nodes in one go, as a node takes some 20 us, and slurmctld is locked. */
#define RESTORED_AT_ONCE 1000

/* What was written into a node's Extra field. */
struct written {
	uint64_t shape;	  /* the number of that of which m_topology_inuse is */
	uint64_t extra;	  /* a digest of the field when it was last looked at */
	uint64_t devices; /* tb_devices_digest() then */
	char *reserved;	  /* of that shape, as it is to be; NULL: nothing is */
};

static const struct tb_conf *site;
static struct written *written_of; /* by node */
static uint32_t node_count;
static uint32_t restore_next; /* which node restoring goes on with */
static time_t reserved_at;    /* when reservations were last looked at */

void tb_extra_writer_fini(void)
{
	for (uint32_t node = 0; node < node_count; node++)
		free(written_of[node].reserved);
	reserved_at = 0;
	restore_next = 0;
	xfree(written_of);
	node_count = 0;
}

void tb_extra_writer_reset(const struct tb_conf *new_conf)
{
	tb_extra_writer_fini();
	site = new_conf;
	node_count = tb_node_count();
	written_of = xcalloc(node_count + 1, sizeof(*written_of));
}

static bool has_token(const char *extra, const char *name, const char *value)
{
	size_t length;

	return value ? tb_extra_has(extra, name, value)
		     : !tb_extra_find(extra, name, &length);
}

static void rewrite_field(node_record_t *record, const char *name,
			  const char *value)
{
	char *extra = tb_extra_with(record->extra, name, value,
				    tb_site_extra_is_json());

	if (!extra)
		return;
	xfree(record->extra);
	record->extra = xstrdup(extra);
	free(extra);
}

/*
 * Only what differs is written, as each change is an update of the node.  Units that come
 * into use change the letters of the string, not its length.  A new text for each change
 * would fragment the memory of slurmctld's threads: with ten thousand nodes by 10 MiB.
 */
static void write_token(node_record_t *record, const char *name,
			const char *value)
{
	size_t length;
	const char *at = tb_extra_find(record->extra, name, &length);
	bool fits = at && value && strlen(value) == length;

	if (fits ? !memcmp(at, value, length) : !at && !value)
		return;
	if (fits)
		memcpy(record->extra + (at - record->extra), value, length);
	else
		rewrite_field(record, name, value);
	last_node_update = time(NULL);
}

/* What is known of a node, without what is in use there. */
static void write_stated(node_record_t *record,
			 const struct tb_node_stated *stated)
{
	write_token(record, TB_EXTRA_TOPOLOGY, stated->topology);
	write_token(record, TB_EXTRA_DISTANCES, stated->distances);
	write_token(record, TB_EXTRA_MEMORY, stated->memory);
	write_token(record, TB_EXTRA_OS_CPUS, stated->os_cpus);
	write_token(record, TB_EXTRA_GPU_MEMORY, stated->gpu_memory);
	write_token(record, TB_EXTRA_ISOLATES, stated->isolates);
	write_token(record, TB_EXTRA_SPEED, stated->speed);
	write_token(record, TB_EXTRA_LOST, stated->lost);
}

/*
 * What is in use of each NUMA node, with as many digits as the whole has, so that the
 * text has always the same length.  NULL: it is not counted.  xfree() it.
 */
static char *print_memory_inuse(uint32_t node, const struct tb_shape *shape,
				const struct tb_view *view)
{
	struct tb_scratch *scratch = shape->scratch;
	char *text = NULL;

	if (!tb_memory_books_free(node, shape, tb_view_number(view), scratch,
				  scratch->available))
		return NULL;
	for (uint32_t i = 0; i < shape->numa->count; i++) {
		uint64_t size = scratch->memory[i];
		uint64_t used = size ? size - scratch->available[i] : 0;
		int digits = snprintf(NULL, 0, "%" PRIu64, size);

		xstrfmtcat(text, "%s%0*" PRIu64, i ? "," : "", digits, used);
	}
	return text;
}

/* What a filter of the node or of the site masks; NULL: nothing.  free() it. */
static char *print_filter(uint32_t node, const struct tb_shape *shape)
{
	struct tb_scratch *scratch = shape->scratch;

	tb_node_mask(tb_node_own_filter(node, shape), shape, scratch);
	return scratch->is_masked
		       ? tb_topology_print(shape->topology, scratch->masked)
		       : NULL;
}

/* What is reserved of a node of this shape; NULL: nothing.  free() it. */
static char *print_reserved(uint32_t node, const struct tb_shape *shape,
			    const struct tb_reserved_cores *reserved)
{
	struct tb_scratch *scratch = shape->scratch;

	if (!tb_reserved_cores_of(reserved, node, scratch->cores))
		return NULL;
	tb_shape_threads(shape, scratch->cores, scratch->threads);
	return tb_topology_print(shape->topology, scratch->threads);
}

static void note_reserved(uint32_t node,
			  const struct tb_reserved_cores *reserved)
{
	const struct tb_shape *shape = tb_node_shape(node);

	free(written_of[node].reserved);
	written_of[node].reserved = shape ? print_reserved(node, shape,
							   reserved)
					  : NULL;
}

/* It has another shape: with the next look at reservations it is known again. */
static void forget_reserved(uint32_t node)
{
	free(written_of[node].reserved);
	written_of[node].reserved = NULL;
	reserved_at = 0;
}

/* last_resv_update is in seconds. */
void tb_extra_write_reserved(void)
{
	struct tb_reserved_cores reserved;

	if (!tb_conf_node_record(site) || reserved_at > last_resv_update)
		return;
	reserved_at = time(NULL);
	tb_reserved_cores_find(&reserved);
	for (uint32_t node = 0; node < node_count; node++) {
		if (!node_record_table_ptr[node])
			continue;
		note_reserved(node, &reserved);
		write_token(node_record_table_ptr[node], TB_EXTRA_RESERVED,
			    written_of[node].reserved);
	}
	tb_reserved_cores_clear(&reserved);
}

/* What jobs have of a node of this shape. */
static void write_in_use(uint32_t node, const struct tb_shape *shape)
{
	node_record_t *record = node_record_table_ptr[node];
	struct tb_scratch *scratch = shape->scratch;
	struct tb_view *view = tb_view_now();
	char *inuse, *memory_inuse;

	tb_view_taken(view, node, scratch->cores);
	memory_inuse = print_memory_inuse(node, shape, view);
	tb_view_destroy(view);
	tb_shape_threads(shape, scratch->cores, scratch->used);
	inuse = tb_topology_print(shape->topology, scratch->used);
	write_token(record, TB_EXTRA_INUSE, inuse);
	write_token(record, TB_EXTRA_MEMORY_INUSE, memory_inuse);
	xfree(memory_inuse);
	free(inuse);
}

/* Or it would show for ever what was in use before. */
static void remove_all(node_record_t *record)
{
	write_token(record, TB_EXTRA_INUSE, NULL);
	write_token(record, TB_EXTRA_MEMORY_INUSE, NULL);
	write_token(record, TB_EXTRA_FILTER, NULL);
	write_token(record, TB_EXTRA_RESERVED, NULL);
	write_token(record, TB_EXTRA_DEVICES, NULL);
}

static void write_all(uint32_t node, const struct tb_shape *shape)
{
	node_record_t *record = node_record_table_ptr[node];
	char *filter = print_filter(node, shape);
	char *devices = tb_devices_print(node, shape->ncores);
	struct tb_node_stated stated = tb_node_stated(node);

	write_stated(record, &stated);
	write_in_use(node, shape);
	write_token(record, TB_EXTRA_FILTER, filter);
	if (written_of[node].shape != shape->number)
		forget_reserved(node);
	write_token(record, TB_EXTRA_RESERVED, written_of[node].reserved);
	write_token(record, TB_EXTRA_DEVICES, devices);
	written_of[node].devices = tb_devices_digest(node);
	written_of[node].shape = shape->number;
	free(devices);
	free(filter);
}

void tb_extra_write(uint32_t node)
{
	const struct tb_shape *shape = tb_node_shape(node);

	if (!tb_conf_node_record(site))
		remove_all(node_record_table_ptr[node]);
	else if (shape)
		write_all(node, shape);
}

static bool filter_is_written(uint32_t node, const struct tb_shape *shape)
{
	char *filter = print_filter(node, shape);
	bool written = has_token(node_record_table_ptr[node]->extra,
				 TB_EXTRA_FILTER, filter);

	free(filter);
	return written;
}

static bool devices_are_written(uint32_t node, const struct tb_shape *shape)
{
	char *devices = tb_devices_print(node, shape->ncores);
	bool written = has_token(node_record_table_ptr[node]->extra,
				 TB_EXTRA_DEVICES, devices);

	free(devices);
	return written;
}

/* Are all tokens there, for the topology that the node has now? */
static bool is_written(uint32_t node)
{
	const struct tb_shape *shape = tb_node_shape(node);
	const char *extra = node_record_table_ptr[node]->extra;
	const struct tb_node_stated stated = tb_node_stated(node);
	size_t length;

	return shape && shape->number == written_of[node].shape &&
	       written_of[node].devices == tb_devices_digest(node) &&
	       tb_extra_find(extra, TB_EXTRA_INUSE, &length) &&
	       !tb_extra_find(extra, TB_EXTRA_MEMORY_INUSE, &length) ==
		       !tb_memory_is_counted(node) &&
	       has_token(extra, TB_EXTRA_TOPOLOGY, stated.topology) &&
	       has_token(extra, TB_EXTRA_DISTANCES, stated.distances) &&
	       has_token(extra, TB_EXTRA_MEMORY, stated.memory) &&
	       has_token(extra, TB_EXTRA_OS_CPUS, stated.os_cpus) &&
	       has_token(extra, TB_EXTRA_GPU_MEMORY, stated.gpu_memory) &&
	       has_token(extra, TB_EXTRA_ISOLATES, stated.isolates) &&
	       has_token(extra, TB_EXTRA_SPEED, stated.speed) &&
	       has_token(extra, TB_EXTRA_LOST, stated.lost) &&
	       has_token(extra, TB_EXTRA_RESERVED, written_of[node].reserved) &&
	       filter_is_written(node, shape) &&
	       devices_are_written(node, shape);
}

/* Returns whether there was more to do than to look at digests. */
static bool restore_node(uint32_t node)
{
	const node_record_t *record = node_record_table_ptr[node];

	if (!record ||
	    (written_of[node].extra == tb_text_digest(record->extra) &&
	     written_of[node].devices == tb_devices_digest(node)))
		return false;
	if (!is_written(node))
		tb_extra_write(node);
	written_of[node].extra = tb_text_digest(record->extra);
	return true;
}

bool tb_extra_restore_some(void)
{
	uint32_t restored = 0;

	if (!tb_conf_node_record(site))
		return true;
	for (uint32_t i = 0; i < node_count; i++) {
		uint32_t node = restore_next;

		restore_next = (restore_next + 1) % node_count;
		if (restore_node(node) && ++restored == RESTORED_AT_ONCE)
			return false;
	}
	return true;
}

/* Nobody seems to have overwritten what was written last, all of it for this shape. */
static bool has_the_rest(uint32_t node, const struct tb_shape *shape)
{
	size_t length;

	return shape->number == written_of[node].shape &&
	       tb_extra_find(node_record_table_ptr[node]->extra, TB_EXTRA_INUSE,
			     &length);
}

/* What else the field says need not be looked at, but when the node is shown. */
static void write_change(uint32_t node)
{
	const struct tb_shape *shape = tb_node_shape(node);

	if (tb_conf_node_record(site) && shape && has_the_rest(node, shape))
		write_in_use(node, shape);
	else
		tb_extra_write(node);
}

void tb_extra_write_nodes_of(const job_record_t *job)
{
	struct tb_allocated_node at = { 0 };

	while (tb_allocated_node_next(job->job_resrcs, &at))
		write_change(at.node);
}

void tb_extra_is_outdated(const job_record_t *job)
{
	struct tb_allocated_node at = { 0 };

	while (tb_allocated_node_next(job->job_resrcs, &at))
		written_of[at.node].shape = written_of[at.node].extra = 0;
}
