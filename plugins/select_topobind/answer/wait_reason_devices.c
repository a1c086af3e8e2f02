/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wait_reason_devices.h"

#include "src/common/macros.h"
#include "src/common/xstring.h"

#include "select_topobind/try/offers.h"
#include "select_topobind/try/scale.h"

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

static uint32_t count_offered_anywhere(const struct tb_test *test,
				       const struct tb_request *request,
				       const struct tb_view *view)
{
	job_record_t *job = test->job;
	uint64_t flags = job->bit_flags;
	uint32_t count;

	job->bit_flags &= ~(uint64_t)GRES_ENFORCE_BIND;
	count = count_offered(test, request, view);
	job->bit_flags = flags;
	return count;
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
	    count_offered_anywhere(test, request, view) < wanted)
		return NULL;
	return xstrdup_printf(
		"only %u of %u %s free near free GRES, as --gres-flags=enforce-binding asks, though there are enough elsewhere",
		near, wanted, hosts ? "nodes have the units" : "slots are");
}
