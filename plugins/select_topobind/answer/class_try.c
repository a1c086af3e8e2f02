/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "class_try.h"

#include "src/common/job_resources.h"
#include "src/common/macros.h"

#include "compat/select_gres.h"
#include "core/plan/halving.h"

#include "passes.h"
#include "select_topobind/order/node_order.h"
#include "select_topobind/order/offer_order.h"
#include "select_topobind/try/device_reach.h"
#include "select_topobind/try/offer_sets.h"
#include "select_topobind/try/scale.h"
#include "select_topobind/try/slot_deal.h"
#include "select_topobind/try/switch_reach.h"

/*
 * Of hosts that differ select/cons_tres is asked for the CPUs of the smallest, with
 * memory for these: here for the CPUs of each.  Who is preempted gives some back.
 */
static bitstr_t *list_class_nodes(const struct tb_offers *offers,
				  const struct tb_test *test, uint32_t first,
				  uint32_t end)
{
	bitstr_t *nodes = bit_alloc(tb_node_count());
	bool counted = offers->request->type == TB_HOST &&
		       test->job->details->pn_min_memory & MEM_PER_CPU;
	bool now = counted && tb_test_mode(test) == TB_RUN_NOW &&
		   !test->preemptees;

	if (now)
		tb_nodes_look_at_memory();
	for (uint32_t i = first; i < end; i++) {
		const struct tb_offer *offer = &offers->list[i];
		uint64_t in_use = now ? tb_node_memory_in_use(offer->node) : 0;

		if (!counted || !tb_offer_lacks_memory(test, offer, in_use))
			bit_set(nodes, offer->node);
	}
	return nodes;
}

static bool includes_required_nodes(const struct tb_test *test,
				    const bitstr_t *nodes)
{
	bitstr_t *required = test->job->details->req_node_bitmap;

	return !required || bit_super_set(required, (bitstr_t *)nodes);
}

/* Of whole nodes: each asks for twice as many nodes. */
#define LARGE_NODES_TRIES 4

/* Cores between the slots, or of another kind, are no slots. */
static bool nodes_hold_slots(const struct tb_offers *offers,
			     const struct tb_test *test, uint32_t first,
			     uint32_t end, const bitstr_t *nodes)
{
	uint32_t slots = 0;

	if (offers->request->type != TB_SLOT || test->implicit_cpus)
		return true;
	for (uint32_t i = first; i < end; i++)
		if (bit_test((bitstr_t *)nodes, offers->list[i].node))
			slots += offers->list[i].slots;
	return slots >= tb_job_slots(test->job);
}

static void keep_nodes_with(const struct tb_offers *offers, uint32_t first,
			    uint32_t end, uint32_t slots, bitstr_t *nodes)
{
	for (uint32_t i = first; i < end; i++)
		if (offers->list[i].slots < slots)
			bit_clear(nodes, offers->list[i].node);
}

/* On few nodes that hold many slots each, or on more that hold fewer. */
static int try_large_nodes(const struct tb_offers *offers,
			   const struct tb_test *test, uint32_t first,
			   uint32_t end, const bitstr_t *offered,
			   bitstr_t *nodes)
{
	uint32_t slots = tb_job_slots(test->job);
	uint32_t most = MIN(test->max_nodes, end - first);
	uint32_t count = MAX(test->min_nodes, 1);

	for (int i = 0; i < LARGE_NODES_TRIES && count <= most; i++) {
		bit_copybits(nodes, (bitstr_t *)offered);
		keep_nodes_with(offers, first, end,
				slots / count + (slots % count > 0), nodes);
		if (bit_set_count(nodes) >= (int)count &&
		    tb_passes_call(test, nodes, count, test->max_nodes, NULL) ==
			    SLURM_SUCCESS)
			return SLURM_SUCCESS;
		count *= 2;
	}
	return SLURM_ERROR;
}

/*
 * Nodes that the job has for itself.  select/cons_tres counts all of their cores:
 * what it chooses must hold the slots, too.
 */
