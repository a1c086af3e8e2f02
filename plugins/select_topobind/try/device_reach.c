/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device_reach.c - what each kind of node can have is found by placing; nodes that
 * share a remembered placement are of one kind
 */
#include "device_reach.h"

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "core/plan/halving.h"

#include "scale.h"

/* So many kinds are looked at; each takes some placements. */
#define KINDS_MAX 16
/* Of one kind so many nodes, and devices of a node. */
#define ALIKE_MAX 1024
#define DEVICES_MAX 64

struct kind {
	const struct tb_placed *placed; /* NULL: of one node */
	uint32_t slots;			/* of the offer */
	uint32_t taken;			/* nodes of this kind */
	uint32_t devices;
	struct tb_reach_range with[DEVICES_MAX + 1];
};

struct reach {
	struct tb_offers *offers;
	const struct tb_test *test;
	struct tb_devices_asked asked;
	uint32_t each; /* slots that a node must have; 0: any number */
	struct tb_reach_job job;
	struct kind *kinds;
	uint32_t nkinds;
	struct tb_reach_node *nodes;
	uint32_t *offer_of; /* each of these nodes */
	uint32_t count;
	bool complete; /* all nodes were looked at */
};

/* --- one node ------------------------------------------------------------------ */

struct probe {
	const struct reach *reach;
	struct tb_offer offer;
};

/* How many of the slots can it have?  TB_HOST: is it a host, 1 or 0? */
static uint32_t place(const struct probe *probe, uint32_t slots)
{
	const struct reach *reach = probe->reach;

	return MIN(slots,
		   tb_offers_place(reach->offers, reach->test, &probe->offer,
				   tb_node_shape(probe->offer.node), slots)
			   ->slots);
}

static bool all_fit(void *arg, uint32_t slots)
{
	return place(arg, slots) == slots;
}

static struct tb_reach_range find_slot_range(struct probe *probe)
{
	uint32_t each = probe->reach->each;
	struct tb_reach_range range = { each, each };

	if (each) {
		range.most = all_fit(probe, each) ? each : 0;
		return range;
	}
	range.most = place(probe, probe->offer.slots);
	range.least = range.most ? tb_halve_least(all_fit, probe, 1, range.most,
						  UINT32_MAX)
				 : 0;
	return range;
}

/* Tasks of a host share its units, which are near its devices, or are not. */
static struct tb_reach_range find_host_range(struct probe *probe)
{
	const struct reach *reach = probe->reach;
	struct tb_reach_range range = { 1, 0 };

	if (place(probe, 1))
		range.most = reach->each ? reach->each
					 : tb_offer_holds(reach->offers,
							  reach->test,
							  &probe->offer);
	if (reach->each)
		range.least = reach->each;
	return range;
}

static struct tb_reach_range find_range(const struct reach *reach,
					const struct tb_offer *offer,
					uint32_t devices)
{
	struct probe probe = { reach, *offer };

	probe.offer.devices = devices;
	return reach->offers->request->type == TB_HOST
		       ? find_host_range(&probe)
		       : find_slot_range(&probe);
}

/* Its free devices; some placement there finds them. */
static uint32_t count_devices(const struct reach *reach,
			      const struct tb_offer *offer)
{
	tb_offers_place(reach->offers, reach->test, offer,
			tb_node_shape(offer->node), 1);
	return tb_devices_free(reach->offers->devices);
}

static void look_at_node(struct reach *reach, const struct tb_offer *offer,
			 struct kind *kind)
{
	if (reach->asked.per_node) {
		kind->with[0] = find_range(reach, offer, 0);
		return;
	}
	kind->devices = MIN(count_devices(reach, offer), reach->asked.per_job);
	if (kind->devices > DEVICES_MAX) {
		kind->devices = DEVICES_MAX;
		reach->complete = false;
	}
	/* Devices that Slurm only counts are near all units. */
	if (!kind->devices)
		reach->complete = false;
	for (uint32_t i = 1; i <= kind->devices; i++)
		kind->with[i] = find_range(reach, offer, i);
}

