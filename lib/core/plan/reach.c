/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reach.c - all sums, node by node
 *
 * After each node a table says for each number of nodes and of devices which numbers
 * of slots they can have together: a bit for each.  The way back through the tables
 * gives the nodes.
 */
#include "reach.h"

#include <stdlib.h>

#include "deal.h"

/* So many words are written at most: some milliseconds. */
#define WORDS_MAX (1u << 20)

struct search {
	struct tb_reach_node *nodes;
	uint32_t count;
	const struct tb_reach_job *job;
	uint32_t most;	/* nodes of the job */
	uint32_t words; /* of one set of sums */
	uint64_t *sums; /* count + 1 tables of (most + 1) * (devices + 1) sets */
};

static uint64_t *find_set(const struct search *search, uint32_t after,
			  uint32_t nodes, uint32_t devices)
{
	uint64_t row = (uint64_t)after * (search->most + 1) + nodes;

	return search->sums +
	       (row * (search->job->devices + 1) + devices) * search->words;
}

static bool has_sum(const struct search *search, const uint64_t *set,
		    uint32_t sum)
{
	return sum / 64 < search->words && set[sum / 64] >> sum % 64 & 1;
}

/* Each sum of from, and so many slots more; larger ones than the job's drop out. */
static void add_shifted(const struct search *search, uint64_t *to,
			const uint64_t *from, uint32_t slots)
{
	uint32_t skip = slots / 64, shift = slots % 64;

	for (uint32_t i = skip; i < search->words; i++) {
		to[i] |= from[i - skip] << shift;
		if (shift && i > skip)
			to[i] |= from[i - skip - 1] >> (64 - shift);
	}
}

static bool is_empty(const struct search *search, const uint64_t *set)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < search->words; i++)
		any |= set[i];
	return !any;
}

/* Where the job does not say how many slots there are, their sum is not counted. */
static uint32_t counted(const struct search *search, uint32_t slots)
{
	return search->job->slots ? slots : 0;
}

/* The most slots that count: no more than the job has. */
static uint32_t find_most(const struct search *search,
			  struct tb_reach_range range)
{
	uint32_t limit = search->job->slots ? search->job->slots : range.least;

	return range.most < limit ? range.most : limit;
}

/* The node has its slots and so many devices beside what from has. */
static void take_node(const struct search *search, uint32_t node,
		      uint32_t devices, const uint64_t *from, uint64_t *to)
{
	struct tb_reach_range range = search->nodes[node].with[devices];

	if (!range.most)
		return;
	for (uint32_t slots = range.least; slots <= find_most(search, range);
	     slots++)
		add_shifted(search, to, from, counted(search, slots));
}

static void add_node(const struct search *search, uint32_t node)
{
	const struct tb_reach_node *own = &search->nodes[node];

	for (uint32_t n = 0; n <= search->most; n++)
		for (uint32_t d = 0; d <= search->job->devices; d++) {
			const uint64_t *from = find_set(search, node, n, d);

			if (is_empty(search, from))
				continue;
			if (!own->required)
				add_shifted(search,
					    find_set(search, node + 1, n, d),
					    from, 0);
			if (n == search->most)
				continue;
			for (uint32_t more = 0;
			     more <= own->devices &&
			     d + more <= search->job->devices;
			     more++)
				take_node(search, node, more, from,
					  find_set(search, node + 1, n + 1,
						   d + more));
		}
}

/* What remains of the job, on the way back. */
struct rest {
	uint32_t nodes, devices, slots;
};

/* Did the node have so many devices?  Then the rest is without it. */
static bool give_back(const struct search *search, uint32_t node,
		      uint32_t devices, struct rest *rest)
{
	struct tb_reach_range range = search->nodes[node].with[devices];
	const uint64_t *before;

	if (!range.most || !rest->nodes || devices > rest->devices)
		return false;
	before = find_set(search, node, rest->nodes - 1,
			  rest->devices - devices);
	for (uint32_t slots = range.least; slots <= find_most(search, range);
	     slots++) {
		uint32_t part = counted(search, slots);

		if (part > rest->slots ||
		    !has_sum(search, before, rest->slots - part))
			continue;
		rest->nodes--;
		rest->devices -= devices;
		rest->slots -= part;
		return true;
	}
	return false;
}