static int try_whole_nodes(struct tb_offers *offers, const struct tb_test *test,
			   uint32_t first, uint32_t end, bitstr_t *nodes)
{
	bitstr_t *offered = bit_copy(nodes);
	int rc = tb_passes_pick(offers, test, first, end, nodes);

	if (rc == SLURM_SUCCESS && tb_test_mode(test) != TB_TEST_ONLY &&
	    !nodes_hold_slots(offers, test, first, end, nodes)) {
		free_job_resources(&test->job->job_resrcs);
		rc = try_large_nodes(offers, test, first, end, offered, nodes);
	}
	FREE_NULL_BITMAP(offered);
	return rc;
}

static int try_nodes(struct tb_offers *offers, const struct tb_test *test,
		     uint32_t first, uint32_t end, bitstr_t *nodes)
{
	return tb_wants_whole_nodes(test->job)
		       ? try_whole_nodes(offers, test, first, end, nodes)
		       : tb_passes_try(offers, test, first, end, nodes);
}

static int try_nodes_in_order(const struct tb_order *order,
			      const struct tb_test *test, bitstr_t *nodes)
{
	const struct tb_class_order *class = (const struct tb_class_order *)
		order;

	return try_nodes(class->offers, test, class->first, class->end, nodes);
}

/* Only nodes of the class. */
static int try_class_nodes(struct tb_offers *offers, const struct tb_test *test,
			   uint32_t first, uint32_t end, bitstr_t *nodes)
{
	struct tb_class_order class;
	struct tb_scale saved;
	int rc;

	tb_class_order_init(&class, offers, test, first, end);
	class.order.try = try_nodes_in_order;
	tb_scale_job(test->job, offers->request->type,
		     tb_offers_cpus(offers, first, end), &saved);
	rc = tb_order_try(&class.order, test, nodes);
	tb_unscale_job(test->job, &saved);
	return rc;
}

/*
 * First on nodes of as few switches as the job asks for.  Of more ones it would wait for
 * these, when it has been told that it starts now.
 */
static int try_switches(struct tb_offers *offers, const struct tb_test *test,
			uint32_t first, uint32_t end, bitstr_t *nodes)
{
	bitstr_t *all = bit_copy(nodes);
	int rc = SLURM_ERROR;

	if (tb_test_mode(test) == TB_RUN_NOW &&
	    tb_switch_reach(offers, test, first, end, nodes))
		rc = try_class_nodes(offers, test, first, end, nodes);
	if (rc != SLURM_SUCCESS) {
		bit_copybits(nodes, all);
		rc = try_class_nodes(offers, test, first, end, nodes);
	}
	FREE_NULL_BITMAP(all);
	return rc;
}

static void list_dealt_nodes(const struct tb_slot_deal *deal, bitstr_t *nodes)
{
	bit_clear_all(nodes);
	for (uint32_t i = 0; i < deal->count; i++)
		bit_set(nodes, deal->parts[i].node);
}

/* Where memory goes with devices it was given for so many of each node as were asked. */
static void settle_memory(const struct tb_slot_deal *deal,
			  const struct tb_offers *offers,
			  const struct tb_test *test)
{
	job_resources_t *allocated = test->job->job_resrcs;
	struct tb_devices_asked asked;

	if (!allocated->memory_allocated ||
	    test->job->bit_flags & JOB_MEM_SET ||
	    !tb_devices_asked_one(offers->devices, &asked) || !asked.megabytes)
		return;
	for (uint32_t i = 0; i < deal->count; i++)
		allocated->memory_allocated[i] = asked.megabytes *
						 deal->parts[i].devices;
}

/* The job has the cores of the deal: give it the devices, too. */
static int settle_dealt(const struct tb_slot_deal *deal,
			struct tb_offers *offers, const struct tb_test *test)
{
	if (!tb_passes_has_allocation(test) || tb_test_mode(test) != TB_RUN_NOW)
		return SLURM_SUCCESS;
	if (tb_slot_deal_select_dealt(deal, offers, test)) {
		settle_memory(deal, offers, test);
		return tb_passes_check_memory(offers, test);
	}
	free_job_resources(&test->job->job_resrcs);
	return SLURM_ERROR;
}

