/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "network.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

struct tb_network {
	uint32_t count, levels;
	uint32_t *ranks; /* each node's */
	/*
	 * The switches above each node, from the top down, levels of them; each by the
	 * least number of its nodes.
	 */
	uint32_t *switches;
};

/* A node while they are sorted. */
struct place {
	uint32_t node;
	const char *name;
	const uint32_t *switches;
	uint32_t levels;
};

static uint32_t count_levels(const char *name)
{
	uint32_t levels = 0;

	for (; *name; name++)
		levels += *name == '.';
	return levels;
}

static uint32_t *get_switches(const struct tb_network *network, uint32_t node)
{
	return &network->switches[(size_t)node * network->levels];
}

/*
 * The length of a place up to a level, or to the first one below it that has a name; 0:
 * it has none there.
 */
static size_t find_end(const char *name, uint32_t level)
{
	const char *at = name, *dot = name;

	for (uint32_t i = 0; (dot = strchr(at, '.')); i++, at = dot + 1)
		if (i >= level && dot > at)
			return (size_t)(dot + 1 - name);
	return 0;
}

static bool is_same_switch(const struct place *a, const struct place *b,
			   uint32_t level)
{
	size_t end = find_end(a->name, level);

	return end && end == find_end(b->name, level) &&
	       !strncmp(a->name, b->name, end);
}

/* Nodes of a switch lie beside each other: their places begin alike. */
static void name_switches(struct tb_network *network, const struct place *list,
			  uint32_t level)
{
	uint32_t first = 0, least = 0;

	for (uint32_t i = 0; i < network->count; i++) {
		if (!i || !is_same_switch(&list[first], &list[i], level)) {
			first = i;
			least = list[i].node;
		}
		if (list[i].node < least)
			least = list[i].node;
		if (i + 1 < network->count &&
		    is_same_switch(&list[first], &list[i + 1], level))
			continue;
		for (uint32_t j = first; j <= i; j++)
			get_switches(network, list[j].node)[level] = least;
	}
}

static int by_name(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static int by_switches(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	for (uint32_t i = 0; i < a->levels; i++)
		if (a->switches[i] != b->switches[i])
			return a->switches[i] < b->switches[i] ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

static bool fill(struct tb_network *network, struct place *list)
{
	network->ranks = tb_array_create(network->count, sizeof(uint32_t));
	network->switches = tb_array_create((size_t)network->count *
						    (network->levels + 1),
					    sizeof(uint32_t));
	if (!network->ranks || !network->switches)
		return false;
	qsort(list, network->count, sizeof(*list), by_name);
	for (uint32_t level = 0; level < network->levels; level++)
		name_switches(network, list, level);
	for (uint32_t i = 0; i < network->count; i++) {
		list[i].switches = get_switches(network, list[i].node);
		list[i].levels = network->levels;
	}
	qsort(list, network->count, sizeof(*list), by_switches);
	for (uint32_t i = 0; i < network->count; i++)
		network->ranks[list[i].node] = i;
	return true;
}

struct tb_network *tb_network_create(const char *const *places, uint32_t count)
{
	struct tb_network *network = tb_array_create(1, sizeof(*network));
	struct place *list = tb_array_create(count + 1, sizeof(*list));
	bool filled = network && list;

	for (uint32_t i = 0; filled && i < count; i++) {
		uint32_t levels;

		list[i].node = i;
		list[i].name = places[i] ? places[i] : "";
		levels = count_levels(list[i].name);
		if (levels > network->levels)
			network->levels = levels;
	}
	if (filled && count) {
		network->count = count;
		filled = fill(network, list);
	}
	free(list);
	if (filled)
		return network;
	tb_network_destroy(network);
	return NULL;
}

void tb_network_destroy(struct tb_network *network)
{
	if (!network)
		return;
	free(network->ranks);
	free(network->switches);
	free(network);
}

uint32_t tb_network_rank(const struct tb_network *network, uint32_t node)
{
	return network->ranks[node];
}

uint32_t tb_network_height(const struct tb_network *network, uint32_t a,
			   uint32_t b)
{
	const uint32_t *of_a = get_switches(network, a);
	const uint32_t *of_b = get_switches(network, b);
	uint32_t height = 0;

	while (a != b && height < network->levels &&
	       of_a[network->levels - 1 - height] !=
		       of_b[network->levels - 1 - height])
		height++;
	return height;
}