/* --- all nodes ----------------------------------------------------------------- */

static struct kind *find_kind(struct reach *reach, const struct tb_offer *offer)
{
	struct kind *kind = reach->kinds;

	while (offer->placed && kind < reach->kinds + reach->nkinds) {
		if (kind->placed == offer->placed &&
		    kind->slots == offer->slots)
			return kind;
		kind++;
	}
	if (reach->nkinds == KINDS_MAX)
		return NULL;
	kind = &reach->kinds[reach->nkinds++];
	kind->placed = offer->placed;
	kind->slots = offer->slots;
	look_at_node(reach, offer, kind);
	return kind;
}

static bool is_required(const struct reach *reach, uint32_t node)
{
	bitstr_t *required = reach->test->job->details->req_node_bitmap;

	return required && bit_test(required, node);
}

/* More nodes of a kind than the job can have are not needed. */
static void add_node(struct reach *reach, uint32_t index)
{
	const struct tb_offer *offer = &reach->offers->list[index];
	bool required = is_required(reach, offer->node);
	struct kind *kind;

	if (!tb_gres_node_has_all(reach->test->job, offer->node))
		return;
	kind = find_kind(reach, offer);
	if (!kind) {
		reach->complete = false;
		return;
	}
	if (!required && kind->taken >= reach->job.max_nodes)
		return;
	if (kind->taken >= ALIKE_MAX) {
		reach->complete = false;
		return;
	}
	kind->taken++;
	reach->offer_of[reach->count] = index;
	reach->nodes[reach->count++] = (struct tb_reach_node){
		.required = required,
		.devices = kind->devices,
		.with = kind->with,
	};
}

static bool begin(struct reach *reach, struct tb_offers *offers,
		  const struct tb_test *test, uint32_t nodes)
{
	*reach = (struct reach){ .offers = offers,
				 .test = test,
				 .complete = true };
	if (test->implicit_cpus || !offers->devices ||
	    !tb_devices_asked_near(offers->devices, &reach->asked) ||
	    reach->asked.per_job >= UINT32_MAX)
		return false;
	reach->job = (struct tb_reach_job){
		.devices = reach->asked.per_node ? 0 : reach->asked.per_job
	};
	reach->kinds = xcalloc(MIN(nodes, KINDS_MAX) + 1,
			       sizeof(*reach->kinds));
	reach->nodes = xcalloc(nodes + 1, sizeof(*reach->nodes));
	reach->offer_of = xcalloc(nodes + 1, sizeof(*reach->offer_of));
	return true;
}

static void end(struct reach *reach)
{
	xfree(reach->kinds);
	xfree(reach->nodes);
	xfree(reach->offer_of);
}

/* Some nodes that were not looked at could do what the others cannot. */
static enum tb_reached find(struct reach *reach)
{
	enum tb_reached reached = tb_reach(reach->nodes, reach->count,
					   &reach->job);

	return reached == TB_NOT_REACHED && !reach->complete ? TB_REACH_UNKNOWN
							     : reached;
}

static void set_nodes(const struct reach *reach, bitstr_t *nodes)
{
	bit_clear_all(nodes);
	for (uint32_t i = 0; i < reach->count; i++)
		if (reach->nodes[i].slots)
			bit_set(nodes,
				reach->offers->list[reach->offer_of[i]].node);
}

