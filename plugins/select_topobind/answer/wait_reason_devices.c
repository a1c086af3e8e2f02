/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wait_reason_devices.h"

#include "src/common/macros.h"
#include "src/common/xstring.h"

#include "select_topobind/nodes/cores_taken.h"
#include "select_topobind/nodes/nodes.h"
#include "select_topobind/try/offer_sets.h"
#include "select_topobind/try/offers.h"
#include "select_topobind/try/scale.h"

/* Mostly one of the first nodes shows that there is enough elsewhere. */
#define FIRST_NODES 32

/* What is offered: nodes with a host's units, or slots. */
static uint32_t count_offered(const struct tb_test *test,
			      const struct tb_request *request,
			      const struct tb_view *view)
{
	struct tb_offers *offers = tb_offers_create(test, request, view);
	uint32_t first = 0, end, most = 0;

	if (request->type == TB_HOST)
		most = offers->count;
	while (request->type == TB_SLOT &&
	       (end = tb_offers_class(offers, first))) {
		most = MAX(most, tb_offers_hold(offers, test, first, end));
		first = end;
	}
	tb_offers_destroy(offers);
	return most;
}

/* Units for so many slots, or tasks of a job that the site binds, wherever they lie. */
static bool node_has_units(const struct tb_test *test,
			   const struct tb_request *request,
			   const struct tb_view *view, uint32_t node,
			   uint32_t wanted)
{
	struct tb_shape *shape = tb_node_shape_for(node, test->job, request);
	uint32_t each = test->implicit_cpus ? 1 : request->amount;

	if (!shape)
		return false;
	tb_node_used(node, shape, view, test, shape->scratch);
	return tb_units_available(shape->topology, request->unit,
				  shape->scratch->used,
				  tb_scratch_masked(shape->scratch)) /
		       MAX(each, 1) >=
	       wanted;
}

/* False: it is known without placing anything that no node has all slots. */
static bool could_be_offered(const struct tb_test *test,
			     const struct tb_request *request,
			     const struct tb_view *view, uint32_t wanted)
{
	if (test->max_nodes != 1 || test->share || request->cpus ||
	    request->type == TB_HOST)
		return true;
	for (uint32_t node = 0; node < tb_node_count(); node++)
		if (bit_test(test->nodes, node) &&
		    node_has_units(test, request, view, node, wanted))
			return true;
	return false;
}

/* What the first nodes hold all nodes hold. */
static bool first_nodes_suffice(const struct tb_test *test,
				const struct tb_request *request,
				const struct tb_view *view, uint32_t wanted)
{
	struct tb_test call = *test;
	uint32_t count = 0;
	bool suffice;

	if (test->job->details->req_node_bitmap)
		return false;
	call.nodes = bit_alloc(tb_node_count());
	for (uint32_t node = 0; node < tb_node_count() && count < FIRST_NODES;
	     node++) {
		if (!bit_test(test->nodes, node))
			continue;
		bit_set(call.nodes, node);
		count++;
	}
	suffice = count_offered(&call, request, view) >= wanted;
	FREE_NULL_BITMAP(call.nodes);
	return suffice;
}

static bool are_offered_anywhere(const struct tb_test *test,
				 const struct tb_request *request,
				 const struct tb_view *view, uint32_t wanted)
{
	job_record_t *job = test->job;
	uint64_t flags = job->bit_flags;
	bool offered;

	if (!could_be_offered(test, request, view, wanted))
		return false;
	job->bit_flags &= ~(uint64_t)GRES_ENFORCE_BIND;
	offered = first_nodes_suffice(test, request, view, wanted) ||
		  count_offered(test, request, view) >= wanted;
	job->bit_flags = flags;
	return offered;
}

char *tb_explain_devices(const struct tb_test *test,
			 const struct tb_request *request,
			 const struct tb_view *view)
{
	bool hosts = request->type == TB_HOST;
	uint32_t wanted = hosts ? test->min_nodes : tb_job_slots(test->job);
	uint32_t near;

	if (!test->job->gres_list_req ||
	    !(test->job->bit_flags & GRES_ENFORCE_BIND))
		return NULL;
	near = count_offered(test, request, view);
	if (near >= wanted ||
	    !are_offered_anywhere(test, request, view, wanted))
		return NULL;
	return xstrdup_printf(
		"only %u of %u %s free near free GRES, as --gres-flags=enforce-binding asks, though there are enough elsewhere",
		near, wanted, hosts ? "nodes have the units" : "slots are");
}
