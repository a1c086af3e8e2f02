/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slot_deal.h"

#include "src/common/job_resources.h"
#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "select_topobind/nodes/core_bits.h"
#include "select_topobind/nodes/job_nodes.h"

#include "offer_placement.h"
#include "offer_sets.h"
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

struct tb_slot_deal *tb_slot_deal_create(uint32_t nodes)
{
	struct tb_slot_deal *deal = xmalloc(sizeof(*deal));

	deal->parts = xcalloc(nodes + 1, sizeof(*deal->parts));
	deal->dealt = xcalloc(nodes + 1, sizeof(*deal->dealt));
	return deal;
}

/* offer NULL: the node has none. */
static void add_part(struct tb_slot_deal *deal, uint32_t node,
		     const struct tb_offer *offer, uint32_t slots)
{
	deal->parts[deal->count].node = node;
	deal->parts[deal->count].unit_size = offer ? offer->unit_size : 0;
	deal->parts[deal->count].unequal = offer ? offer->unequal : 0;
	deal->parts[deal->count].whole = offer && offer->whole;
	deal->dealt[deal->count].slots = slots;
	deal->dealt[deal->count].most = offer ? offer->slots : 0;
	deal->count++;
}

void tb_slot_deal_add(struct tb_slot_deal *deal, const struct tb_offer *offer,
		      uint32_t slots, uint32_t devices)
{
	deal->parts[deal->count].devices = devices;
	deal->with_devices = true;
	add_part(deal, offer->node, offer, slots);
}

void tb_slot_deal_begin_devices(const struct tb_slot_deal *deal,
				struct tb_devices *devices)
{
	tb_devices_begin_deal(devices);
	for (uint32_t i = 0; i < deal->count; i++)
		tb_devices_deal(devices, deal->parts[i].node,
				deal->parts[i].devices);
}

uint32_t tb_slot_deal_fewest_devices(const struct tb_slot_deal *deal)
{
	uint32_t fewest = UINT32_MAX;

	for (uint32_t i = 0; i < deal->count; i++)
		fewest = MIN(fewest, deal->parts[i].devices);
	return fewest;
}

struct tb_slot_deal *tb_slot_deal_of_allocation(struct tb_offers *offers,
						const struct tb_test *test,
						uint32_t first, uint32_t end)
{
	const job_resources_t *allocated = test->job->job_resrcs;
	struct tb_slot_deal *deal = tb_slot_deal_create(allocated->nhosts);
	struct tb_allocated_node at = { 0 };

	while (tb_allocated_node_next(allocated, &at)) {
		const struct tb_offer *offer = find_offer(offers, at.node,
							  &first, end);
		uint32_t slots = 1;

		if (offers->request->type == TB_SLOT && offer)
			slots = count_given_slots(allocated, at.index,
						  offer->cpus);
		add_part(deal, at.node, offer, slots);
	}
	return deal;
}

void tb_slot_deal_destroy(struct tb_slot_deal *deal)
{
	if (!deal)
		return;
	xfree(deal->parts);
	xfree(deal->dealt);
	xfree(deal);
}

/* Returns how many slots the parts had. */
static uint32_t take_all_slots(struct tb_slot_deal *deal)
{
	uint32_t slots = 0;

	for (uint32_t i = 0; i < deal->count; i++) {
		slots += deal->dealt[i].slots;
		deal->dealt[i].slots = 0;
	}
	return slots;
}

void tb_slot_deal_even_out(struct tb_slot_deal *deal, uint32_t most)
{
	/* A node of --ntasks-per-node is given as many, whatever -n says. */
	tb_deal(deal->dealt, deal->count,
		tb_deal_limit(take_all_slots(deal), most));
}

