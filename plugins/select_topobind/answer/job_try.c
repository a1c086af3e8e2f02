/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pass 1 offers select/cons_tres the free slots of each candidate node and
 * hides all other cores; the nodes and the number of slots on each that it
 * picks are placed exactly, and pass 2 repeats the call with only those cores
 * left, so that memory and GRES are chosen for the cores that the job gets.
 */
#include "job_try.h"

#include <time.h>

#include "src/common/job_resources.h"
#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "compat/select_gres.h"
#include "core/plan/halving.h"

#include "now_only.h"
#include "select_topobind/books/sharing.h"
#include "select_topobind/order/node_order.h"
#include "select_topobind/order/offer_order.h"
#include "select_topobind/try/device_reach.h"
#include "select_topobind/try/scale.h"
#include "select_topobind/try/slot_deal.h"
#include "select_topobind/try/switch_reach.h"
#include "select_topobind/try/window_nodes.h"

/* A call of select/cons_tres works on copies: it changes what it is given. */
static int call_cons_tres(const struct tb_test *test, bitstr_t *nodes,
			  uint32_t min_nodes, uint32_t max_nodes,
			  struct tb_mask *mask)
{
	struct tb_test call = *test;
	uint32_t limit = INFINITE;
	int rc;

	call.nodes = nodes;
	call.min_nodes = min_nodes;
	call.max_nodes = max_nodes;
	call.req_nodes = MIN(MAX(test->req_nodes, min_nodes), max_nodes);
	if (call.preempted)
		FREE_NULL_LIST(*call.preempted);
	/* Offers keep to it, and so does the mask. */
	if (mask)
		limit = tb_partition_limit_lift(test);
	rc = tb_cons_tres_job_test(&call, mask);
	if (mask)
		tb_partition_limit_restore(test, limit);
	return rc == SLURM_SUCCESS && tb_starts_too_late(test) ? SLURM_ERROR
							       : rc;
}

/*
 * The devices of each node are known, and do not go with tasks: these are as many as
 * there are slots, or CPUs, so that they need all cores.
 */
static void forget_tasks(job_record_t *job, enum tb_type type,
			 const struct tb_slot_deal *deal)
{
	job_details_t *details = job->details;
	bool alike = type == TB_SLOT && deal->per_slot && !deal->odd;

	job->bit_flags &= ~(uint64_t)JOB_NTASKS_SET;
	details->ntasks_per_node = 0;
	details->num_tasks = alike ? deal->cpus / deal->per_slot : 0;
	details->cpus_per_task = alike ? deal->per_slot : 1;
}

/*
 * Ask for all CPUs of the deal, with those that no slot needs: the other
 * threads of a core.  Tasks that do not divide them would leave some out; with
 * GRES tasks must need all of them (scale.c).
 */
static void ask_for_all(job_record_t *job, enum tb_type type,
			const struct tb_slot_deal *deal)
{
	job_details_t *details = job->details;

	details->min_cpus = MAX(details->min_cpus, deal->cpus);
	/* Later Slurms give nodes with others between them, but not these alone. */
	details->contiguous = 0;
	details->max_cpus = TB_PLENTY_OF_CPUS;
	/* Slurm makes --ntasks-per-node that of each node, whatever -n says. */
	details->pn_min_cpus = MIN(details->pn_min_cpus, deal->least);
	details->orig_pn_min_cpus = MIN(details->orig_pn_min_cpus,
					details->pn_min_cpus);
	if (deal->with_devices) {
		forget_tasks(job, type, deal);
		return;
	}
	if (job->gres_list_req && deal->per_slot && type == TB_HOST)
		tb_scale_tasks_of_host(job, deal->per_slot);
	else if (deal->odd)
		details->cpus_per_task = job->gres_list_req && deal->per_slot
						 ? deal->per_slot
						 : 1;
	/* Hosts that differ: as many tasks as there are CPUs. */
	if (job->gres_list_req && !deal->per_slot && type == TB_HOST &&
	    !tb_job_has_task_devices(job)) {
		details->cpus_per_task = 1;
		details->num_tasks = 0;
	}
	/*
	 * They limit CPUs, too: to as many as the tasks need, or as the smallest
	 * host's units have.  With GRES they also say how many devices there are.
	 */
	if (!job->gres_list_req)
		job->bit_flags &= ~(uint64_t)JOB_NTASKS_SET;
	if (!job->gres_list_req ||
	    (type == TB_SLOT && !tb_job_has_task_devices(job)))
		details->ntasks_per_node = 0;
}

