/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/common/log.h"
#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "common/node_extra.h"
#include "core/distances.h"

/* A part of another text, which ends elsewhere; begin is NULL for none. */
struct part {
	const char *begin;
	size_t length;
};

/* What topobind.conf or the node itself says of a node. */
struct statement {
	struct part topology, distances, speed;
};

/* What we know of one node. */
struct node {
	struct tb_shape *shape;
	const char *topology;  /* as stated, or NULL; among the texts */
	const char *distances; /* likewise */
	time_t looked_at;    /* when the record was last looked at */
	uint64_t looked_extra; /* a digest of Extra as it was then */
	uint64_t question;   /* in which that was, if in one */
	/* Of topobind.conf, found with the first look. */
	const char *conf_topology, *conf_distances;
	const struct tb_filter *filter;
	bool says_filter;
	char *speed;         /* only to be shown */
	struct tb_shape *shown; /* what Extra says is in use is of this one */
	uint64_t extra;         /* a digest of it as it was then */
	bool is_stated;      /* its shape was made from the stated topology */
};

static const struct tb_conf *site;
static struct node *nodes;
static uint32_t node_count;
static uint64_t question; /* 0: none, nodes may change */
static struct tb_shape **shapes;
static uint32_t shape_count;
/* What nodes have stated, each text once: a few for thousands of nodes. */
static char **texts;
static uint32_t text_count;

static void destroy_shape(struct tb_shape *shape)
{
	if (!shape)
		return;
	tb_bitset_destroy(shape->used);
	tb_bitset_destroy(shape->threads);
	tb_bitset_destroy(shape->cores);
	tb_bitset_destroy(shape->placed);
	xfree(shape->held);
	for (unsigned i = 0; i < TB_UNIT_KINDS; i++)
		xfree(shape->sizes[i]);
	tb_placer_destroy(shape->placer);
	tb_topology_destroy(shape->topology);
	xfree(shape->text);
	xfree(shape->distances);
	xfree(shape);
}

void tb_nodes_fini(void)
{
	for (uint32_t node = 0; node < node_count; node++)
		xfree(nodes[node].speed);
	xfree(nodes);
	node_count = 0;
	for (uint32_t i = 0; i < shape_count; i++)
		destroy_shape(shapes[i]);
	xfree(shapes);
	shape_count = 0;
	for (uint32_t i = 0; i < text_count; i++)
		xfree(texts[i]);
	xfree(texts);
	text_count = 0;
}

void tb_nodes_reset(const struct tb_conf *new_conf)
{
	tb_nodes_fini();
	site = new_conf;
	node_count = tb_node_count();
	nodes = xcalloc(node_count + 1, sizeof(*nodes));
}

/* A bit is a core or a thread of the string; neither: the string is wrong. */
static bool bits_fit(struct tb_shape *shape, uint32_t bits)
{
	shape->by_thread = bits != tb_topology_cores(shape->topology);
	return !shape->by_thread ||
	       bits == tb_topology_threads(shape->topology);
}

static int set_distances(struct tb_shape *shape, struct tb_error *err)
{
	unsigned count = tb_topology_count(shape->topology, 'N');
	unsigned *distances;
	int rc;

	if (!shape->distances)
		return 0;
	distances = tb_distances_parse(shape->distances, count, err);
	if (!distances)
		return -1;
	rc = tb_topology_set_distances(shape->topology, distances, count, err);
	free(distances);
	return rc;
}

static bool complete_shape(struct tb_shape *shape, uint32_t bits)
{
	unsigned threads = tb_topology_threads(shape->topology);

	if (!bits_fit(shape, bits))
		return false;
	shape->placer = tb_placer_create(shape->topology);
	shape->used = tb_bitset_create(threads);
	shape->threads = tb_bitset_create(threads);
	shape->cores = tb_bitset_create(bits);
	shape->placed = tb_bitset_create(bits);
	shape->held = xcalloc(threads, sizeof(*shape->held));
	return shape->placer && shape->used && shape->threads &&
	       shape->cores && shape->placed;
}

static int fail_misfit(const struct tb_shape *shape, uint32_t bits,
		       struct tb_error *err)
{
	return tb_fail(err, "it has %u cores and %u threads, but the node has %u cores in slurm.conf; make CPUs, Sockets, CoresPerSocket and ThreadsPerCore agree with it (topobind topology shows it)",
		       tb_topology_cores(shape->topology),
		       tb_topology_threads(shape->topology), bits);
}

static struct tb_shape *create_shape(const char *text, const char *distances,
				     uint32_t bits, struct tb_error *err)
{
	struct tb_shape *shape = xmalloc(sizeof(*shape));

	shape->text = xstrdup(text);
	shape->distances = xstrdup(distances);
	shape->topology = tb_topology_parse(text, NULL, err);
	if (!shape->topology || set_distances(shape, err))
		goto fail;
	if (complete_shape(shape, bits))
		return shape;
	fail_misfit(shape, bits, err);
fail:
	destroy_shape(shape);
	return NULL;
}

