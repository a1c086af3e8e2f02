/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "passes.h"

#include "src/common/job_resources.h"
#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "compat/select_gres.h"

#include "now_only.h"
#include "select_topobind/order/node_order.h"
#include "select_topobind/try/offer_sets.h"
#include "select_topobind/try/scale.h"

/* A call of select/cons_tres works on copies: it changes what it is given. */
int tb_passes_call(const struct tb_test *test, bitstr_t *nodes,
		   uint32_t min_nodes, uint32_t max_nodes, struct tb_mask *mask)
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

bool tb_passes_has_allocation(const struct tb_test *test)
{
	return test->job->job_resrcs != NULL;
}

int tb_passes_exact(struct tb_slot_deal *deal, struct tb_offers *offers,
		    const struct tb_test *test, bitstr_t *nodes)
{
	struct tb_mask *mask = tb_mask_closed(nodes);
	int rc = SLURM_ERROR;

	if (tb_slot_deal_allow(deal, offers, test, mask)) {
		ask_for_all(test->job, offers->request->type, deal);
		rc = tb_passes_call(test, nodes, deal->count, deal->count,
				    mask);
	}
	tb_mask_destroy(mask);
	if (rc == SLURM_SUCCESS && tb_passes_has_allocation(test) &&
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

	if (!tb_passes_has_allocation(test) ||
	    !tb_slot_deal_is_granted(deal, offers, test))
		rc = tb_passes_exact(deal, offers, test, nodes);
	if (rc == SLURM_SUCCESS && tb_passes_has_allocation(test))
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

/* The nodes may have more CPUs than the job's tasks need. */
static int call_out_of_plenty(const struct tb_test *test, bitstr_t *nodes,
			      struct tb_mask *mask)
{
	job_details_t *details = test->job->details;
	uint32_t before = details->max_cpus;
	int rc;

	details->max_cpus = TB_PLENTY_OF_CPUS;
	rc = tb_passes_call(test, nodes, test->min_nodes, test->max_nodes,
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
	int rc = tb_passes_call(test, nodes, test->min_nodes, test->max_nodes,
				mask);

	if (rc != SLURM_SUCCESS && tb_job_wants_least_loaded(test->job)) {
		bit_copybits(nodes, offered);
		rc = call_out_of_plenty(test, nodes, mask);
	}
	FREE_NULL_BITMAP(offered);
	return rc;
}

int tb_passes_pick(struct tb_offers *offers, const struct tb_test *test,
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
	int rc = tb_passes_pick(offers, test, first, end, nodes);

	if (rc != SLURM_SUCCESS || !tb_passes_has_allocation(test))
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
int tb_passes_check_memory(const struct tb_offers *offers,
			   const struct tb_test *test)
{
	if (!tb_passes_has_allocation(test) ||
	    tb_test_mode(test) != TB_RUN_NOW ||
	    tb_node_memory_is_there(offers->memory))
		return SLURM_SUCCESS;
	free_job_resources(&test->job->job_resrcs);
	return SLURM_ERROR;
}

int tb_passes_try(struct tb_offers *offers, const struct tb_test *test,
		  uint32_t first, uint32_t end, bitstr_t *nodes)
{
	bitstr_t *offered = bit_copy(nodes);
	bool as_given = false;
	int rc;

	if (offers->devices)
		tb_devices_forget_selected(offers->devices);
	rc = tb_passes_pick(offers, test, first, end, nodes);
	if (rc == SLURM_SUCCESS && tb_passes_has_allocation(test) &&
	    tb_test_mode(test) == TB_RUN_NOW) {
		rc = settle_cores(offers, test, first, end, nodes, &as_given);
		if (rc != SLURM_SUCCESS && as_given) {
			bit_copybits(nodes, offered);
			rc = settle_as_picked(offers, test, first, end, nodes);
		}
	}
	FREE_NULL_BITMAP(offered);
	return rc == SLURM_SUCCESS ? tb_passes_check_memory(offers, test) : rc;
}
