/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include "src/common/job_resources.h"
#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "scale.h"

/* Offers of a class lie in the order of their nodes. */
static const struct tb_offer *offer_of(struct tb_offers *offers,
				       uint32_t node, uint32_t *at,
				       uint32_t end)
{
	while (*at < end && offers->list[*at].node < node)
		(*at)++;
	return *at < end && offers->list[*at].node == node ? &offers->list[*at]
							   : NULL;
}

/* Tasks of a node; CPUs say it too, but can be rounded up to whole cores. */
static uint32_t slots_given(const job_resources_t *allocated, uint32_t index,
			    uint32_t cpus_per_slot)
{
	if (allocated->tasks_per_node && allocated->tasks_per_node[index])
		return allocated->tasks_per_node[index];
	return allocated->cpus[index] / cpus_per_slot;
}

struct tb_plan *tb_plan_of_allocation(struct tb_offers *offers,
				      const struct tb_test *test,
				      uint32_t first, uint32_t end)
{
	const job_resources_t *allocated = test->job->job_resrcs;
	struct tb_plan *plan = xmalloc(sizeof(*plan));

	plan->parts = xcalloc(allocated->nhosts + 1, sizeof(*plan->parts));
	for (uint32_t node = 0; node < tb_node_count(); node++) {
		const struct tb_offer *offer;
		struct tb_plan_part *part = &plan->parts[plan->count];

		if (!bit_test(allocated->node_bitmap, node))
			continue;
		offer = offer_of(offers, node, &first, end);
		part->node = node;
		part->unit_size = offer ? offer->unit_size : 0;
		part->most = offer ? offer->slots : 0;
		part->slots = offers->request->type == TB_HOST || !offer
			? 1 : slots_given(allocated, plan->count, offer->cpus);
		plan->count++;
	}
	return plan;
}

void tb_plan_destroy(struct tb_plan *plan)
{
	if (!plan)
		return;
	xfree(plan->parts);
	xfree(plan);
}

static uint32_t take_all_slots(struct tb_plan *plan)
{
	uint32_t slots = 0;

	for (uint32_t i = 0; i < plan->count; i++) {
		slots += plan->parts[i].slots;
		plan->parts[i].slots = 0;
	}
	return slots;
}

static void deal_out(struct tb_plan *plan, uint32_t left)
{
	bool dealt = true;

	while (left && dealt) {
		dealt = false;
		for (uint32_t i = 0; i < plan->count && left; i++) {
			struct tb_plan_part *part = &plan->parts[i];

			if (part->slots >= part->most)
				continue;
			part->slots++;
			left--;
			dealt = true;
		}
	}
}

void tb_plan_even_out(struct tb_plan *plan)
{
	deal_out(plan, take_all_slots(plan));
}

/* Place the part anew: its cores, valid until the next part; NULL: no room. */
static const struct tb_bitset *place_part(const struct tb_plan_part *part,
					  struct tb_offers *offers,
					  const struct tb_test *test)
{
	const struct tb_offer offer = {
		.node = part->node, .unit_size = part->unit_size
	};
	struct tb_shape *shape = tb_node_shape(part->node);
	const struct tb_placed *placed;

	if (!shape || !part->slots)
		return NULL;
	placed = tb_offers_place(offers, test, &offer, shape, part->slots);
	return placed->slots < part->slots ? NULL : &placed->cores;
}

