/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "candidate_way.h"

#include <stdlib.h>
#include <string.h>

#include "candidate_pools.h"

/* With units that fewer than share jobs have. */
static bool find_offers(const struct tb_candidates *candidates,
			const struct tb_used_node *nodes, unsigned count,
			unsigned share, struct tb_offer *offers)
{
	struct tb_need need = tb_candidates_memory_is_local(candidates)
				      ? candidates->memory_need
				      : candidates->need;
	const struct tb_offer *chosen = NULL;
	struct tb_blockers *blockers;
	unsigned found = 0;

	need.asked.min_nodes = need.asked.max_nodes = count;
	need.asked.required = 0;
	need.share = share;
	blockers = tb_blockers_create(&need, nodes, count, candidates->ends,
				      candidates->nholders);
	if (blockers)
		chosen = tb_blockers_choose(blockers, &found);
	if (chosen && found == count)
		memcpy(offers, chosen, count * sizeof(*offers));
	tb_blockers_destroy(blockers);
	return chosen && found == count;
}

/* As they are, and what is near devices is reserved. */
static bool spare_devices(struct tb_used_node *list,
			  const struct tb_candidate_node *const *nodes,
			  unsigned count, struct tb_bitset **reserved)
{
	for (unsigned i = 0; i < count; i++) {
		reserved[i] = tb_bitset_copy(nodes[i]->reserved);
		if (!reserved[i])
			return false;
		tb_candidate_pools_add_near(nodes[i], reserved[i]);
		list[i].reserved = reserved[i];
	}
	return true;
}

static bool find_way(const struct tb_candidates *candidates,
		     const struct tb_candidate_node *const *nodes,
		     unsigned count, struct tb_offer *offers,
		     struct tb_candidate_way *way)
{
	struct tb_used_node *list = calloc(count + 1, sizeof(*list));
	struct tb_bitset **reserved = calloc(count + 1, sizeof(*reserved));
	bool found = false, made = list && reserved;

	for (unsigned i = 0; made && i < count; i++) {
		list[i] = tb_candidate_used(nodes[i]);
		list[i].required = true;
	}
	if (made && way->spares)
		made = spare_devices(list, nodes, count, reserved);
	for (way->share = 0; made && !found && way->share < candidates->share;)
		found = find_offers(candidates, list, count, ++way->share,
				    offers);
	for (unsigned i = 0; reserved && i < count; i++)
		tb_bitset_destroy(reserved[i]);
	free(reserved);
	free(list);
	return found;
}

bool tb_candidates_offer(const struct tb_candidates *candidates,
			 const struct tb_candidate_node *const *nodes,
			 unsigned count, struct tb_offer *offers,
			 struct tb_candidate_way *way)
{
	way->spares = candidates->spares;
	if (find_way(candidates, nodes, count, offers, way))
		return true;
	way->spares = false;
	return candidates->spares &&
	       find_way(candidates, nodes, count, offers, way);
}

unsigned tb_candidates_place(const struct tb_candidates *candidates,
			     const struct tb_candidate_node *node,
			     const struct tb_offer *offer,
			     struct tb_candidate_way way, unsigned slots)
{
	struct tb_used_node used = tb_candidate_used(node);
	struct tb_need need = tb_candidates_memory_is_local(candidates)
				      ? candidates->memory_need
				      : candidates->need;
	struct tb_bitset *reserved = NULL;
	struct tb_blockers *blockers = NULL;
	unsigned placed = 0;

	need.share = way.share;
	if (!way.spares || spare_devices(&used, &node, 1, &reserved))
		blockers = tb_blockers_create(&need, &used, 1, candidates->ends,
					      candidates->nholders);
	if (blockers)
		placed = tb_blockers_place(blockers, 0, offer, slots);
	tb_blockers_destroy(blockers);
	tb_bitset_destroy(reserved);
	return placed;
}
