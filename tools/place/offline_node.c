/* SPDX-License-Identifier: GPL-2.0-or-later */
/* offline_node.c - topologies to place on, and what comes out; see place.h */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/request/alternatives.h"
#include "core/request/parts.h"
#include "place.h"

#define NODES 256 /* a power of two */

struct tb_offline_nodes {
	struct tb_offline_node node[NODES];
};

static void clear_node(struct tb_offline_node *node)
{
	tb_placer_destroy(node->placer);
	tb_topology_destroy(node->topology);
	tb_bitset_destroy(node->used);
	free(node->shape);
	free(node->marks);
	memset(node, 0, sizeof(*node));
}

struct tb_offline_nodes *tb_offline_nodes_create(void)
{
	return calloc(1, sizeof(struct tb_offline_nodes));
}

void tb_offline_nodes_destroy(struct tb_offline_nodes *nodes)
{
	for (size_t i = 0; nodes && i < NODES; i++)
		clear_node(&nodes->node[i]);
	free(nodes);
}

/* FNV-1a of the string in capitals. */
static uint64_t hash_shape(const char *string)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *string; string++)
		hash = (hash ^ (unsigned char)tb_upper(*string)) *
		       0x100000001b3u;
	return hash ^ hash >> 32;
}

static char *copy_shape(const char *string)
{
	char *shape = strdup(string);

	for (char *c = shape; c && *c; c++)
		*c = tb_upper(*c);
	return shape;
}

/*
 * Which threads each letter of the string stands for: the i-th N is the i-th N
 * object, and so on.  Only threads can be left out of a string.
 */
static struct tb_mark *make_marks(const struct tb_topology *topology,
				  const char *shape)
{
	static const char letters[] = "NSXYCE";
	unsigned next[sizeof(letters)] = { 0 };
	struct tb_mark *marks = calloc(strlen(shape), sizeof(*marks));
	unsigned next_thread = 0;

	for (size_t i = 0; marks && shape[i]; i++) {
		const char *letter = strchr(letters, shape[i]);
		struct tb_mark *mark = &marks[i];

		if (letter)
			tb_topology_object(topology, shape[i],
					   next[letter - letters]++,
					   &mark->first_thread, &mark->threads);
		if (shape[i] == 'C' || shape[i] == 'E')
			next_thread = mark->first_thread;
		if (shape[i] == 'T')
			*mark = (struct tb_mark){ next_thread++, 1 };
	}
	return marks;
}

/* A new shape in place of an old one. */
static int set_node(struct tb_offline_node *node, const char *string,
		    struct tb_error *err)
{
	clear_node(node);
	node->topology = tb_topology_parse(string, NULL, err);
	if (!node->topology)
		return -1;
	node->placer = tb_placer_create(node->topology);
	node->used = tb_bitset_create(tb_topology_threads(node->topology));
	node->shape = copy_shape(string);
	if (node->shape)
		node->marks = make_marks(node->topology, node->shape);
	if (node->placer && node->used && node->marks)
		return 0;
	clear_node(node);
	return tb_fail(err, "out of memory while preparing a placement");
}

const struct tb_offline_node *
tb_offline_nodes_get(struct tb_offline_nodes *nodes, const char *string,
		     struct tb_error *err)
{
	struct tb_offline_node *node = &nodes->node[hash_shape(string) % NODES];

	if ((!node->shape || strcasecmp(node->shape, string)) &&
	    set_node(node, string, err))
		return NULL;
	tb_bitset_clear_all(node->used);
	for (size_t i = 0; string[i]; i++)
		if (tb_is_lower(string[i]))
			tb_bitset_set_range(node->used,
					    node->marks[i].first_thread,
					    node->marks[i].threads);
	return node;
}

void tb_outcome_clear(struct tb_outcome *outcome)
{
	for (unsigned i = 0; i < outcome->groups; i++)
		free(outcome->group_lists[i]);
	for (unsigned i = 0; i < outcome->parts; i++) {
		free(outcome->part_names[i]);
		free(outcome->part_lists[i]);
	}
	free(outcome->group_lists);
	free(outcome->granted);
	free(outcome->inuse_after);
	memset(outcome, 0, sizeof(*outcome));
}

