/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "holders.h"

#include <string.h>

#include "compat/select_compat.h"

#include "src/common/xmalloc.h"

static uint32_t *first_word, *cores_of_node;
static uint32_t node_count;

void tb_holders_forget_places(void)
{
	xfree(first_word);
	xfree(cores_of_node);
	node_count = 0;
}

void tb_holders_find_places(void)
{
	tb_holders_forget_places();
	node_count = tb_node_count();
	first_word = xcalloc(node_count + 1, sizeof(*first_word));
	cores_of_node = xcalloc(node_count + 1, sizeof(*cores_of_node));
	for (uint32_t node = 0; node < node_count; node++) {
		cores_of_node[node] = tb_node_first_core(node + 1) -
				      tb_node_first_core(node);
		first_word[node + 1] = first_word[node] +
				       (cores_of_node[node] + 63) / 64;
	}
}

uint32_t tb_words_of_node(uint32_t node)
{
	return first_word[node + 1] - first_word[node];
}

uint32_t tb_first_word_of_node(uint32_t node)
{
	return first_word[node];
}

uint32_t tb_cores_of_node(uint32_t node)
{
	return cores_of_node[node];
}

void tb_holders_init(struct tb_holders *holders)
{
	holders->taken = xcalloc(first_word[node_count] + 1,
				 sizeof(*holders->taken));
	holders->more = xcalloc(node_count + 1, sizeof(*holders->more));
}

void tb_holders_clear(struct tb_holders *holders)
{
	for (uint32_t node = 0; holders->more && node < node_count; node++)
		xfree(holders->more[node]);
	xfree(holders->more);
	xfree(holders->taken);
}

void tb_holders_copy(struct tb_holders *copy, const struct tb_holders *holders)
{
	tb_holders_init(copy);
	memcpy(copy->taken, holders->taken,
	       sizeof(*copy->taken) * first_word[node_count]);
	for (uint32_t node = 0; node < node_count; node++) {
		size_t size = sizeof(**copy->more) * cores_of_node[node];

		if (!holders->more[node])
			continue;
		copy->more[node] = xmalloc(size);
		memcpy(copy->more[node], holders->more[node], size);
	}
}

static uint64_t core_bit(uint32_t core)
{
	return (uint64_t)1 << core % 64;
}

/* These cores of a word had a holder before, and have one more now. */
static void add_more(struct tb_holders *holders, uint32_t node, uint32_t word,
		     uint64_t cores)
{
	if (!holders->more[node])
		holders->more[node] = xcalloc(cores_of_node[node],
					      sizeof(*holders->more[node]));
	for (; cores; cores &= cores - 1)
		holders->more[node][word * 64 + __builtin_ctzll(cores)]++;
}

/* One holder less for those of these cores that had several; which these are. */
static uint64_t drop_more(struct tb_holders *holders, uint32_t node,
			  uint32_t word, uint64_t cores)
{
	uint64_t shared = 0;

	for (; holders->more[node] && cores; cores &= cores - 1) {
		uint32_t core = word * 64 + __builtin_ctzll(cores);

		if (holders->more[node][core]) {
			holders->more[node][core]--;
			shared |= core_bit(core);
		}
	}
	return shared;
}

bool tb_holders_are_none(const struct tb_holders *holders, uint32_t node)
{
	for (uint32_t at = first_word[node]; at < first_word[node + 1]; at++)
		if (holders->taken[at])
			return false;
	return true;
}

bool tb_holders_have_some(const struct tb_holders *holders,
			  const uint32_t *nodes, uint32_t count,
			  const uint64_t *cores)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t *taken = holders->taken + first_word[nodes[i]];
		uint32_t words = tb_words_of_node(nodes[i]);

		for (uint32_t word = 0; word < words; word++)
			if (taken[word] & cores[word])
				return true;
		cores += words;
	}
	return false;
}

void tb_holders_add(struct tb_holders *holders, const uint32_t *nodes,
		    uint32_t count, const uint64_t *cores)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t *taken = holders->taken + first_word[nodes[i]];
		uint32_t words = tb_words_of_node(nodes[i]);

		for (uint32_t word = 0; word < words; word++) {
			if (taken[word] & cores[word])
				add_more(holders, nodes[i], word,
					 taken[word] & cores[word]);
			taken[word] |= cores[word];
		}
		cores += words;
	}
}

void tb_holders_drop(struct tb_holders *holders, const uint32_t *nodes,
		     uint32_t count, const uint64_t *cores)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t *taken = holders->taken + first_word[nodes[i]];
		uint32_t words = tb_words_of_node(nodes[i]);

		for (uint32_t word = 0; word < words; word++)
			taken[word] &= ~cores[word] |
				       drop_more(holders, nodes[i], word,
						 cores[word]);
		cores += words;
		if (holders->more[nodes[i]] &&
		    tb_holders_are_none(holders, nodes[i]))
			xfree(holders->more[nodes[i]]);
	}
}

uint16_t tb_holders_of_core(const struct tb_holders *holders, uint32_t node,
			    uint32_t core)
{
	if (!(holders->taken[first_word[node] + core / 64] & core_bit(core)))
		return 0;
	return holders->more[node] ? 1 + holders->more[node][core] : 1;
}