static struct tb_shape *find_or_create_shape(const char *text,
					     const char *distances,
					     uint32_t bits,
					     struct tb_error *err)
{
	struct tb_shape *shape;

	for (uint32_t i = 0; i < shape_count; i++)
		if (shapes[i]->cores->nbits == bits &&
		    !xstrcmp(shapes[i]->distances, distances) &&
		    !strcmp(shapes[i]->text, text))
			return shapes[i];
	shape = create_shape(text, distances, bits, err);
	if (!shape)
		return NULL;
	xrecalloc(shapes, shape_count + 1, sizeof(*shapes));
	shapes[shape_count++] = shape;
	return shape;
}

/* S and C (and T where there are more than one) as slurm.conf has them. */
static char *slurm_topology(const node_record_t *record)
{
	char *text = NULL;

	for (uint32_t core = 0; core < record->tot_cores; core++) {
		if (record->cores && core % record->cores == 0)
			xstrcatchar(text, 'S');
		xstrcatchar(text, 'C');
		for (uint16_t thread = 0; record->tpc > 1 &&
					  thread < record->tpc; thread++)
			xstrcatchar(text, 'T');
	}
	return text;
}

static struct part whole(const char *text)
{
	return (struct part){text, text ? strlen(text) : 0};
}

/* A token without a value is none. */
static struct part token(const node_record_t *record, const char *name)
{
	size_t length;
	const char *begin = tb_extra_find(record->extra, name, &length);

	return begin && length ? (struct part){begin, length} : whole(NULL);
}

/*
 * All from topobind.conf or all from the node's own word.  What a node once
 * said holds until it says something else: who overwrites Extra does not mean
 * that, and m_topology= without a string does.  Looked at in every test, so
 * nothing is copied.
 */
static struct statement statement_of(const struct node *node,
				     const node_record_t *record)
{
	struct statement stated = {
		whole(node->topology), whole(node->distances),
		whole(node->speed),
	};
	size_t length;

	if (tb_extra_find(record->extra, TB_EXTRA_TOPOLOGY, &length)) {
		stated.topology = token(record, TB_EXTRA_TOPOLOGY);
		stated.distances = token(record, TB_EXTRA_DISTANCES);
		stated.speed = token(record, TB_EXTRA_SPEED);
	}
	if (node->conf_topology) {
		stated.topology = whole(node->conf_topology);
		stated.distances = whole(node->conf_distances);
	}
	return stated;
}

static bool is_same(const char *text, struct part part)
{
	if (!text || !part.begin)
		return !text && !part.begin;
	return !strncmp(text, part.begin, part.length) && !text[part.length];
}

/* The part can be the text itself. */
static void keep(char **text, struct part part)
{
	if (is_same(*text, part))
		return;
	xfree(*text);
	*text = part.begin ? xstrndup(part.begin, part.length) : NULL;
}

/* The same, as one of the texts; NULL for none. */
static const char *share(struct part part)
{
	if (!part.begin)
		return NULL;
	for (uint32_t i = 0; i < text_count; i++)
		if (is_same(texts[i], part))
			return texts[i];
	xrecalloc(texts, text_count + 1, sizeof(*texts));
	return texts[text_count++] = xstrndup(part.begin, part.length);
}

/* The shape by what is stated; NULL when that is nothing or cannot be used. */
static struct tb_shape *stated_shape(const struct node *node,
				     const node_record_t *record)
{
	struct tb_shape *plain, *shape;
	struct tb_error why;

	if (!node->topology)
		return NULL;
	plain = find_or_create_shape(node->topology, NULL, record->tot_cores,
				     &why);
	if (!plain) {
		error("topobind: node %s: its topology %.200s cannot be used: %s; using Sockets, Cores and Threads of slurm.conf",
		      record->name, node->topology, why.text);
		return NULL;
	}
	if (!node->distances)
		return plain;
	shape = find_or_create_shape(node->topology, node->distances,
				     record->tot_cores, &why);
	if (shape)
		return shape;
	error("topobind: node %s: its NUMA distances %.200s cannot be used: %s; going on without",
	      record->name, node->distances, why.text);
	return plain;
}

/* A filter that was written for this node and is none for it. */
static void check_filter(const struct tb_shape *shape, const char *node_name)
{
	const struct tb_filter *filter = tb_conf_node_filter(site, node_name);

	if (filter && !tb_filter_matches(filter, shape->topology))
		error("topobind: node %s: the Filter= of its NodeName= line in topobind.conf has another shape than the node, %.200s; it has no effect",
		      node_name, shape->text);
}