/* Without the node, where the nodes before it have the rest, too. */
static void choose(const struct search *search, uint32_t node,
		   struct rest *rest)
{
	struct tb_reach_node *own = &search->nodes[node];
	const uint64_t *before = find_set(search, node, rest->nodes,
					  rest->devices);
	uint32_t devices = 0;

	own->slots = own->has = 0;
	if (!own->required && has_sum(search, before, rest->slots))
		return;
	while (devices < own->devices &&
	       !give_back(search, node, devices, rest))
		devices++;
	if (devices == own->devices)
		give_back(search, node, devices, rest);
	own->slots = own->with[devices].least;
	own->has = devices;
}

/* The chosen nodes have their least slots each: deal out the others. */
static bool deal_slots(struct search *search)
{
	struct tb_dealt *dealt = calloc(search->count, sizeof(*dealt));

	if (!dealt)
		return false;
	for (uint32_t i = 0; i < search->count; i++) {
		const struct tb_reach_node *own = &search->nodes[i];

		dealt[i].least = own->slots;
		dealt[i].most = own->slots ? own->with[own->has].most : 0;
	}
	if (search->job->slots)
		tb_deal_between(dealt, search->count, search->job->slots);
	for (uint32_t i = 0; search->job->slots && i < search->count; i++)
		search->nodes[i].slots = dealt[i].slots;
	free(dealt);
	return true;
}

static enum tb_reached find_nodes(struct search *search)
{
	const struct tb_reach_job *job = search->job;
	struct rest rest = { job->min_nodes, job->devices, job->slots };

	find_set(search, 0, 0, 0)[0] = 1;
	for (uint32_t i = 0; i < search->count; i++)
		add_node(search, i);
	while (rest.nodes <= search->most &&
	       !has_sum(search,
			find_set(search, search->count, rest.nodes,
				 rest.devices),
			rest.slots))
		rest.nodes++;
	if (rest.nodes > search->most)
		return TB_NOT_REACHED;
	for (uint32_t i = search->count; i--;)
		choose(search, i, &rest);
	return deal_slots(search) ? TB_REACHED : TB_REACH_UNKNOWN;
}

/* Words that are written: sets, and how often each is added to. */
static bool is_too_much(const struct search *search)
{
	uint64_t words = (uint64_t)(search->count + 1) * (search->most + 1) *
			 search->words;
	uint64_t often = 1;

	for (uint32_t i = 0; i < search->count; i++)
		for (uint32_t d = 0; d <= search->nodes[i].devices; d++) {
			struct tb_reach_range range = search->nodes[i].with[d];
			uint32_t most = find_most(search, range);

			often += most >= range.least ? most - range.least + 1
						     : 0;
		}
	if (words > WORDS_MAX || search->job->devices >= WORDS_MAX)
		return true;
	words *= search->job->devices + 1;
	return words > WORDS_MAX ||
	       words / (search->count + 1) > WORDS_MAX * 4 / often;
}

enum tb_reached tb_reach(struct tb_reach_node *nodes, uint32_t count,
			 const struct tb_reach_job *job)
{
	struct search search = { .nodes = nodes, .count = count, .job = job };
	enum tb_reached reached = TB_REACH_UNKNOWN;
	uint64_t sets;

	search.most = job->max_nodes < count ? job->max_nodes : count;
	/* Each of them has a slot. */
	if (job->slots && job->slots < search.most)
		search.most = job->slots;
	if (job->min_nodes > search.most)
		return TB_NOT_REACHED;
	search.words = job->slots / 64 + 1;
	if (is_too_much(&search))
		return TB_REACH_UNKNOWN;
	sets = (uint64_t)(count + 1) * (search.most + 1) * (job->devices + 1);
	search.sums = calloc(sets * search.words, sizeof(*search.sums));
	if (search.sums)
		reached = find_nodes(&search);
	free(search.sums);
	return reached;
}
