/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_test.c - may a bound job run, ever, now or when (DESIGN.md, section 5)
 *
 * Pass 1 offers select/cons_tres the free slots of each candidate node and
 * hides all other cores; the nodes and the number of slots on each that it
 * picks are placed exactly, and pass 2 repeats the call with only those cores
 * left, so that memory and GRES are chosen for the cores that the job gets.
 */
#include "job_test.h"

#include <stdlib.h>
#include <time.h>

#include "src/common/job_resources.h"
#include "src/common/log.h"
#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "explain.h"
#include "future.h"
#include "metrics.h"
#include "offer_order.h"
#include "plain_order.h"
#include "plan.h"
#include "preempt.h"
#include "reasons.h"
#include "scale.h"
#include "sharing.h"

/*
 * Whoever asks whether it fits now does not want a later start, which some
 * Slurms tell all the same when there are jobs to preempt.
 */
static bool is_too_late(const struct tb_test *test)
{
	const job_record_t *job = test->job;

	return tb_test_mode(test) == TB_WILL_RUN &&
	       (job->bit_flags & TEST_NOW_ONLY) && job->start_time > time(NULL);
}

/* A call of select/cons_tres works on copies: it changes what it is given. */
static int call_cons_tres(const struct tb_test *test, bitstr_t *nodes,
			  uint32_t min_nodes, uint32_t max_nodes,
			  struct tb_mask *mask)
{
	struct tb_test call = *test;
	int rc;

	call.nodes = nodes;
	call.min_nodes = min_nodes;
	call.max_nodes = max_nodes;
	call.req_nodes = MIN(MAX(test->req_nodes, min_nodes), max_nodes);
	if (call.preempted)
		FREE_NULL_LIST(*call.preempted);
	rc = tb_cons_tres_job_test(&call, mask);
	return rc == SLURM_SUCCESS && is_too_late(test) ? SLURM_ERROR : rc;
}

/*
 * Ask for all CPUs of the plan, with those that no slot needs: the other
 * threads of a core.  Tasks that do not divide them would leave some out; with
 * GRES tasks must need all of them (scale.c).
 */
static void ask_for_all(job_record_t *job, const struct tb_plan *plan)
{
	job_details_t *details = job->details;

	details->min_cpus = MAX(details->min_cpus, plan->cpus);
	if (plan->odd)
		details->cpus_per_task =
			job->gres_list_req && plan->per_slot ? plan->per_slot
							     : 1;
	/*
	 * They limit CPUs, too: to as many as the tasks need, or as the smallest
	 * host's units have.  With GRES they also say how many devices there are.
	 */
	if (!job->gres_list_req) {
		job->bit_flags &= ~(uint64_t)JOB_NTASKS_SET;
		details->ntasks_per_node = 0;
	}
}

/*
 * Yes without an allocation: jobs are preempted first, and Slurm will ask again
 * when they are gone.
 */
static bool has_allocation(const struct tb_test *test)
{
	return test->job->job_resrcs != NULL;
}

/* Repeat with only the exact cores of the plan; granted if they come back. */
static int exact_pass(struct tb_plan *plan, struct tb_offers *offers,
		      const struct tb_test *test, bitstr_t *nodes)
{
	struct tb_mask *mask = tb_mask_closed(nodes);
	int rc = SLURM_ERROR;

	if (tb_plan_allow(plan, offers, test, mask)) {
		ask_for_all(test->job, plan);
		rc = call_cons_tres(test, nodes, plan->count, plan->count,
				    mask);
	}
	tb_mask_destroy(mask);
	if (rc == SLURM_SUCCESS && has_allocation(test) &&
	    !tb_plan_is_granted(plan, offers, test)) {
		/* Never start a job on other cores than planned. */
		free_job_resources(&test->job->job_resrcs);
		rc = SLURM_ERROR;
	}
	return rc;
}

/* The cores are the plan's: let the devices be those that are near them. */
static int settle_devices(const struct tb_plan *plan,
			  struct tb_offers *offers,
			  const struct tb_test *test)
{
	if (!offers->devices ||
	    tb_plan_select_devices(plan, offers, test) ||
	    !tb_devices_must_be_near(offers->devices))
		return SLURM_SUCCESS;
	free_job_resources(&test->job->job_resrcs);
	return SLURM_ERROR;
}