bool tb_plan_allow(struct tb_plan *plan, struct tb_offers *offers,
		   const struct tb_test *test, struct tb_mask *mask)
{
	uint32_t per_task = MAX(test->job->details->cpus_per_task, 1);
	bool alike = true;

	plan->cpus = 0;
	plan->odd = false;
	plan->per_slot = 0;
	for (uint32_t i = 0; i < plan->count; i++) {
		const struct tb_plan_part *part = &plan->parts[i];
		const struct tb_bitset *cores = place_part(part, offers, test);
		uint32_t cpus;

		if (!cores)
			return false;
		tb_allow_cores(part->node, cores, mask);
		cpus = tb_bitset_count(cores) *
		       tb_cpus_per_core(test->job, part->node);
		plan->cpus += cpus;
		plan->odd = plan->odd || cpus % per_task;
		alike = alike && cpus == part->slots * (i ? plan->per_slot :
							cpus / part->slots);
		plan->per_slot = cpus / part->slots;
	}
	if (!alike)
		plan->per_slot = 0;
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

bool tb_plan_is_granted(const struct tb_plan *plan,
			struct tb_offers *offers,
			const struct tb_test *test)
{
	const job_resources_t *allocated = test->job->job_resrcs;
	uint32_t first = 0;

	if (plan->count != allocated->nhosts)
		return false;
	for (uint32_t i = 0; i < plan->count; i++) {
		const struct tb_bitset *cores =
			place_part(&plan->parts[i], offers, test);

		if (!cores ||
		    !bit_test(allocated->node_bitmap, plan->parts[i].node) ||
		    !cores_are_granted(cores, allocated, first))
			return false;
		first += cores->nbits;
	}
	return true;
}

bool tb_plan_select_devices(const struct tb_plan *plan,
			    struct tb_offers *offers,
			    const struct tb_test *test)
{
	tb_devices_count_selected(offers->devices);
	if (!tb_plan_is_granted(plan, offers, test))
		return false;
	for (uint32_t i = 0; i < plan->count; i++) {
		place_part(&plan->parts[i], offers, test);
		tb_devices_select(offers->devices, plan->parts[i].node);
	}
	return true;
}

/* The first offer of each chosen node, with the job's slots. */
static struct tb_plan *plan_of_offers(struct tb_offers *offers,
				      const struct tb_test *test)
{
	struct tb_plan *plan = xmalloc(sizeof(*plan));
	bitstr_t *seen = bit_alloc(tb_node_count());

	plan->parts = xcalloc(offers->count + 1, sizeof(*plan->parts));
	for (uint32_t i = 0; i < offers->count; i++) {
		const struct tb_offer *offer = &offers->list[i];

		if (bit_test(seen, offer->node))
			continue;
		bit_set(seen, offer->node);
		plan->parts[plan->count++] = (struct tb_plan_part) {
			.node = offer->node,
			.unit_size = offer->unit_size,
			.most = offer->slots
		};
	}
	FREE_NULL_BITMAP(seen);
	deal_out(plan, offers->request->type == TB_HOST
			       ? plan->count : tb_job_slots(test->job));
	return plan;
}

static bool add_cores(const struct tb_plan_part *part,
		      struct tb_offers *offers,
		      const struct tb_test *test, bitstr_t *cores)
{
	const struct tb_bitset *placed = place_part(part, offers, test);
	uint32_t first = tb_node_first_core(part->node);

	for (unsigned core = placed ? tb_bitset_next(placed, 0) : 0;
	     placed && core < placed->nbits;
	     core = tb_bitset_next(placed, core + 1))
		bit_set(cores, first + core);
	return placed;
}

bitstr_t *tb_plan_cores(const struct tb_test *test,
			const struct tb_request *request,
			const struct tb_view *view, bitstr_t *nodes)
{
	bitstr_t *cores = bit_alloc(tb_all_cores());
	struct tb_test call = *test;
	struct tb_offers *offers;
	struct tb_plan *plan;
	bool whole = true;

	call.nodes = nodes;
	offers = tb_offers_create(&call, request, view);
	plan = plan_of_offers(offers, &call);
	for (uint32_t i = 0; i < plan->count; i++)
		whole = whole && add_cores(&plan->parts[i], offers, &call,
					   cores);
	if (!whole || plan->count != (uint32_t)bit_set_count(nodes))
		FREE_NULL_BITMAP(cores);
	tb_plan_destroy(plan);
	tb_offers_destroy(offers);
	return cores;
}
