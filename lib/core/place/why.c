/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "why.h"

#include <stdlib.h>
#include <string.h>

#include "placer.h"

/* Cores come after all levels. */
static uint32_t level_of(const struct tb_placer *placer, uint32_t node)
{
	const struct tb_topology *topology = placer->topology;
	const struct tb_tree_node *at = &topology->nodes[node];

	return tb_class_of_letter(at->letter) == TB_CLASS_CORE
		       ? topology->nlevels
		       : at->level;
}

/* Does it lie outside the unit? */
static bool is_container(const struct tb_placer *placer, uint32_t node)
{
	uint32_t level = level_of(placer, node);

	return level < placer->outer_levels ||
	       (level == placer->topology->nlevels &&
		placer->class == TB_CLASS_THREAD);
}

static unsigned count_taken(const struct tb_placer *placer, uint32_t node)
{
	struct tb_run units = tb_units_below(placer, node);
	unsigned taken = 0;

	for (uint32_t i = 0; i < placer->ntaken; i++)
		taken += placer->taken[i] - units.first < units.count;
	return taken;
}

static struct tb_why_container describe(const struct tb_placer *placer,
					uint32_t node)
{
	const struct tb_tree_node *at = &placer->topology->nodes[node];
	enum tb_class class = tb_class_of_letter(at->letter);
	struct tb_why_container container = {
		.letter = at->letter,
		.number = node ? at->before[class] : 0,
		.units = tb_count_units(placer, node),
		.taken = count_taken(placer, node),
	};

	container.free = tb_count_available(placer, node) + container.taken;
	return container;
}

/* The innermost container with all that was taken; 0 is the node. */
static uint32_t find_place(const struct tb_placer *placer)
{
	uint32_t place = 0;

	for (uint32_t i = 1; i < placer->topology->nnodes; i++)
		if (is_container(placer, i) &&
		    count_taken(placer, i) == placer->ntaken)
			place = i;
	return place;
}

static bool was_looked_at(const struct tb_placer *placer, uint32_t place,
			  uint32_t node)
{
	return is_container(placer, node) &&
	       (!place || level_of(placer, node) >= level_of(placer, place));
}

int tb_why_placed(const struct tb_placer *placer, struct tb_why *why)
{
	const struct tb_topology *topology = placer->topology;
	uint32_t place = find_place(placer);
	uint32_t end = topology->nodes[place].end;

	memset(why, 0, sizeof(*why));
	why->containers = calloc(topology->nnodes, sizeof(*why->containers));
	if (!why->containers)
		return -1;
	why->place = describe(placer, place);
	for (uint32_t i = 1; i < topology->nnodes; i++) {
		struct tb_why_container container;

		if (!was_looked_at(placer, place, i))
			continue;
		container = describe(placer, i);
		container.inside = i > place && i < end;
		if (container.free)
			why->containers[why->ncontainers++] = container;
	}
	return 0;
}

void tb_why_clear(struct tb_why *why)
{
	free(why->containers);
	memset(why, 0, sizeof(*why));
}
