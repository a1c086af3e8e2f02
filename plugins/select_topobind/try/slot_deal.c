/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slot_deal.h"

#include "src/common/job_resources.h"
#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "select_topobind/nodes/core_bits.h"
#include "select_topobind/nodes/job_nodes.h"

#include "scale.h"

/* Offers of a class lie in the order of their nodes. */
static const struct tb_offer *
find_offer(struct tb_offers *offers, uint32_t node, uint32_t *at, uint32_t end)
{
	while (*at < end && offers->list[*at].node < node)
		(*at)++;
	return *at < end && offers->list[*at].node == node ? &offers->list[*at]
							   : NULL;
}

/* Its tasks on the node; CPUs can be rounded up to whole cores. */
static uint32_t count_given_slots(const job_resources_t *allocated,
				  uint32_t index, uint32_t cpus_per_slot)
{
	if (allocated->tasks_per_node && allocated->tasks_per_node[index])
		return allocated->tasks_per_node[index];
	return allocated->cpus[index] / cpus_per_slot;
}

struct tb_slot_deal *tb_slot_deal_of_allocation(struct tb_offers *offers,
						const struct tb_test *test,
						uint32_t first, uint32_t end)
{
	const job_resources_t *allocated = test->job->job_resrcs;
	struct tb_slot_deal *deal = xmalloc(sizeof(*deal));
	struct tb_allocated_node at = { 0 };

	deal->parts = xcalloc(allocated->nhosts + 1, sizeof(*deal->parts));
	while (tb_allocated_node_next(allocated, &at)) {
		const struct tb_offer *offer = find_offer(offers, at.node,
							  &first, end);
		struct tb_slot_deal_part *part = &deal->parts[deal->count++];

		part->node = at.node;
		part->unit_size = offer ? offer->unit_size : 0;
		part->most = offer ? offer->slots : 0;
		part->slots = offers->request->type == TB_HOST || !offer
				      ? 1
				      : count_given_slots(allocated, at.index,
							  offer->cpus);
	}
	return deal;
}

void tb_slot_deal_destroy(struct tb_slot_deal *deal)
{
	if (!deal)
		return;
	xfree(deal->parts);
	xfree(deal);
}

static uint32_t take_all_slots(struct tb_slot_deal *deal)
{
	uint32_t slots = 0;

	for (uint32_t i = 0; i < deal->count; i++) {
		slots += deal->parts[i].slots;
		deal->parts[i].slots = 0;
	}
	return slots;
}

static void deal_slots(struct tb_slot_deal *deal, uint32_t left)
{
	bool dealt = true;

	while (left && dealt) {
		dealt = false;
		for (uint32_t i = 0; i < deal->count && left; i++) {
			struct tb_slot_deal_part *part = &deal->parts[i];

			if (part->slots >= part->most)
				continue;
			part->slots++;
			left--;
			dealt = true;
		}
	}
}

void tb_slot_deal_even_out(struct tb_slot_deal *deal, uint32_t most)
{
	uint32_t slots = take_all_slots(deal);

	/* A node of --ntasks-per-node is given as many, whatever -n says. */
	deal_slots(deal, most ? MIN(most, slots) : slots);
}

/* Place the part anew: its cores, valid until the next part; NULL: no room. */
static const struct tb_bitset *place_part(const struct tb_slot_deal_part *part,
					  struct tb_offers *offers,
					  const struct tb_test *test)
{
	const struct tb_offer offer = { .node = part->node,
					.unit_size = part->unit_size };
	struct tb_shape *shape = tb_node_shape(part->node);
	const struct tb_placed *placed;

	if (!shape || !part->slots)
		return NULL;
	placed = tb_offers_place(offers, test, &offer, shape, part->slots);
	return placed->slots < part->slots ? NULL : &placed->cores;
}