/* Give the job what is planned, if it has not got that. */
static int settle_plan(struct tb_plan *plan, struct tb_offers *offers,
		       const struct tb_test *test, bitstr_t *nodes)
{
	int rc = SLURM_SUCCESS;

	if (!has_allocation(test) || !tb_plan_is_granted(plan, offers, test))
		rc = exact_pass(plan, offers, test, nodes);
	if (rc == SLURM_SUCCESS && has_allocation(test))
		rc = settle_devices(plan, offers, test);
	return rc;
}

/*
 * Slots dealt out evenly over the nodes of pass 1; where memory or GRES do not
 * allow that, as pass 1 had them.
 */
static int settle_cores(struct tb_offers *offers,
			const struct tb_test *test, uint32_t first,
			uint32_t end, bitstr_t *nodes)
{
	struct tb_plan *given = tb_plan_of_allocation(offers, test, first, end);
	struct tb_plan *even = tb_plan_of_allocation(offers, test, first, end);
	bitstr_t *chosen = bit_copy(nodes);
	int rc;

	if (offers->devices)
		tb_devices_count_selected(offers->devices);
	tb_plan_even_out(even);
	rc = settle_plan(even, offers, test, nodes);
	if (rc != SLURM_SUCCESS) {
		bit_copybits(nodes, chosen);
		rc = settle_plan(given, offers, test, nodes);
	}
	FREE_NULL_BITMAP(chosen);
	tb_plan_destroy(given);
	tb_plan_destroy(even);
	return rc;
}

static bitstr_t *nodes_of_class(struct tb_offers *offers, uint32_t first,
				uint32_t end)
{
	bitstr_t *nodes = bit_alloc(tb_node_count());

	for (uint32_t i = first; i < end; i++)
		bit_set(nodes, offers->list[i].node);
	return nodes;
}

static bool required_nodes_offer(const struct tb_test *test,
				 const bitstr_t *nodes)
{
	bitstr_t *required = test->job->details->req_node_bitmap;

	return !required || bit_super_set(required, (bitstr_t *)nodes);
}

static int test_nodes(struct tb_offers *offers,
		      const struct tb_test *test, uint32_t first, uint32_t end,
		      bitstr_t *nodes)
{
	bool whole_nodes = tb_wants_whole_nodes(test->job);
	struct tb_mask *mask = NULL;
	int rc;

	/*
	 * A mask would make cons_tres reject nodes for an exclusive job; in
	 * TEST_ONLY it looks at none.
	 */
	if (!whole_nodes && tb_test_mode(test) != TB_TEST_ONLY) {
		mask = tb_mask_closed(nodes);
		tb_offers_allow(offers, test, first, end, nodes, mask);
	}
	rc = call_cons_tres(test, nodes, test->min_nodes, test->max_nodes,
			    mask);
	tb_mask_destroy(mask);
	if (rc == SLURM_SUCCESS && !whole_nodes && has_allocation(test) &&
	    tb_test_mode(test) == TB_RUN_NOW)
		rc = settle_cores(offers, test, first, end, nodes);
	return rc;
}

static int try_class(const struct tb_order *order, const struct tb_test *test,
		     bitstr_t *nodes)
{
	const struct tb_class_order *class =
		(const struct tb_class_order *)order;

	return test_nodes(class->offers, test, class->first, class->end,
			  nodes);
}

/* One size of slot.  On success test->nodes are the chosen ones. */
static int test_class(struct tb_offers *offers,
		      const struct tb_test *test, uint32_t first, uint32_t end)
{
	bitstr_t *nodes = nodes_of_class(offers, first, end);
	struct tb_class_order class;
	struct tb_scale saved;
	int rc = SLURM_ERROR;

	tb_class_order_init(&class, offers, test, first, end);
	class.order.try = try_class;
	if (end - first >= test->min_nodes &&
	    required_nodes_offer(test, nodes)) {
		tb_scale_job(test->job, offers->request->type,
			     tb_offers_cpus(offers, first, end), &saved);
		rc = tb_order_try(&class.order, test, nodes);
		tb_unscale_job(test->job, &saved);
	}
	if (rc == SLURM_SUCCESS)
		bit_copybits(test->nodes, nodes);
	FREE_NULL_BITMAP(nodes);
	return rc;
}