/* Told once, as this is called when what is stated has changed. */
static struct tb_shape *look_up_shape(struct node *node,
				      const node_record_t *record)
{
	struct tb_shape *shape = stated_shape(node, record);
	struct tb_error why;
	char *text;

	node->is_stated = shape != NULL;
	if (shape) {
		check_filter(shape, record->name);
	} else {
		text = slurm_topology(record);
		shape = text ? find_or_create_shape(text, NULL,
						    record->tot_cores, &why)
			     : NULL;
		xfree(text);
	}
	return shape;
}

#define LANES 4

static uint64_t mix(uint64_t value, uint64_t word)
{
	value = (value ^ word) * 0x9e3779b97f4a7c15;
	return value ^ value >> 32;
}

/*
 * A digest, as a node's text is asked about again and again: by length and
 * address nobody sees that it changed, as a new text can have both.  In lanes
 * that do not wait for each other.
 */
static uint64_t digest(const char *extra)
{
	size_t left = extra ? strlen(extra) : 0;
	uint64_t lanes[LANES] = { ~(uint64_t)left, 1, 2, 3 };
	uint64_t words[LANES];

	while (left) {
		size_t size = MIN(left, sizeof(words));

		if (size < sizeof(words))
			memset(words, 0, sizeof(words));
		memcpy(words, extra, size);
		for (unsigned i = 0; i < LANES; i++)
			lanes[i] = mix(lanes[i], words[i]);
		extra += size;
		left -= size;
	}
	for (unsigned i = 1; i < LANES; i++)
		lanes[0] = mix(lanes[0], lanes[i]);
	return lanes[0];
}

static void look_into_conf(struct node *node, const char *name)
{
	node->conf_topology = tb_conf_topology(site, name);
	node->conf_distances = tb_conf_distances(site, name);
	node->filter = tb_conf_node_filter(site, name);
	node->says_filter = tb_conf_node_says_filter(site, name);
}

/*
 * The Extra field can change at any time by an update of the node, which moves
 * last_node_update; that has a resolution of a second, so a look in that same
 * second is not the last one.
 */
static bool is_stale(const struct node *node)
{
	return node->looked_at <= last_node_update &&
	       (!question || node->question != question);
}

void tb_nodes_hold(void)
{
	static uint64_t count;

	question = ++count;
}

void tb_nodes_release(void)
{
	question = 0;
}

/*
 * Jobs that no node could ever hold (BadConstraints) are put back into the queue
 * by Slurm when nodes have other features, or another topology.
 */
static void change_shape(struct node *node, const node_record_t *record)
{
	struct tb_shape *before = node->shape;

	node->shape = look_up_shape(node, record);
	if (node->looked_at && node->shape != before)
		node_features_updated = true;
}

struct tb_shape *tb_node_shape(uint32_t index)
{
	node_record_t *record = node_record_table_ptr[index];
	struct node *node = &nodes[index];
	struct statement stated;
	uint64_t extra;

	if (!record || index >= node_count)
		return NULL;
	if (!is_stale(node))
		return node->shape;
	node->question = question;
	extra = digest(record->extra);
	if (node->looked_at && extra == node->looked_extra) {
		node->looked_at = time(NULL);
		return node->shape;
	}
	if (!node->looked_at)
		look_into_conf(node, record->name);
	node->looked_extra = extra;
	stated = statement_of(node, record);
	if (!node->looked_at || !is_same(node->topology, stated.topology) ||
	    !is_same(node->distances, stated.distances)) {
		node->topology = share(stated.topology);
		node->distances = share(stated.distances);
		change_shape(node, record);
	}
	keep(&node->speed, stated.speed);
	node->looked_at = time(NULL);
	return node->shape;
}

const char *tb_job_partition(const job_record_t *job)
{
	return job->part_ptr ? job->part_ptr->name : NULL;
}

struct tb_shape *tb_node_shape_for(uint32_t index, const job_record_t *job)
{
	struct tb_shape *shape = tb_node_shape(index);

	if (shape && !nodes[index].is_stated &&
	    !tb_conf_on_any_host(site, tb_job_partition(job)))
		return NULL;
	return shape;
}

void tb_shape_threads(const struct tb_shape *shape,
		      const struct tb_bitset *cores, struct tb_bitset *threads)
{
	if (shape->by_thread)
		tb_bitset_assign(threads, cores);
	else
		tb_threads_of_cores(shape->topology, cores, threads);
}

void tb_shape_cores(const struct tb_shape *shape,
		    const struct tb_bitset *threads, struct tb_bitset *cores)
{
	if (shape->by_thread)
		tb_bitset_assign(cores, threads);
	else
		tb_cores_of_threads(shape->topology, threads, cores);
}

static bool core_kept(uint32_t node, uint32_t core, const struct tb_test *test)
{
	bitstr_t *usable = node_record_table_ptr[node]->node_spec_bitmap;

	return (usable && core < bit_size(usable) && !bit_test(usable, core)) ||
	       tb_test_core_excluded(test, node, core);
}