bool tb_slot_deal_allow(struct tb_slot_deal *deal, struct tb_offers *offers,
			const struct tb_test *test, struct tb_mask *mask)
{
	uint32_t per_task = MAX(test->job->details->cpus_per_task, 1);
	bool alike = true;

	deal->cpus = 0;
	deal->least = UINT32_MAX;
	deal->odd = false;
	deal->per_slot = 0;
	for (uint32_t i = 0; i < deal->count; i++) {
		const struct tb_slot_deal_part *part = &deal->parts[i];
		const struct tb_bitset *cores = place_part(part, offers, test);
		uint32_t cpus;

		if (!cores)
			return false;
		tb_allow_cores(part->node, cores, mask);
		cpus = tb_bitset_count(cores) *
		       tb_cpus_per_core(test->job, part->node);
		deal->cpus += cpus;
		deal->least = MIN(deal->least, cpus);
		deal->odd = deal->odd || cpus % per_task;
		alike = alike && cpus == part->slots * (i ? deal->per_slot
							  : cpus / part->slots);
		deal->per_slot = cpus / part->slots;
	}
	if (!alike)
		deal->per_slot = 0;
	return true;
}

static bool cores_are_granted(const struct tb_bitset *cores,
			      const job_resources_t *allocated, uint32_t first)
{
	for (uint32_t core = 0; core < cores->nbits; core++)
		if (tb_bitset_test(cores, core) !=
		    (bit_test(allocated->core_bitmap, first + core) != 0))
			return false;
	return true;
}

bool tb_slot_deal_is_granted(const struct tb_slot_deal *deal,
			     struct tb_offers *offers,
			     const struct tb_test *test)
{
	const job_resources_t *allocated = test->job->job_resrcs;
	uint32_t first = 0;

	if (deal->count != allocated->nhosts)
		return false;
	for (uint32_t i = 0; i < deal->count; i++) {
		const struct tb_bitset *cores = place_part(&deal->parts[i],
							   offers, test);

		if (!cores ||
		    !bit_test(allocated->node_bitmap, deal->parts[i].node) ||
		    !cores_are_granted(cores, allocated, first))
			return false;
		first += cores->nbits;
	}
	return true;
}

bool tb_slot_deal_select_devices(const struct tb_slot_deal *deal,
				 struct tb_offers *offers,
				 const struct tb_test *test)
{
	tb_devices_count_selected(offers->devices);
	if (!tb_slot_deal_is_granted(deal, offers, test))
		return false;
	for (uint32_t i = 0; i < deal->count; i++) {
		place_part(&deal->parts[i], offers, test);
		tb_devices_select(offers->devices, deal->parts[i].node);
	}
	return true;
}

/* The first offer of each chosen node, with the job's slots. */
static struct tb_slot_deal *deal_offers(struct tb_offers *offers,
					const struct tb_test *test)
{
	struct tb_slot_deal *deal = xmalloc(sizeof(*deal));
	bitstr_t *seen = bit_alloc(tb_node_count());

	deal->parts = xcalloc(offers->count + 1, sizeof(*deal->parts));
	for (uint32_t i = 0; i < offers->count; i++) {
		const struct tb_offer *offer = &offers->list[i];

		if (bit_test(seen, offer->node))
			continue;
		bit_set(seen, offer->node);
		deal->parts[deal->count++] = (struct tb_slot_deal_part){
			.node = offer->node,
			.unit_size = offer->unit_size,
			.most = offer->slots
		};
	}
	FREE_NULL_BITMAP(seen);
	deal_slots(deal, offers->request->type == TB_HOST
				 ? deal->count
				 : tb_job_slots(test->job));
	return deal;
}

static bool add_cores(const struct tb_slot_deal_part *part,
		      struct tb_offers *offers, const struct tb_test *test,
		      bitstr_t *cores)
{
	const struct tb_bitset *placed = place_part(part, offers, test);

	if (placed)
		tb_cores_to_bits(placed, cores, tb_node_first_core(part->node));
	return placed;
}

bitstr_t *tb_slot_deal_cores(const struct tb_test *test,
			     const struct tb_request *request,
			     const struct tb_view *view, bitstr_t *nodes)
{
	bitstr_t *cores = bit_alloc(tb_all_cores());
	struct tb_test call = *test;
	struct tb_offers *offers;
	struct tb_slot_deal *deal;
	bool whole = true;

	call.nodes = nodes;
	offers = tb_offers_create(&call, request, view);
	deal = deal_offers(offers, &call);
	for (uint32_t i = 0; i < deal->count; i++)
		whole = whole &&
			add_cores(&deal->parts[i], offers, &call, cores);
	if (!whole || deal->count != (uint32_t)bit_set_count(nodes))
		FREE_NULL_BITMAP(cores);
	tb_slot_deal_destroy(deal);
	tb_offers_destroy(offers);
	return cores;
}
