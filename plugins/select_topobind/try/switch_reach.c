/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "switch_reach.h"

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "core/plan/reach_groups.h"

#include "network_groups.h"
#include "offer_sets.h"
#include "scale.h"

struct below {
	struct tb_reach_node *nodes;
	struct tb_reach_range *with; /* each of them */
	uint32_t *offer_of;	     /* each of them */
	uint32_t count;
	struct tb_network_groups groups;
};

/* Offers of a class lie in the order of their nodes: one can have several. */
static void add_node(struct below *below, const struct tb_offers *offers,
		     const struct tb_test *test, uint32_t index)
{
	const struct tb_offer *offer = &offers->list[index];
	bitstr_t *required = test->job->details->req_node_bitmap;
	uint32_t holds = tb_offer_holds(offers, test, offer);
	uint32_t i = below->count;

	if (i && offers->list[below->offer_of[i - 1]].node == offer->node) {
		below->with[i - 1].most = MAX(below->with[i - 1].most, holds);
		return;
	}
	below->count++;
	below->offer_of[i] = index;
	below->with[i].most = holds;
	below->nodes[i] = (struct tb_reach_node){
		.required = required && bit_test(required, offer->node),
		.with = &below->with[i],
		.group = tb_network_group(&below->groups, offer->node),
	};
}

static bool holds_on_few(struct below *below, const struct tb_test *test)
{
	const struct tb_reach_job job = {
		.min_nodes = MAX(test->min_nodes, 1),
		.max_nodes = test->max_nodes,
		.slots = tb_job_slots(test->job),
	};

	return tb_reach_few_groups(below->nodes, below->count, &job,
				   below->groups.count,
				   test->job->req_switch) == TB_REACHED;
}

static bool leave_out_others(const struct below *below,
			     const struct tb_offers *offers, bitstr_t *nodes)
{
	bool left_out = false;

	for (uint32_t i = 0; i < below->count; i++) {
		uint32_t node = offers->list[below->offer_of[i]].node;

		if (below->nodes[i].slots)
			continue;
		bit_clear(nodes, node);
		left_out = true;
	}
	return left_out;
}

bool tb_switch_reach(const struct tb_offers *offers, const struct tb_test *test,
		     uint32_t first, uint32_t end, bitstr_t *nodes)
{
	struct below below = { .count = 0 };
	bool left_out;

	if (!test->job->req_switch || test->implicit_cpus)
		return false;
	below.nodes = xcalloc(end - first + 1, sizeof(*below.nodes));
	below.with = xcalloc(end - first + 1, sizeof(*below.with));
	below.offer_of = xcalloc(end - first + 1, sizeof(*below.offer_of));
	for (uint32_t i = first; i < end; i++)
		if (bit_test(nodes, offers->list[i].node))
			add_node(&below, offers, test, i);
	left_out = holds_on_few(&below, test) &&
		   leave_out_others(&below, offers, nodes);
	xfree(below.nodes);
	xfree(below.with);
	xfree(below.offer_of);
	tb_network_groups_clear(&below.groups);
	return left_out;
}
