/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job_try.h"

#include <time.h>

#include "compat/select_gres.h"

#include "class_try.h"
#include "now_only.h"
#include "select_topobind/books/sharing.h"
#include "select_topobind/order/offer_order.h"
#include "select_topobind/try/device_reach.h"
#include "select_topobind/try/offer_sets.h"
#include "select_topobind/try/window_nodes.h"

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
		if (tb_try_class(offers, test, first, end) != SLURM_SUCCESS)
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
		       : tb_try_class(offers, test, soonest_first, soonest_end);
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
	       tb_class_holds_slots(offers, test, first, end) &&
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
			rc = tb_try_class(offers, test, first, end);
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