/*
 * A yes without an allocation: jobs have to be preempted first, and Slurm asks
 * again when they are gone.
 */
static bool has_allocation(const struct tb_test *test)
{
	return test->job->job_resrcs != NULL;
}

/* Repeat with only the exact cores of the deal; granted if they come back. */
static int try_exact_cores(struct tb_slot_deal *deal, struct tb_offers *offers,
			   const struct tb_test *test, bitstr_t *nodes)
{
	struct tb_mask *mask = tb_mask_closed(nodes);
	int rc = SLURM_ERROR;

	if (tb_slot_deal_allow(deal, offers, test, mask)) {
		ask_for_all(test->job, offers->request->type, deal);
		rc = call_cons_tres(test, nodes, deal->count, deal->count,
				    mask);
	}
	tb_mask_destroy(mask);
	if (rc == SLURM_SUCCESS && has_allocation(test) &&
	    !tb_slot_deal_is_granted(deal, offers, test)) {
		/* Never start a job on other cores than planned. */
		free_job_resources(&test->job->job_resrcs);
		rc = SLURM_ERROR;
	}
	return rc;
}

/* The job has the cores of the deal: give it the devices near them. */
static int settle_devices(const struct tb_slot_deal *deal,
			  struct tb_offers *offers, const struct tb_test *test)
{
	if (!offers->devices ||
	    tb_slot_deal_select_devices(deal, offers, test) ||
	    !tb_devices_must_be_near(offers->devices))
		return SLURM_SUCCESS;
	free_job_resources(&test->job->job_resrcs);
	return SLURM_ERROR;
}

/* Give the job the cores of the deal, if it does not have them yet. */
static int settle_deal(struct tb_slot_deal *deal, struct tb_offers *offers,
		       const struct tb_test *test, bitstr_t *nodes)
{
	int rc = SLURM_SUCCESS;

	if (!has_allocation(test) ||
	    !tb_slot_deal_is_granted(deal, offers, test))
		rc = try_exact_cores(deal, offers, test, nodes);
	if (rc == SLURM_SUCCESS && has_allocation(test))
		rc = settle_devices(deal, offers, test);
	return rc;
}

/*
 * Deal the slots out evenly over the nodes of pass 1.  Where memory or GRES do not
 * allow that, leave them as pass 1 dealt them out.  *as_given: that needs no other
 * pass, but pass 1 again.
 */
static int settle_cores(struct tb_offers *offers, const struct tb_test *test,
			uint32_t first, uint32_t end, bitstr_t *nodes,
			bool *as_given)
{
	struct tb_slot_deal *given = tb_slot_deal_of_allocation(offers, test,
								first, end);
	struct tb_slot_deal *even = tb_slot_deal_of_allocation(offers, test,
							       first, end);
	bitstr_t *chosen = bit_copy(nodes);
	int rc;

	if (offers->devices)
		tb_devices_count_selected(offers->devices);
	*as_given = test->job->gres_list_req &&
		    tb_slot_deal_is_granted(given, offers, test);
	tb_slot_deal_even_out(even, offers->request->type == TB_SLOT
					    ? tb_job_exact_slots(test->job)
					    : 0);
	rc = settle_deal(even, offers, test, nodes);
	if (rc != SLURM_SUCCESS) {
		bit_copybits(nodes, chosen);
		rc = settle_deal(given, offers, test, nodes);
	}
	FREE_NULL_BITMAP(chosen);
	tb_slot_deal_destroy(given);
	tb_slot_deal_destroy(even);
	return rc;
}

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

/* The nodes may have more CPUs than the job's tasks need. */
static int call_out_of_plenty(const struct tb_test *test, bitstr_t *nodes,
			      struct tb_mask *mask)
{
	job_details_t *details = test->job->details;
	uint32_t before = details->max_cpus;
	int rc;

	details->max_cpus = TB_PLENTY_OF_CPUS;
	rc = call_cons_tres(test, nodes, test->min_nodes, test->max_nodes,
			    mask);
	details->max_cpus = before;
	return rc;
}

/*
 * select/cons_tres takes nodes one after the other, and can end with as many as the
 * job may have and too few CPUs: then it is offered the largest hosts alone.
 */
static int pick_largest(struct tb_offers *offers, const struct tb_test *test,
			uint32_t first, uint32_t end, bitstr_t *nodes,
			struct tb_mask *mask)
{
	if (offers->request->type != TB_HOST ||
	    !tb_offers_keep_largest(offers, test, first, end, nodes))
		return SLURM_ERROR;
	return call_out_of_plenty(test, nodes, mask);
}

