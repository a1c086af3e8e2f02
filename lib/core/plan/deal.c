/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "deal.h"

/* One for each node at most.  Returns how many were dealt. */
static uint32_t deal_round(struct tb_dealt *nodes, uint32_t count,
			   uint32_t slots)
{
	uint32_t dealt = 0;

	for (uint32_t i = 0; i < count && dealt < slots; i++) {
		if (nodes[i].slots >= nodes[i].most)
			continue;
		nodes[i].slots++;
		dealt++;
	}
	return dealt;
}

uint32_t tb_deal(struct tb_dealt *nodes, uint32_t count, uint32_t slots)
{
	uint32_t dealt;

	do {
		dealt = deal_round(nodes, count, slots);
		slots -= dealt;
	} while (slots && dealt);
	return slots;
}

uint32_t tb_deal_again(struct tb_dealt *nodes, uint32_t count)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (nodes[i].slots <= nodes[i].most)
			continue;
		left += nodes[i].slots - nodes[i].most;
		nodes[i].slots = nodes[i].most;
	}
	return tb_deal(nodes, count, left);
}

/* The fewest that a node has which can have another; UINT32_MAX: none can. */
static uint32_t find_fewest(const struct tb_dealt *nodes, uint32_t count)
{
	uint32_t fewest = UINT32_MAX;

	for (uint32_t i = 0; i < count; i++)
		if (nodes[i].slots < nodes[i].most && nodes[i].slots < fewest)
			fewest = nodes[i].slots;
	return fewest;
}

bool tb_deal_between(struct tb_dealt *nodes, uint32_t count, uint32_t slots)
{
	uint32_t fewest;

	for (uint32_t i = 0; i < count; i++) {
		nodes[i].slots = nodes[i].least;
		if (nodes[i].least > slots || nodes[i].least > nodes[i].most)
			return false;
		slots -= nodes[i].least;
	}
	while (slots && (fewest = find_fewest(nodes, count)) != UINT32_MAX)
		for (uint32_t i = 0; i < count && slots; i++) {
			if (nodes[i].slots != fewest ||
			    nodes[i].slots >= nodes[i].most)
				continue;
			nodes[i].slots++;
			slots--;
		}
	return !slots;
}

uint32_t tb_deal_limit(uint32_t slots, uint32_t per_node)
{
	return per_node && slots > per_node ? per_node : slots;
}