void tb_node_taken(uint32_t node, struct tb_shape *shape,
		   const struct tb_view *view, const struct tb_test *test)
{
	if (view)
		tb_view_taken(view, node, shape->cores);
	else
		tb_bitset_clear_all(shape->cores);
	if (!test->excluded && !node_record_table_ptr[node]->node_spec_bitmap)
		return;
	for (uint32_t core = 0; core < shape->cores->nbits; core++)
		if (core_kept(node, core, test))
			tb_bitset_set(shape->cores, core);
}

const struct tb_filter *tb_job_filter(const job_record_t *job)
{
	return tb_conf_partition_filter(site, tb_job_partition(job));
}

/* A site's string is for the nodes of that shape. */
const struct tb_filter *tb_node_filter(uint32_t node,
				       const struct tb_shape *shape,
				       const struct tb_filter *of_partition)
{
	const struct tb_filter *filter = nodes[node].says_filter
		? nodes[node].filter : of_partition;

	return filter && tb_filter_matches(filter, shape->topology) ? filter
								    : NULL;
}

void tb_node_used(uint32_t node, struct tb_shape *shape,
		  const struct tb_view *view, const struct tb_test *test)
{
	const struct tb_filter *filter =
		tb_node_filter(node, shape, tb_job_filter(test->job));

	tb_node_taken(node, shape, view, test);
	tb_shape_threads(shape, shape->cores, shape->used);
	if (filter)
		tb_filter_add(filter, shape->topology, shape->used);
}

static bool has_token(const char *extra, const char *name, const char *value)
{
	size_t length;

	return value ? tb_extra_has(extra, name, value)
		     : !tb_extra_find(extra, name, &length);
}

/*
 * Units that come into use change their letters, not their number.  New texts
 * would come from the memory of whichever thread starts the job, and leave holes
 * in another's: with ten thousand nodes 10 MiB of them.
 */
static bool overwrite(char *extra, const char *name, const char *value)
{
	size_t length;
	const char *at = tb_extra_find(extra, name, &length);

	if (!at || !value || strlen(value) != length)
		return false;
	memcpy(extra + (at - extra), value, length);
	return true;
}

static void rewrite(node_record_t *record, const char *name, const char *value)
{
	char *extra = tb_extra_with(record->extra, name, value);

	if (!extra)
		return;
	xfree(record->extra);
	record->extra = xstrdup(extra);
	free(extra);
}

/* Only what differs is written: readers see each change as an update. */
static void show_token(node_record_t *record, const char *name,
		       const char *value)
{
	if (has_token(record->extra, name, value))
		return;
	if (!overwrite(record->extra, name, value))
		rewrite(record, name, value);
	last_node_update = time(NULL);
}

void tb_node_show(uint32_t node)
{
	struct tb_shape *shape = tb_node_shape(node);
	node_record_t *record = node_record_table_ptr[node];
	struct tb_view *view;
	char *inuse;

	if (!tb_conf_node_record(site)) {
		/* It would say for ever what was in use before. */
		show_token(record, TB_EXTRA_INUSE, NULL);
		return;
	}
	if (!shape)
		return;
	view = tb_view_now();
	tb_view_taken(view, node, shape->cores);
	tb_view_destroy(view);
	tb_shape_threads(shape, shape->cores, shape->used);
	inuse = tb_topology_print(shape->topology, shape->used);
	show_token(record, TB_EXTRA_TOPOLOGY, nodes[node].topology);
	show_token(record, TB_EXTRA_DISTANCES, nodes[node].distances);
	show_token(record, TB_EXTRA_SPEED, nodes[node].speed);
	show_token(record, TB_EXTRA_INUSE, inuse);
	nodes[node].shown = shape;
	free(inuse);
}

/* All tokens are there, for the topology that the node has now. */
static bool is_shown(uint32_t node)
{
	const struct tb_shape *shape = tb_node_shape(node);
	const char *extra = node_record_table_ptr[node]->extra;
	size_t length;

	return shape == nodes[node].shown &&
	       tb_extra_find(extra, TB_EXTRA_INUSE, &length) &&
	       has_token(extra, TB_EXTRA_TOPOLOGY, nodes[node].topology) &&
	       has_token(extra, TB_EXTRA_DISTANCES, nodes[node].distances) &&
	       has_token(extra, TB_EXTRA_SPEED, nodes[node].speed);
}

void tb_node_show_again(uint32_t node)
{
	const node_record_t *record = node_record_table_ptr[node];

	if (node >= node_count || !tb_conf_node_record(site) ||
	    nodes[node].extra == digest(record->extra))
		return;
	if (!is_shown(node))
		tb_node_show(node);
	nodes[node].extra = digest(record->extra);
}