/*
 * With LLN select/cons_tres counts down what is left for each node that it looks at,
 * whether it takes it or not, and then the last one has too little for its tasks: it
 * is asked once more, out of plenty.
 */
static int pick_nodes_of(const struct tb_test *test, bitstr_t *nodes,
			 struct tb_mask *mask)
{
	bitstr_t *offered = bit_copy(nodes);
	int rc = call_cons_tres(test, nodes, test->min_nodes, test->max_nodes,
				mask);

	if (rc != SLURM_SUCCESS && tb_job_wants_least_loaded(test->job)) {
		bit_copybits(nodes, offered);
		rc = call_out_of_plenty(test, nodes, mask);
	}
	FREE_NULL_BITMAP(offered);
	return rc;
}

/* Pass 1. */
static int pick_nodes(struct tb_offers *offers, const struct tb_test *test,
		      uint32_t first, uint32_t end, bitstr_t *nodes)
{
	bitstr_t *offered;
	struct tb_mask *mask = NULL;
	int rc;

	if (tb_test_mode(test) == TB_TEST_ONLY)
		return pick_nodes_of(test, nodes, NULL);
	offered = bit_copy(nodes);
	/* It would make cons_tres reject nodes for an exclusive job. */
	if (!tb_wants_whole_nodes(test->job)) {
		mask = tb_mask_closed(nodes);
		tb_offers_allow(offers, test, first, end, nodes, mask);
	}
	rc = pick_nodes_of(test, nodes, mask);
	if (rc != SLURM_SUCCESS && mask) {
		bit_copybits(nodes, offered);
		rc = pick_largest(offers, test, first, end, nodes, mask);
	}
	tb_mask_destroy(mask);
	FREE_NULL_BITMAP(offered);
	return rc;
}

/*
 * select/cons_tres can refuse to repeat with just its own cores what it gave
 * out of more: where it looks for GRES it takes other cores then.
 */
static int settle_as_picked(struct tb_offers *offers,
			    const struct tb_test *test, uint32_t first,
			    uint32_t end, bitstr_t *nodes)
{
	struct tb_slot_deal *given;
	int rc = pick_nodes(offers, test, first, end, nodes);

	if (rc != SLURM_SUCCESS || !has_allocation(test))
		return rc;
	given = tb_slot_deal_of_allocation(offers, test, first, end);
	if (offers->devices)
		tb_devices_count_selected(offers->devices);
	rc = settle_deal(given, offers, test, nodes);
	tb_slot_deal_destroy(given);
	return rc;
}

/*
 * The offers count memory by GPU with as many GPUs as the job asks for, if it says so
 * for a node or a task.  Here is what Slurm gives it.
 */
static int check_memory(const struct tb_offers *offers,
			const struct tb_test *test)
{
	if (!has_allocation(test) || tb_test_mode(test) != TB_RUN_NOW ||
	    tb_node_memory_is_there(offers->memory))
		return SLURM_SUCCESS;
	free_job_resources(&test->job->job_resrcs);
	return SLURM_ERROR;
}

/* Likewise: what is not free others have. */
static int check_devices(const struct tb_offers *offers,
			 const struct tb_test *test)
{
	if (!offers->devices || !has_allocation(test) ||
	    tb_test_mode(test) != TB_RUN_NOW ||
	    tb_devices_selected_are_free(offers->devices, offers->view))
		return SLURM_SUCCESS;
	free_job_resources(&test->job->job_resrcs);
	return SLURM_ERROR;
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
		    call_cons_tres(test, nodes, count, test->max_nodes, NULL) ==
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
	int rc = pick_nodes(offers, test, first, end, nodes);

	if (rc == SLURM_SUCCESS && tb_test_mode(test) != TB_TEST_ONLY &&
	    !nodes_hold_slots(offers, test, first, end, nodes)) {
		free_job_resources(&test->job->job_resrcs);
		rc = try_large_nodes(offers, test, first, end, offered, nodes);
	}
	FREE_NULL_BITMAP(offered);
	return rc;
}