enum tb_reached tb_device_reach(struct tb_offers *offers,
				const struct tb_test *test, uint32_t first,
				uint32_t end_of_class, bitstr_t *nodes)
{
	const job_details_t *details = test->job->details;
	enum tb_reached reached;
	struct reach reach;

	if (test->max_nodes < 2 || tb_job_is_asked_in_part(test->job) ||
	    !begin(&reach, offers, test, end_of_class - first))
		return TB_REACH_UNKNOWN;
	tb_devices_forget_selected(offers->devices);
	reach.job.min_nodes = test->min_nodes;
	reach.job.max_nodes = test->max_nodes;
	/* With --overcommit all tasks of a node share a slot. */
	if (!details->overcommit)
		reach.job.slots = tb_job_exact_slots(test->job);
	if (!reach.job.slots)
		reach.each = details->overcommit
				     ? 1
				     : MAX(details->ntasks_per_node, 1);
	if (reach.job.slots)
		reach.job.max_nodes = MIN(reach.job.max_nodes, reach.job.slots);
	for (uint32_t i = first; i < end_of_class; i++)
		add_node(&reach, i);
	reached = find(&reach);
	if (reached == TB_REACHED && nodes)
		set_nodes(&reach, nodes);
	end(&reach);
	return reached;
}

/* --- nodes that are chosen ------------------------------------------------------ */

/* Placements there go by the numbers that are selected for the job. */
static struct tb_reach_range find_range_of_part(const struct reach *reach,
						const struct tb_offer *offer,
						uint32_t devices)
{
	tb_devices_move(reach->offers->devices, offer->node, devices);
	return find_range(reach, offer, devices);
}

static void look_at_part(const struct reach *reach,
			 const struct tb_slot_deal *deal, uint32_t index,
			 struct kind *kind)
{
	const struct tb_offer offer = {
		.node = deal->parts[index].node,
		.slots = deal->dealt[index].most,
		.unit_size = deal->parts[index].unit_size,
	};
	uint32_t selected = tb_devices_selected(reach->offers->devices,
						offer.node);

	/* Memory goes with the devices. */
	kind->devices = reach->asked.per_node || reach->test->job->mem_per_tres
				? selected
				: MIN(count_devices(reach, &offer),
				      reach->job.devices);
	kind->devices = MIN(kind->devices, DEVICES_MAX);
	for (uint32_t i = 1; i <= kind->devices; i++)
		if (i == selected ||
		    !(reach->asked.per_node || reach->test->job->mem_per_tres))
			kind->with[i] = find_range_of_part(reach, &offer, i);
	tb_devices_move(reach->offers->devices, offer.node, selected);
}

static void look_at_parts(struct reach *reach, const struct tb_slot_deal *deal)
{
	uint32_t slots = 0;

	for (uint32_t i = 0; i < deal->count; i++)
		reach->job.devices += tb_devices_selected(reach->offers->devices,
							  deal->parts[i].node);
	for (uint32_t i = 0; i < deal->count; i++) {
		look_at_part(reach, deal, i, &reach->kinds[i]);
		reach->nodes[i] = (struct tb_reach_node){
			.required = true,
			.devices = reach->kinds[i].devices,
			.with = reach->kinds[i].with,
		};
		slots += deal->dealt[i].slots;
	}
	reach->count = deal->count;
	reach->job.slots = reach->each ? 0 : slots;
	reach->job.min_nodes = reach->job.max_nodes = deal->count;
}

static void deal_as_found(const struct reach *reach, struct tb_slot_deal *deal)
{
	for (uint32_t i = 0; i < deal->count; i++) {
		deal->dealt[i].slots = reach->nodes[i].slots;
		tb_devices_move(reach->offers->devices, deal->parts[i].node,
				reach->nodes[i].has);
	}
}

bool tb_device_reach_deal(struct tb_slot_deal *deal, struct tb_offers *offers,
			  const struct tb_test *test)
{
	struct reach reach;
	bool found;

	if (deal->count > KINDS_MAX ||
	    !begin(&reach, offers, test, deal->count))
		return false;
	reach.job.devices = 0;
	reach.each = offers->request->type == TB_HOST;
	look_at_parts(&reach, deal);
	found = find(&reach) == TB_REACHED;
	if (found)
		deal_as_found(&reach, deal);
	end(&reach);
	return found;
}