/* The threads on which tasks run in the placed groups; -1 when out of memory. */
static int list_groups(const struct tb_offline_node *node,
		       struct tb_outcome *outcome)
{
	unsigned groups = tb_placed_groups(node->placer);
	struct tb_bitset *threads = tb_bitset_create(
		tb_topology_threads(node->topology));
	int rc = 0;

	outcome->group_lists = calloc(groups, sizeof(*outcome->group_lists));
	if (!threads || !outcome->group_lists)
		rc = -1;
	else
		outcome->groups = groups;
	for (unsigned i = 0; i < outcome->groups; i++) {
		tb_placed_group(node->placer, i, threads);
		tb_placed_drop_masked(node->placer, threads);
		outcome->group_lists[i] = tb_bitset_print_list(threads);
		if (!outcome->group_lists[i])
			rc = -1;
	}
	tb_bitset_destroy(threads);
	return rc;
}

/* The threads on which tasks run in each part; -1 when out of memory. */
static int list_parts(const struct tb_offline_node *node,
		      const struct tb_request *request,
		      struct tb_outcome *outcome)
{
	int rc = 0;

	outcome->parts = request->nparts;
	for (unsigned i = 0; i < outcome->parts; i++) {
		struct tb_bitset *threads = tb_bitset_copy(
			tb_placed_part(node->placer, i));

		if (!threads)
			return -1;
		tb_placed_drop_masked(node->placer, threads);
		outcome->part_names[i] = tb_request_print_part(request, i);
		outcome->part_lists[i] = tb_bitset_print_list(threads);
		tb_bitset_destroy(threads);
		if (!outcome->part_names[i] || !outcome->part_lists[i])
			rc = -1;
	}
	return rc;
}

static int describe_outcome(const struct tb_offline_node *node,
			    tb_printer *print, struct tb_outcome *outcome)
{
	const struct tb_bitset *placed = tb_placed_threads(node->placer);
	struct tb_bitset *after = tb_bitset_copy(node->used);

	if (!after)
		return -1;
	tb_bitset_or(after, placed);
	outcome->granted = print(node->topology, placed);
	outcome->inuse_after = print(node->topology, after);
	tb_bitset_destroy(after);
	if (!outcome->granted || !outcome->inuse_after)
		return -1;
	return list_groups(node, outcome);
}

int tb_outcome_of(const struct tb_offline_node *node,
		  const struct tb_request *request, unsigned nslots,
		  tb_place_function *place, tb_printer *print,
		  struct tb_outcome *outcome, struct tb_error *err)
{
	unsigned chosen = tb_place_choose(node->placer, request, node->used,
					  nslots, place);
	struct tb_request plain = tb_request_plain(request, chosen);
	int slots = place(node->placer, &plain, node->used, nslots);

	memset(outcome, 0, sizeof(*outcome));
	outcome->chosen = chosen;
	outcome->mismatch = slots == TB_PLACE_FILTER_MISMATCH;
	outcome->other_shape = slots == TB_PLACE_TOPOLOGY_MISMATCH;
	if (slots <= 0)
		return 0;
	outcome->slots = slots;
	if (!describe_outcome(node, print, outcome) &&
	    !list_parts(node, &plain, outcome))
		return 0;
	tb_outcome_clear(outcome);
	return tb_fail(err, "out of memory while describing a placement");
}

int tb_slots_parse(const char *text, unsigned *nslots, struct tb_error *err)
{
	char *end;
	unsigned long value;

	if (!isdigit((unsigned char)*text))
		return tb_fail(err,
			       "\"%.60s\" is not a number of slots, give 1 to %d",
			       text, TB_SLOTS_MAX);
	value = strtoul(text, &end, 10);
	if (*end || value < 1 || value > TB_SLOTS_MAX)
		return tb_fail(err,
			       "\"%.60s\" is not a number of slots, give 1 to %d",
			       text, TB_SLOTS_MAX);
	*nslots = value;
	return 0;
}