/* Pass 1, and where the job starts what follows. */
static int try_set(struct tb_offers *offers, const struct tb_test *test,
		   uint32_t first, uint32_t end, bitstr_t *nodes)
{
	bitstr_t *offered = bit_copy(nodes);
	bool as_given = false;
	int rc;

	if (offers->devices)
		tb_devices_forget_selected(offers->devices);
	rc = pick_nodes(offers, test, first, end, nodes);
	if (rc == SLURM_SUCCESS && has_allocation(test) &&
	    tb_test_mode(test) == TB_RUN_NOW) {
		rc = settle_cores(offers, test, first, end, nodes, &as_given);
		if (rc != SLURM_SUCCESS && as_given) {
			bit_copybits(nodes, offered);
			rc = settle_as_picked(offers, test, first, end, nodes);
		}
	}
	FREE_NULL_BITMAP(offered);
	if (rc == SLURM_SUCCESS)
		rc = check_devices(offers, test);
	return rc == SLURM_SUCCESS ? check_memory(offers, test) : rc;
}

static int try_nodes(struct tb_offers *offers, const struct tb_test *test,
		     uint32_t first, uint32_t end, bitstr_t *nodes)
{
	return tb_wants_whole_nodes(test->job)
		       ? try_whole_nodes(offers, test, first, end, nodes)
		       : try_set(offers, test, first, end, nodes);
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
	if (!has_allocation(test) || tb_test_mode(test) != TB_RUN_NOW)
		return SLURM_SUCCESS;
	if (tb_slot_deal_select_dealt(deal, offers, test)) {
		settle_memory(deal, offers, test);
		return check_memory(offers, test);
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
	rc = try_exact_cores(deal, offers, test, nodes);
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

/* All nodes of the class that the job can have, whatever else it needs. */
static bool class_holds_slots(const struct tb_offers *offers,
			      const struct tb_test *test, uint32_t first,
			      uint32_t end)
{
	return tb_offers_hold(offers, test, first, end) >=
	       tb_job_slots(test->job);
}

/* One size of slot.  On success test->nodes are the chosen ones. */
static int try_one_class(struct tb_offers *offers, const struct tb_test *asked,
			 uint32_t first, uint32_t end)
{
	bitstr_t *nodes = list_class_nodes(offers, asked, first, end);
	struct tb_test call = *asked;
	const struct tb_test *test = &call;
	int rc = SLURM_ERROR;

	ask_for_fewest_hosts(offers, first, end, &call);
	leave_out_too_small(offers, test, first, end, nodes);
	if (bit_set_count(nodes) >= (int)MAX(test->min_nodes, 1) &&
	    class_holds_slots(offers, test, first, end) &&
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

/* In the future a later class can be free sooner. */
static bool starts_later(const struct tb_test *test)
{
	return tb_test_mode(test) == TB_WILL_RUN &&
	       test->job->start_time > time(NULL);
}

/* The first class that can have the job now, or else the soonest. */
static int try_classes(struct tb_offers *offers, const struct tb_test *test)
{
	uint32_t first, end, soonest_first = 0, soonest_end = 0;
	time_t soonest = 0;

	for (first = 0; (end = tb_offers_class(offers, first)); first = end) {
		if (try_one_class(offers, test, first, end) != SLURM_SUCCESS)
			continue;
		if (!starts_later(test))
			return SLURM_SUCCESS;
		if (soonest_end && test->job->start_time >= soonest)
			continue;
		soonest = test->job->start_time;
		soonest_first = first;
		soonest_end = end;
	}
	if (!soonest_end)
		return SLURM_ERROR;
	/* The job's numbers are those of the last answer. */
	return soonest_end == first ? SLURM_SUCCESS
				    : try_one_class(offers, test, soonest_first,
						    soonest_end);
}

/* With units that fewer than test->share jobs have; *more: do others have more? */
static int try_level(const struct tb_test *test,
		     const struct tb_request *request,
		     const struct tb_view *view, bool *more)
{
	struct tb_offers *offers = tb_offers_create(test, request, view);
	int rc;

	tb_order_classes(offers, test);
	rc = try_classes(offers, test);
	*more = offers->could_be_more;
	tb_offers_destroy(offers);
	return rc;
}

/*
 * Least shared units first, on all nodes.  In the future units that are shared
 * more can be free sooner.  The level of the soonest start; 0: none.  *last: the
 * level that was tried last.
 */
static uint16_t find_level(struct tb_test *call,
			   const struct tb_request *request,
			   const struct tb_view *view,
			   const bitstr_t *candidates, uint16_t *last)
{
	uint16_t limit = tb_sharing_limit(call->job), soonest = 0;
	bool more = true, later = true;
	time_t start = 0;

	for (*last = 0; later && more && *last < limit;) {
		bit_copybits(call->nodes, (bitstr_t *)candidates);
		tb_sharing_set_level(call, ++*last);
		if (try_level(call, request, view, &more) != SLURM_SUCCESS)
			continue;
		later = starts_later(call);
		if (soonest && later && call->job->start_time >= start)
			continue;
		start = call->job->start_time;
		soonest = *last;
	}
	return soonest;
}

static int try_levels(const struct tb_test *test,
		      const struct tb_request *request,
		      const struct tb_view *view)
{
	bitstr_t *candidates = bit_copy(test->nodes);
	struct tb_test call = *test;
	uint16_t last, soonest;
	bool more;
	int rc = SLURM_ERROR;

	soonest = find_level(&call, request, view, candidates, &last);
	if (soonest && soonest == last) {
		rc = SLURM_SUCCESS;
	} else if (soonest) {
		/* The job's numbers are those of the last answer. */
		bit_copybits(test->nodes, candidates);
		tb_sharing_set_level(&call, soonest);
		rc = try_level(&call, request, view, &more);
	}
	FREE_NULL_BITMAP(candidates);
	return rc;
}

int tb_try_job(const struct tb_test *test, const struct tb_request *request,
	       const struct tb_view *view)
{
	bool more;

	return tb_sharing_limit(test->job) == 1
		       ? try_level(test, request, view, &more)
		       : try_levels(test, request, view);
}

/* Is there a set of nodes in this class, all idle, on which the job fits? */
static bool class_suffices(struct tb_offers *offers, const struct tb_test *test,
			   uint32_t first, uint32_t end)
{
	return end - first >= test->min_nodes &&
	       class_holds_slots(offers, test, first, end) &&
	       tb_device_reach(offers, test, first, end, NULL) !=
		       TB_NOT_REACHED;
}

bool tb_units_suffice(const struct tb_test *test,
		      const struct tb_request *request,
		      const struct tb_view *view)
{
	uint16_t limit = tb_sharing_limit(test->job);
	struct tb_test call = *test;
	struct tb_offers *offers;
	uint32_t first = 0, end;
	bool suffice = false;

	tb_sharing_set_level(&call, limit > 1 ? limit : 0);
	offers = tb_offers_create(&call, request, view);
	while (!suffice && (end = tb_offers_class(offers, first))) {
		suffice = class_suffices(offers, &call, first, end);
		first = end;
	}
	tb_offers_destroy(offers);
	return suffice;
}

int tb_try_job_now(const struct tb_test *test, const struct tb_request *request,
		   const struct tb_view *view)
{
	uint64_t before = tb_now_only_begin(test->job);
	int rc = tb_try_job(test, request, view);

	tb_now_only_end(test->job, before);
	return rc;
}

/*
 * One class after the other; on success test->nodes are the chosen ones.  wide: the
 * request without its window.
 */
static int try_ever(const struct tb_test *test,
		    const struct tb_request *request,
		    const struct tb_request *wide, const struct tb_view *view)
{
	struct tb_offers *offers = tb_offers_create(test, wide, view);
	uint32_t first = 0, end;
	int rc = SLURM_ERROR;

	tb_window_limit_offers(offers, request);

	while (rc != SLURM_SUCCESS && (end = tb_offers_class(offers, first))) {
		if (class_suffices(offers, test, first, end))
			rc = try_one_class(offers, test, first, end);
		first = end;
	}
	tb_offers_destroy(offers);
	return rc;
}

static void leave_out_without_devices(const job_record_t *job, bitstr_t *nodes)
{
	for (uint32_t node = 0; node < tb_node_count(); node++)
		if (bit_test(nodes, node) && !tb_gres_node_has_all(job, node))
			bit_clear(nodes, node);
}

/* In this mode select/cons_tres ignores masks: topobind tests the shapes itself. */
int tb_try_job_ever(const struct tb_test *test,
		    const struct tb_request *request)
{
	struct tb_view *view = tb_view_idle();
	struct tb_request wide = *request; /* borrows what it points to */
	struct tb_test call = *test;
	int rc;

	tb_request_widen_window(&wide);
	/* Reservations end. */
	call.excluded = NULL;
	call.nodes = tb_window_nodes(&call, request);
	leave_out_without_devices(test->job, call.nodes);
	rc = try_ever(&call, request, &wide, view);
	if (rc == SLURM_SUCCESS)
		bit_copybits(test->nodes, call.nodes);
	FREE_NULL_BITMAP(call.nodes);
	tb_view_destroy(view);
	return rc;
}