/* Place a part anew: its cores, valid until the next part; NULL: no room. */
static const struct tb_bitset *place_part(const struct tb_slot_deal *deal,
					  uint32_t index,
					  struct tb_offers *offers,
					  const struct tb_test *test)
{
	const struct tb_slot_deal_part *part = &deal->parts[index];
	uint32_t slots = deal->dealt[index].slots;
	const struct tb_offer offer = { .node = part->node,
					.unit_size = part->unit_size,
					.unequal = part->unequal,
					.whole = part->whole };
	struct tb_shape *shape = tb_node_shape(part->node);
	const struct tb_placed *placed;

	if (!shape || !slots)
		return NULL;
	placed = tb_offers_place(offers, test, &offer, shape, slots);
	return placed->slots < slots ? NULL : &placed->cores;
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
		const struct tb_bitset *cores = place_part(deal, i, offers,
							   test);
		uint32_t node = deal->parts[i].node;
		uint32_t slots = deal->dealt[i].slots, cpus;

		if (!cores)
			return false;
		tb_allow_cores(node, cores, mask);
		cpus = tb_bitset_count(cores) *
		       tb_cpus_per_core(test->job, node);
		deal->cpus += cpus;
		deal->least = MIN(deal->least, cpus);
		deal->odd = deal->odd || cpus % per_task ||
			    deal->parts[i].unequal;
		alike = alike &&
			cpus == slots * (i ? deal->per_slot : cpus / slots);
		deal->per_slot = cpus / slots;
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
		const struct tb_bitset *cores = place_part(deal, i, offers,
							   test);

		if (!cores ||
		    !bit_test(allocated->node_bitmap, deal->parts[i].node) ||
		    !cores_are_granted(cores, allocated, first))
			return false;
		first += cores->nbits;
	}
	return true;
}

static bool select_on_each(const struct tb_slot_deal *deal,
			   struct tb_offers *offers, const struct tb_test *test,
			   bool (*select)(struct tb_devices *, uint32_t))
{
	bool all = true;

	for (uint32_t i = 0; i < deal->count; i++) {
		place_part(deal, i, offers, test);
		all = select(offers->devices, deal->parts[i].node) && all;
	}
	return all;
}

bool tb_slot_deal_select_dealt(const struct tb_slot_deal *deal,
			       struct tb_offers *offers,
			       const struct tb_test *test)
{
	return select_on_each(deal, offers, test, tb_devices_select_dealt);
}

bool tb_slot_deal_select_devices(const struct tb_slot_deal *deal,
				 struct tb_offers *offers,
				 const struct tb_test *test)
{
	tb_devices_count_selected(offers->devices);
	if (!tb_slot_deal_is_granted(deal, offers, test))
		return false;
	select_on_each(deal, offers, test, tb_devices_select);
	return true;
}

/* The first offer of each chosen node, with the job's slots. */
static struct tb_slot_deal *deal_offers(struct tb_offers *offers,
					const struct tb_test *test)
{
	struct tb_slot_deal *deal = tb_slot_deal_create(offers->count);
	bitstr_t *seen = bit_alloc(tb_node_count());

	for (uint32_t i = 0; i < offers->count; i++) {
		const struct tb_offer *offer = &offers->list[i];

		if (bit_test(seen, offer->node))
			continue;
		bit_set(seen, offer->node);
		add_part(deal, offer->node, offer, 0);
	}
	FREE_NULL_BITMAP(seen);
	tb_deal(deal->dealt, deal->count,
		offers->request->type == TB_HOST ? deal->count
						 : tb_job_slots(test->job));
	return deal;
}

static bool add_cores(const struct tb_slot_deal *deal, uint32_t index,
		      struct tb_offers *offers, const struct tb_test *test,
		      bitstr_t *cores)
{
	const struct tb_bitset *placed = place_part(deal, index, offers, test);

	if (placed)
		tb_cores_to_bits(placed, cores,
				 tb_node_first_core(deal->parts[index].node));
	return placed;
}

bitstr_t *tb_slot_deal_bits(const struct tb_slot_deal *deal,
			    struct tb_offers *offers,
			    const struct tb_test *test)
{
	bitstr_t *cores = bit_alloc(tb_all_cores());
	bool whole = true;

	for (uint32_t i = 0; whole && i < deal->count; i++)
		whole = add_cores(deal, i, offers, test, cores);
	if (!whole)
		FREE_NULL_BITMAP(cores);
	return cores;
}

bitstr_t *tb_slot_deal_cores(const struct tb_test *test,
			     const struct tb_request *request,
			     const struct tb_view *view, bitstr_t *nodes)
{
	bitstr_t *cores = NULL;
	struct tb_test call = *test;
	struct tb_offers *offers;
	struct tb_slot_deal *deal;

	call.nodes = nodes;
	offers = tb_offers_create(&call, request, view);
	deal = deal_offers(offers, &call);
	if (deal->count == (uint32_t)bit_set_count(nodes))
		cores = tb_slot_deal_bits(deal, offers, &call);
	tb_slot_deal_destroy(deal);
	tb_offers_destroy(offers);
	return cores;
}