/*
 * The job must have all nodes of the deal.  On those that it may do without, Slurm
 * leaves out sockets that have none of the devices (24.11).
 */
static int try_exact_nodes(struct tb_slot_deal *deal, struct tb_offers *offers,
			   const struct tb_test *test, bitstr_t *nodes)
{
	job_details_t *details = test->job->details;
	bitstr_t *required = details->req_node_bitmap;
	int rc;

	details->req_node_bitmap = bit_copy(nodes);
	rc = tb_passes_exact(deal, offers, test, nodes);
	FREE_NULL_BITMAP(details->req_node_bitmap);
	details->req_node_bitmap = required;
	return rc;
}

/*
 * Of select/cons_tres just these nodes are asked, their cores and so many devices: there
 * is nothing to choose.
 */
static int try_dealt_nodes(struct tb_offers *offers, const struct tb_test *test,
			   struct tb_slot_deal *deal, uint32_t cpus,
			   bitstr_t *nodes)
{
	struct tb_gres_ask asked;
	struct tb_scale saved;
	int rc;

	list_dealt_nodes(deal, nodes);
	tb_slot_deal_begin_devices(deal, offers->devices);
	tb_scale_job(test->job, offers->request->type, cpus, &saved);
	asked = tb_devices_ask_per_node(offers->devices,
					tb_slot_deal_fewest_devices(deal));
	rc = try_exact_nodes(deal, offers, test, nodes);
	tb_devices_ask_again(offers->devices, &asked);
	tb_unscale_job(test->job, &saved);
	return rc == SLURM_SUCCESS ? settle_dealt(deal, offers, test) : rc;
}

/*
 * First as select/cons_tres chooses nodes and devices, where it can count these.  Before
 * it is believed that the job can start at another time, there must be nodes that hold
 * slots and devices; and if it finds none, those that were found are tried.
 */
static int try_class_with_devices(struct tb_offers *offers,
				  const struct tb_test *test, uint32_t first,
				  uint32_t end, bitstr_t *nodes)
{
	bool shared = tb_devices_are_for_tasks_of_slots(offers->devices);
	bool late = !shared && tb_test_mode(test) == TB_RUN_NOW;
	enum tb_reached reached = TB_REACH_UNKNOWN;
	struct tb_slot_deal *deal = NULL;
	int rc = SLURM_ERROR;

	if (!late)
		reached = tb_device_reach(offers, test, first, end, &deal);
	if (!test->dealt_only && !(shared && deal) && reached != TB_NOT_REACHED)
		rc = try_switches(offers, test, first, end, nodes);
	if (rc != SLURM_SUCCESS && late)
		tb_device_reach(offers, test, first, end, &deal);
	if (rc != SLURM_SUCCESS && deal)
		rc = try_dealt_nodes(offers, test, deal,
				     tb_offers_cpus(offers, first, end), nodes);
	tb_slot_deal_destroy(deal);
	return rc;
}

struct holding {
	const struct tb_offers *offers;
	const struct tb_test *test;
	uint32_t first, end; /* of the class */
};

static bool hosts_hold(void *arg, uint32_t nodes)
{
	const struct holding *holding = arg;
	struct tb_test call = *holding->test;

	call.max_nodes = nodes;
	return tb_offers_hold(holding->offers, &call, holding->first,
			      holding->end) >= tb_job_slots(call.job);
}

/*
 * Of a host select/cons_tres is asked for its units, not for those of all tasks.  That it
 * can give as many hosts as these need, of one block for example, is asked for by their
 * number.
 */