/* In the future a class can be free sooner than one before it. */
static bool starts_later(const struct tb_test *test)
{
	return tb_test_mode(test) == TB_WILL_RUN &&
	       test->job->start_time > time(NULL);
}

/* The first class that can have the job now, or else the soonest. */
static int test_classes(struct tb_offers *offers,
			const struct tb_test *test)
{
	uint32_t first, end, soonest_first = 0, soonest_end = 0;
	time_t soonest = 0;

	for (first = 0; (end = tb_offers_class(offers, first)); first = end) {
		if (test_class(offers, test, first, end) != SLURM_SUCCESS)
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
	return soonest_end == first
		? SLURM_SUCCESS
		: test_class(offers, test, soonest_first, soonest_end);
}

/* With units that have so many jobs at most; *more: are there others? */
static int test_share(const struct tb_test *test,
		      const struct tb_request *request,
		      const struct tb_view *view, bool *more)
{
	struct tb_offers *offers = tb_offers_create(test, request, view);
	int rc;

	tb_order_classes(offers, test);
	rc = test_classes(offers, test);
	*more = offers->could_be_more;
	tb_offers_destroy(offers);
	return rc;
}

/* Least shared units first, on all nodes. */
int tb_test_view(const struct tb_test *test, const struct tb_request *request,
		 const struct tb_view *view)
{
	uint16_t limit = tb_sharing_limit(test->job);
	struct tb_test call = *test;
	bool more = true;
	int rc = SLURM_ERROR;

	if (limit == 1)
		return test_share(test, request, view, &more);
	for (call.share = 1; rc != SLURM_SUCCESS && more && call.share <= limit;
	     call.share++)
		rc = test_share(&call, request, view, &more);
	return rc;
}

/* Is there a set of nodes in this class, all idle, on which the job fits? */
static bool class_suffices(struct tb_offers *offers,
			   const struct tb_test *test, uint32_t first,
			   uint32_t end)
{
	return end - first >= test->min_nodes &&
	       tb_offers_hold(offers, test, first, end) >=
		       tb_job_slots(test->job);
}

bool tb_units_suffice(const struct tb_test *test,
		      const struct tb_request *request,
		      const struct tb_view *view)
{
	struct tb_offers *offers = tb_offers_create(test, request, view);
	uint32_t first = 0, end;
	bool suffice = false;

	while (!suffice && (end = tb_offers_class(offers, first))) {
		suffice = class_suffices(offers, test, first, end);
		first = end;
	}
	tb_offers_destroy(offers);
	return suffice;
}

/* select/cons_tres ignores masks here, so the shape is tested by us. */
static int test_only(const struct tb_test *test,
		     const struct tb_request *request)
{
	struct tb_view *view = tb_view_idle();
	struct tb_request wide = *request; /* borrows what it points to */
	struct tb_offers *offers;
	struct tb_test call = *test;
	uint32_t first = 0, end;
	int rc = SLURM_ERROR;

	tb_metrics_refused(TB_REFUSED_NEVER);
	tb_request_widen_window(&wide);
	/* What reservations hold now, they need not hold for ever. */
	call.excluded = NULL;
	offers = tb_offers_create(&call, &wide, view);
	while (rc != SLURM_SUCCESS && (end = tb_offers_class(offers, first))) {
		if (class_suffices(offers, &call, first, end))
			rc = test_class(offers, &call, first, end);
		first = end;
	}
	tb_offers_destroy(offers);
	tb_view_destroy(view);
	return rc;
}

static void say_why(const struct tb_test *test,
		    const struct tb_request *request,
		    const struct tb_view *view)
{
	uint16_t limit = tb_sharing_limit(test->job);
	struct tb_test call = *test;
	enum tb_refusal refusal = TB_REFUSED_OTHER;
	char *why;

	call.share = limit > 1 ? limit : 0;
	why = tb_explain_wait(&call, request, view, &refusal);
	tb_metrics_refused(refusal);
	tb_reasons_tell(test->job, why);
	xfree(why);
}

int tb_test_view_now(const struct tb_test *test,
		     const struct tb_request *request,
		     const struct tb_view *view)
{
	uint64_t before = test->job->bit_flags & TEST_NOW_ONLY;
	int rc;

	test->job->bit_flags |= TEST_NOW_ONLY;
	rc = tb_test_view(test, request, view);
	test->job->bit_flags &= before | ~(uint64_t)TEST_NOW_ONLY;
	return rc;
}

/* Now, without preempting anybody. */
static int test_now(const struct tb_test *test,
		    const struct tb_request *request,
		    const struct tb_view *view)
{
	struct tb_test call = *test;

	call.preemptees = NULL;
	return tb_test_view_now(&call, request, view);
}

/* The same, and if not, why; a job that could start waits for no units. */
static int test_and_say(const struct tb_test *test,
			const struct tb_request *request,
			const struct tb_view *view)
{
	int rc = test_now(test, request, view);

	if (rc == SLURM_SUCCESS)
		tb_reasons_tell(test->job, NULL);
	else
		say_why(test, request, view);
	return rc;
}

/*
 * First without preempting anybody.  Jobs that end make way before this one is
 * given anything, and Slurm asks again; what a gang scheduler suspends can be
 * given away at once.
 */
static int run_now(const struct tb_test *test, const struct tb_request *request)
{
	struct tb_test call = *test;
	struct tb_view *view = tb_view_now();
	list_t *victims = NULL;
	int rc;

	rc = test_and_say(test, request, view);
	if (rc != SLURM_SUCCESS)
		victims = tb_preempt_choose(test, request, view);
	if (victims) {
		call.preemptees = victims;
		rc = tb_preempt_must_end(victims)
			? SLURM_SUCCESS : tb_test_view(&call, request, view);
		tb_preempt_tell(test, victims);
	}
	FREE_NULL_LIST(victims);
	tb_view_destroy(view);
	return rc;
}

static int will_run(const struct tb_test *test,
		    const struct tb_request *request)
{
	struct tb_view *view = tb_view_now();
	list_t *victims = NULL;
	int rc = test_and_say(test, request, view);

	if (rc != SLURM_SUCCESS)
		victims = tb_preempt_choose(test, request, view);
	if (victims) {
		tb_preempt_tell(test, victims);
		rc = SLURM_SUCCESS;
	}
	if (rc != SLURM_SUCCESS && !(test->job->bit_flags & TEST_NOW_ONLY))
		rc = tb_future_find(test, request, view);
	FREE_NULL_LIST(victims);
	tb_view_destroy(view);
	return rc;
}

static int test_in_mode(const struct tb_test *test,
			const struct tb_request *request)
{
	switch (tb_test_mode(test)) {
	case TB_TEST_ONLY:
		return test_only(test, request);
	case TB_WILL_RUN:
		return will_run(test, request);
	default:
		return run_now(test, request);
	}
}

/* At other times other nodes are free, but not in other states. */
int tb_test_bound_job(const struct tb_test *test,
		      const struct tb_request *request)
{
	struct tb_test call = *test;
	int rc;

	call.memo = tb_memo_create(sizeof(struct tb_placed));
	rc = test_in_mode(&call, request);
	tb_memo_destroy(call.memo);
	return rc;
}

static void forbid_core(uint32_t node, uint32_t core, void *mask)
{
	tb_mask_forbid(mask, node, core);
}

/* Could select/cons_tres let this job share cores with others? */
static bool may_share(const job_record_t *job)
{
	return (slurm_conf.preempt_mode & PREEMPT_MODE_GANG) ||
	       (job->part_ptr &&
		(job->part_ptr->max_share & ~SHARED_FORCE) > 1);
}

static int test_plain(const struct tb_test *test)
{
	struct tb_mask *mask;
	int rc;

	if (!tb_ledger_has_bound() || !may_share(test->job))
		return tb_cons_tres_job_test(test, NULL);
	mask = tb_mask_open(test);
	tb_ledger_visit_bound(test->preemptees, forbid_core, mask);
	rc = tb_cons_tres_job_test(test, mask);
	tb_mask_destroy(mask);
	return rc;
}

static int try_plain(const struct tb_order *order, const struct tb_test *test,
		     bitstr_t *nodes)
{
	struct tb_test call = *test;

	(void)order;
	call.nodes = nodes;
	if (call.preempted)
		FREE_NULL_LIST(*call.preempted);
	return test_plain(&call);
}

int tb_test_plain_job(const struct tb_test *test)
{
	struct tb_order order;

	if (!test->choice)
		return test_plain(test);
	tb_plain_order_init(&order, test);
	order.try = try_plain;
	return tb_order_try(&order, test, test->nodes);
}
