/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain.h"

#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "nodes.h"
#include "offers.h"
#include "scale.h"

/* Counts beyond this many units are not told apart. */
#define UNITS_TOLD 8

struct tally {
	uint32_t nodes[UNITS_TOLD]; /* by how many units are free */
	uint32_t fragmented;
	bool enough; /* some node has the units of one slot */
};

static void tally_node(struct tally *tally, const struct tb_test *test,
		       const struct tb_request *request,
		       const struct tb_view *view, uint32_t node)
{
	struct tb_shape *shape = tb_node_shape_for(node, test->job);
	unsigned units, total, threads, unused;

	if (!shape)
		return;
	tb_node_used(node, shape, view, test);
	units = tb_units_available(shape->topology, request->unit,
				   shape->used);
	if (units >= request->amount) {
		tally->enough = true;
		return;
	}
	tally->nodes[units < UNITS_TOLD ? units : UNITS_TOLD - 1]++;
	total = tb_units_total(shape->topology, request->unit);
	threads = tb_topology_threads(shape->topology);
	unused = threads - tb_bitset_count(shape->used);
	if (total && unused >= request->amount * (threads / total))
		tally->fragmented++;
}

static char *print_tally(const struct tally *tally,
			 const struct tb_request *request, bool required)
{
	char *text = NULL;
	const char *between = ":";

	xstrfmtcat(text, "no %s has %u free %s unit%s",
		   required ? "required node" : "node", request->amount,
		   tb_unit_name(request->unit),
		   request->amount == 1 ? "" : "s");
	for (int units = UNITS_TOLD - 1; units >= 0; units--) {
		uint32_t nodes = tally->nodes[units];

		if (!nodes)
			continue;
		xstrfmtcat(text, "%s %u %s %d%s", between, nodes,
			   nodes == 1 ? "node has" : "nodes have", units,
			   units == UNITS_TOLD - 1 ? " or more" : "");
		between = ",";
	}
	xstrfmtcat(text, " (fragmented: %u)", tally->fragmented);
	return text;
}

static char *print_slots(const struct tb_test *test,
			 const struct tb_request *request,
			 const struct tb_view *view)
{
	struct tb_offers *offers = tb_offers_create(test, request, view);
	uint32_t slots = 0, wanted = tb_job_slots(test->job);
	char *text = NULL;

	for (uint32_t i = 0; i < offers->count; i++)
		slots += offers->list[i].slots;
	if (request->type == TB_SLOT && slots < wanted)
		xstrfmtcat(text, "only %u of %u slots (%u %s each) are free, on %u node%s",
			   slots, wanted, request->amount,
			   tb_unit_name(request->unit), offers->count,
			   offers->count == 1 ? "" : "s");
	tb_offers_destroy(offers);
	return text;
}

char *tb_explain_wait(const struct tb_test *test,
		      const struct tb_request *request,
		      const struct tb_view *view)
{
	struct tally tally = { .enough = false };
	bitstr_t *required = test->job->details->req_node_bitmap;
	bitstr_t *nodes = required ? required : test->nodes;

	for (uint32_t node = 0; node < tb_node_count(); node++)
		if (bit_test(nodes, node))
			tally_node(&tally, test, request, view, node);
	return tally.enough ? print_slots(test, request, view)
			    : print_tally(&tally, request, required);
}