static void ask_for_fewest_hosts(const struct tb_offers *offers, uint32_t first,
				 uint32_t end, struct tb_test *call)
{
	struct holding holding = { offers, call, first, end };
	uint32_t least = MAX(call->min_nodes, 1);
	uint32_t most = MIN(end - first, call->max_nodes);

	if (offers->request->type != TB_HOST || call->implicit_cpus ||
	    least >= most || hosts_hold(&holding, least) ||
	    !hosts_hold(&holding, most))
		return;
	least = tb_halve_least(hosts_hold, &holding, least, most, UINT32_MAX);
	call->min_nodes = least;
	call->req_nodes = MAX(call->req_nodes, least);
}

/* Does the job start now, on one node, and not in the place of others? */
static bool starts_on_one_node(const struct tb_test *test)
{
	return test->max_nodes == 1 && !test->preemptees &&
	       tb_test_mode(test) == TB_RUN_NOW;
}

/* So many devices must be free on its node; 0: nobody knows. */
static uint64_t count_devices_of_node(const struct tb_offers *offers)
{
	struct tb_devices_asked asked;

	return tb_devices_asked_one(offers->devices, &asked)
		       ? MAX(asked.per_node, asked.per_job)
		       : 0;
}

static bool has_free_devices(const struct tb_offers *offers,
			     const struct tb_test *test, uint32_t node,
			     uint64_t wanted)
{
	return !tb_gres_places(test->job, 0, node) ||
	       tb_devices_count(offers->devices, node, offers->view) >= wanted;
}

/* So many slots must be on its node. */
static uint32_t count_slots_of_node(const struct tb_offers *offers,
				    const struct tb_test *test)
{
	return offers->request->type == TB_SLOT && !test->share &&
			       !tb_wants_whole_nodes(test->job)
		       ? tb_job_slots(test->job)
		       : 0;
}

/*
 * select/cons_tres would take none of them: it need not be asked about more and more
 * of the nodes until one that has all is among them.
 */
static void leave_out_too_small(const struct tb_offers *offers,
				const struct tb_test *test, uint32_t first,
				uint32_t end, bitstr_t *nodes)
{
	uint64_t devices = 0;
	uint32_t slots = count_slots_of_node(offers, test);
	bitstr_t *fit;

	if (!starts_on_one_node(test) || (!offers->devices && !slots))
		return;
	if (offers->devices)
		devices = count_devices_of_node(offers);
	fit = bit_alloc(tb_node_count());
	/* A node can have several offers. */
	for (uint32_t i = first; i < end; i++) {
		const struct tb_offer *offer = &offers->list[i];

		if (offer->slots >= slots &&
		    (!devices ||
		     has_free_devices(offers, test, offer->node, devices)))
			bit_set(fit, offer->node);
	}
	bit_and(nodes, fit);
	FREE_NULL_BITMAP(fit);
}

bool tb_class_holds_slots(const struct tb_offers *offers,
			  const struct tb_test *test, uint32_t first,
			  uint32_t end)
{
	return tb_offers_hold(offers, test, first, end) >=
	       tb_job_slots(test->job);
}

int tb_try_class(struct tb_offers *offers, const struct tb_test *asked,
		 uint32_t first, uint32_t end)
{
	bitstr_t *nodes = list_class_nodes(offers, asked, first, end);
	struct tb_test call = *asked;
	const struct tb_test *test = &call;
	int rc = SLURM_ERROR;

	ask_for_fewest_hosts(offers, first, end, &call);
	leave_out_too_small(offers, test, first, end, nodes);
	if (bit_set_count(nodes) >= (int)MAX(test->min_nodes, 1) &&
	    tb_class_holds_slots(offers, test, first, end) &&
	    includes_required_nodes(test, nodes)) {
		if (offers->devices && !tb_wants_whole_nodes(test->job))
			rc = try_class_with_devices(offers, test, first, end,
						    nodes);
		else if (!test->dealt_only)
			rc = try_switches(offers, test, first, end, nodes);
	}
	if (rc == SLURM_SUCCESS)
		bit_copybits(test->nodes, nodes);
	FREE_NULL_BITMAP(nodes);
	return rc;
}
