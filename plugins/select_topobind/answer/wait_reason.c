/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wait_reason.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "core/base/text.h"
#include "core/place/listed.h"
#include "core/request/parts.h"

#include "select_topobind/try/offer_sets.h"
#include "wait_reason_devices.h"
#include "wait_reason_limits.h"
#include "wait_reason_memory.h"
#include "select_topobind/nodes/cores_taken.h"
#include "select_topobind/nodes/nodes.h"
#include "select_topobind/try/offers.h"
#include "select_topobind/try/scale.h"
#include "select_topobind/books/sharing.h"

/* Counts beyond this many units are not told apart. */
#define UNITS_TOLD 8
/* And so many letters of a list of CPUs are told. */
#define CPUS_TOLD 100

/* What was found on a node; the same for all nodes that are alike. */
struct finding {
	bool other_shape;
	bool missing; /* of a list of CPUs */
	bool unknown; /* how the node's OS numbers them */
	bool enough;  /* the units of one slot */
	bool fragmented;
	uint32_t units; /* that are free */
};

struct tally {
	uint32_t nodes[UNITS_TOLD]; /* by how many units are free */
	uint32_t fragmented;
	uint32_t in_use, missing, unknown; /* nodes, of a list of CPUs */
	uint32_t other_shape;
	uint32_t enough; /* nodes that have the units of one slot */
	uint32_t overloaded;
	uint32_t gpus_unknown; /* nodes that do not know which memory is a GPU's */
	uint32_t cannot_isolate;
};

static void look_at_cpus(struct finding *finding,
			 const struct tb_request *request,
			 const struct tb_shape *shape,
			 struct tb_scratch *scratch)
{
	struct tb_bitset *wanted = scratch->threads;

	enum tb_listed listed = tb_listed_threads(request, shape->topology,
						  wanted);

	finding->missing = listed == TB_LISTED_SOME;
	finding->unknown = listed == TB_LISTED_UNKNOWN;
	finding->enough = listed == TB_LISTED_ALL &&
			  !tb_bitset_intersects(wanted, scratch->used) &&
			  !(scratch->is_masked &&
			    tb_bitset_intersects(wanted, scratch->masked));
}

/* Threads of so many units where all are equal; UINT32_MAX: the node has none. */
static uint64_t count_usual_threads(const struct tb_request *request,
				    const struct tb_topology *topology)
{
	uint64_t threads = 0;

	for (unsigned i = 0; i < tb_request_part_count(request); i++) {
		struct tb_units part = tb_request_part(request, i);
		unsigned total = tb_units_total(topology, part.unit);

		if (!total)
			return UINT32_MAX;
		threads += (uint64_t)part.amount *
			   (tb_topology_threads(topology) / total);
	}
	return threads;
}

static void look_at_units(struct finding *finding,
			  const struct tb_request *request,
			  const struct tb_shape *shape,
			  const struct tb_scratch *scratch)
{
	const struct tb_bitset *masked = tb_scratch_masked(scratch);
	unsigned threads = tb_topology_threads(shape->topology);
	unsigned unused = threads - tb_bitset_count(scratch->used);
	struct tb_request there = tb_request_masked(request, masked);

	finding->units = tb_units_available(shape->topology, request->unit,
					    scratch->used, masked);
	finding->enough = request->nparts ? tb_place(shape->placer, &there,
						     scratch->used, 1) > 0
					  : finding->units >= request->amount;
	if (masked)
		TB_BITSET_EACH(thread, masked)
			unused -= !tb_bitset_test(scratch->used, thread);
	finding->fragmented = unused >=
			      count_usual_threads(request, shape->topology);
}

/* With scratch->used and scratch->masked, which changes. */
static void look_at_shape(struct finding *finding,
			  const struct tb_request *request,
			  const struct tb_shape *shape,
			  struct tb_scratch *scratch)
{
	const struct tb_filter *own = request->filter;

	finding->other_shape = !tb_request_matches(request, shape->topology) ||
			       (own &&
				!tb_filter_matches(own, shape->topology));
	if (finding->other_shape)
		return;
	if (own && !scratch->is_masked)
		tb_bitset_clear_all(scratch->masked);
	if (own)
		tb_filter_add(own, shape->topology, scratch->masked);
	scratch->is_masked = scratch->is_masked || own;
	if (request->cpus)
		look_at_cpus(finding, request, shape, scratch);
	else
		look_at_units(finding, request, shape, scratch);
}

/* The question, and what was found on nodes that are alike. */
struct look {
	const struct tb_test *test;
	const struct tb_request *request;
	const struct tb_view *view;
	const struct tb_filter *filter; /* of the job's partition */
	struct tb_memo *memo;		/* NULL: who shares units counts, too */
	struct finding last;
};

static const struct finding *find_once(struct look *look, uint32_t node,
				       struct tb_shape *shape)
{
	look->last = (struct finding){ .units = 0 };
	tb_sharing_used(node, shape, look->view, look->test, look->request,
			shape->scratch);
	look_at_shape(&look->last, look->request, shape, shape->scratch);
	return &look->last;
}

static const struct finding *find_on_node(struct look *look, uint32_t node,
					  struct tb_shape *shape)
{
	struct tb_scratch *scratch = shape->scratch;
	struct tb_memo_key key = { .shape = shape->number,
				   .cores = scratch->cores };
	struct finding *finding;
	bool is_new;

	if (!look->memo)
		return find_once(look, node, shape);
	tb_node_taken(node, look->view, look->test, scratch->cores);
	key.filter = tb_node_filter(node, shape, look->filter);
	finding = tb_memo_find(look->memo, &key, &is_new);
	if (!finding)
		return find_once(look, node, shape);
	if (!is_new)
		return finding;
	tb_shape_threads(shape, scratch->cores, scratch->used);
	tb_node_mask(key.filter, shape, scratch);
	look_at_shape(finding, look->request, shape, scratch);
	return finding;
}

static void count_finding(struct tally *tally, const struct finding *found,
			  const struct tb_request *request)
{
	if (found->other_shape) {
		tally->other_shape++;
	} else if (found->enough) {
		tally->enough++;
	} else if (request->cpus) {
		tally->missing += found->missing;
		tally->unknown += found->unknown;
		tally->in_use += !found->missing && !found->unknown;
	} else {
		tally->nodes[MIN(found->units, UNITS_TOLD - 1)]++;
		tally->fragmented += found->fragmented;
	}
}

/* The request leaves such a node out. */
static void count_left_out(struct tally *tally, uint32_t node,
			   const struct tb_request *request)
{
	tally->gpus_unknown += tb_request_names_gpu_memory(request) &&
			       !tb_node_knows_gpu_memory(node);
	tally->cannot_isolate += request->isolate &&
				 tb_node_cannot_isolate(node);
}

static void tally_nodes(struct tally *tally, struct look *look,
			const bitstr_t *nodes)
{
	look->filter = tb_job_filter(look->test->job);
	look->memo = look->test->share ? NULL
				       : tb_memo_create(sizeof(struct finding));
	for (uint32_t node = 0; node < tb_node_count(); node++) {
		struct tb_shape *shape;

		if (!bit_test((bitstr_t *)nodes, node))
			continue;
		shape = tb_node_shape_for(node, look->test->job, look->request);
		if (!shape)
			count_left_out(tally, node, look->request);
		else if (tb_node_is_overloaded(node))
			tally->overloaded++;
		else
			count_finding(tally, find_on_node(look, node, shape),
				      look->request);
	}
	tb_memo_destroy(look->memo);
}

/* Append how many nodes have what. */
static void add_count(char **text, uint32_t nodes, const char *what)
{
	if (nodes)
		xstrfmtcat(*text, "%s %u %s %s",
			   strstr(*text, ": ") ? "," : ":", nodes,
			   tb_count_word(nodes, "node has", "nodes have"),
			   what);
}

static char *print_cpus(const struct tally *tally,
			const struct tb_request *request, bool required)
{
	char *list = tb_request_print_cpus(request);
	char *text = NULL;

	xstrfmtcat(text, "no %s has CPUs %.*s free",
		   required ? "required node" : "node", CPUS_TOLD,
		   list ? list : "");
	add_count(&text, tally->in_use, "some of them in use");
	add_count(&text, tally->missing,
		  request->os_numbers ? "not all of them" : "fewer CPUs");
	add_count(&text, tally->unknown, "unknown OS CPU numbers");
	add_count(&text, tally->other_shape, "another topology");
	free(list);
	return text;
}

static char *print_tally(const struct tally *tally,
			 const struct tb_request *request, bool required)
{
	char *wanted = tb_request_print_units(request, "free");
	char *text = NULL;

	xstrfmtcat(text, "no %s has %s", required ? "required node" : "node",
		   wanted);
	free(wanted);
	/* Of parts no one number says how near a node is to having them. */
	for (int units = UNITS_TOLD - 1; units >= 0 && !request->nparts;
	     units--) {
		char *count = xstrdup_printf("%d%s", units,
					     units == UNITS_TOLD - 1
						     ? " or more"
						     : "");

		add_count(&text, tally->nodes[units], count);
		xfree(count);
	}
	add_count(&text, tally->other_shape, "another topology");
	xstrfmtcat(text, " (fragmented: %u)", tally->fragmented);
	return text;
}

/* The windows of bstart= and bstop= have too few free units. */
static char *print_window(const struct tb_request *request, bool required)
{
	char *wanted = tb_request_print_units(request, "free");
	char *text = NULL;

	xstrfmtcat(text, "no %s has %s in the window of ",
		   required ? "required node" : "node", wanted);
	free(wanted);
	if (request->start)
		xstrfmtcat(text, "bstart=%c%s", request->start,
			   request->stop ? " and " : "");
	if (request->stop)
		xstrfmtcat(text, "bstop=%c", request->stop);
	return text;
}

/* Free units there are, but not as large as the job says beside the binding. */
static char *print_size(const struct tb_test *test,
			const struct tb_request *request, bool required)
{
	const job_details_t *details = test->job->details;
	uint32_t cpus = MAX(details->cpus_per_task, details->pn_min_cpus);
	const char *who = required ? "required node" : "node";
	char *text, *wanted;

	if (cpus <= 1 || request->cpus)
		return xstrdup_printf(
			"no %s with free units is as large as the job asks for",
			who);
	wanted = tb_request_print_units(request, "free");
	text = xstrdup_printf("no %s has %s with %u CPUs", who, wanted, cpus);
	free(wanted);
	return text;
}

static uint32_t count_required(const struct tb_offers *offers, uint32_t first,
			       uint32_t end, bitstr_t *required)
{
	uint32_t count = 0;

	for (uint32_t i = first; i < end; i++)
		count += bit_test(required, offers->list[i].node);
	return count;
}

/*
 * Units are free on too few nodes, or not on all that are required.  NULL: on
 * enough of them.
 */
static char *print_nodes(const struct tb_offers *offers,
			 const struct tb_test *test,
			 const struct tb_request *request)
{
	bitstr_t *required = test->job->details->req_node_bitmap;
	uint32_t wanted = required ? bit_set_count(required) : test->min_nodes;
	uint32_t first = 0, end, most = 0;
	char *text, *units;

	while ((end = tb_offers_class(offers, first))) {
		uint32_t nodes = required ? count_required(offers, first, end,
							   required)
					  : end - first;

		most = MAX(most, nodes);
		first = end;
	}
	if (most >= wanted)
		return NULL;
	if (request->cpus)
		return xstrdup_printf("only %u of %u %s %s the CPUs free", most,
				      wanted,
				      required ? "required nodes" : "nodes",
				      tb_count_word(most, "has", "have"));
	units = tb_request_print_units(request, "free");
	text = xstrdup_printf("only %u of %u %s %s %s", most, wanted,
			      required ? "required nodes" : "nodes",
			      tb_count_word(most, "has", "have"), units);
	free(units);
	return text;
}

/* The class of offers that holds the most slots, and on how many nodes. */
static uint32_t count_most_slots(const struct tb_offers *offers,
				 const struct tb_test *test, uint32_t *nodes)
{
	uint32_t first = 0, end, most = 0;

	*nodes = 0;
	while ((end = tb_offers_class(offers, first))) {
		uint32_t slots = tb_offers_hold(offers, test, first, end);

		if (slots > most) {
			most = slots;
			*nodes = MIN(end - first, test->max_nodes);
		}
		first = end;
	}
	return most;
}

/* There are enough units; memory or GRES are missing. */
static char *print_others(const struct tb_offers *offers,
			  const struct tb_test *test, enum tb_refusal *kind)
{
	bitstr_t *required = test->job->details->req_node_bitmap;
	uint32_t nodes = 0, lacking = 0;
	char *text = NULL;

	tb_nodes_look_at_memory();
	for (uint32_t i = 0; i < offers->count; i++) {
		const struct tb_offer *offer = &offers->list[i];

		if (required && !bit_test(required, offer->node))
			continue;
		nodes++;
		lacking += tb_offer_lacks_memory(test, offer,
						 tb_node_memory_in_use(
							 offer->node));
	}
	if (lacking) {
		*kind = TB_REFUSED_MEMORY;
		xstrfmtcat(text,
			   "units are free on %u %s, of which %u %s too little memory",
			   nodes, tb_count_word(nodes, "node", "nodes"),
			   lacking, tb_count_word(lacking, "has", "have"));
	} else if (nodes && !test->job->gres_list_req) {
		text = tb_explain_socket_limit(test);
		if (!text)
			xstrfmtcat(text,
				   "units are free on %u %s, but not with all else that the job asks for or is limited to",
				   nodes,
				   tb_count_word(nodes, "node", "nodes"));
	} else if (nodes) {
		*kind = TB_REFUSED_GRES;
		xstrfmtcat(text,
			   "units are free on %u %s, but not the GRES%s with them",
			   nodes, tb_count_word(nodes, "node", "nodes"),
			   test->job->mem_per_tres ? " and the memory for it"
						   : "");
	}
	return text;
}

/* Where required nodes lack memory others may not. */
static bool nobody_has_memory(const struct tb_offers *offers,
			      const struct tb_test *test)
{
	bitstr_t *required = test->job->details->req_node_bitmap;

	return offers->without_memory &&
	       !(required ? count_required(offers, 0, offers->count, required)
			  : offers->count);
}

static char *print_slots(const struct tb_test *test,
			 const struct tb_request *request,
			 const struct tb_view *view, bool required,
			 enum tb_refusal *kind)
{
	struct tb_offers *offers = tb_offers_create(test, request, view);
	uint32_t wanted = tb_job_slots(test->job), nodes;
	uint32_t slots = count_most_slots(offers, test, &nodes);
	bool too_few = !offers->count || slots < wanted;
	char spread[] = ", spread over S";
	char *text = NULL;

	if (request->spread)
		spread[strlen(spread) - 1] = request->spread;
	else
		spread[0] = '\0';
	*kind = TB_REFUSED_SLOTS;
	if (too_few && offers->limited) {
		*kind = TB_REFUSED_OTHER;
		text = tb_explain_partition_limit(test);
	} else if (nobody_has_memory(offers, test)) {
		*kind = TB_REFUSED_MEMORY;
		text = tb_explain_memory(offers, test, required);
	} else if (!offers->count && (request->start || request->stop)) {
		text = print_window(request, required);
	} else if (!offers->count) {
		text = print_size(test, request, required);
	} else {
		text = print_nodes(offers, test, request);
	}
	if (!text && offers->count && request->type == TB_SLOT &&
	    slots < wanted)
		xstrfmtcat(text,
			   "only %u of %u slots (%u %s each%s) are free, on %u %s",
			   slots, wanted, request->amount,
			   tb_unit_name(request->unit), spread, nodes,
			   tb_count_word(nodes, "node", "nodes"));
	if (!text) {
		*kind = TB_REFUSED_OTHER;
		text = tb_explain_switches(test);
		if (!text)
			text = print_others(offers, test, kind);
	}
	tb_offers_destroy(offers);
	return text;
}

static bool could_have_all(uint32_t node, const struct tb_test *test,
			   const struct tb_request *request,
			   const struct tb_view *view)
{
	const struct tb_shape *shape = tb_node_shape_for(node, test->job,
							 request);
	bool more = false;

	return shape ? tb_sharing_has_node(node, shape, view, test, &more)
		     : tb_view_node_idle(view, node);
}

/*
 * A node that has jobs is none for a job that wants nodes of its own.  slurmctld's main
 * scheduler does not offer it these; backfill offers them all.
 */
static bitstr_t *leave_out_busy(bitstr_t *nodes, const struct tb_test *test,
				const struct tb_request *request,
				const struct tb_view *view)
{
	bitstr_t *left = bit_copy(nodes);

	if (!tb_wants_whole_nodes(test->job))
		return left;
	for (uint32_t node = 0; node < tb_node_count(); node++)
		if (bit_test(left, node) &&
		    !could_have_all(node, test, request, view))
			bit_clear(left, node);
	return left;
}

static bool could_be_its_own(uint32_t node, const struct tb_test *test,
			     const bitstr_t *offered)
{
	const job_record_t *job = test->job;
	const bitstr_t *required = job->details->req_node_bitmap;
	const bitstr_t *excluded = job->details->exc_node_bitmap;

	return !bit_test((bitstr_t *)offered, node) &&
	       bit_test(avail_node_bitmap, node) &&
	       bit_test(job->part_ptr->node_bitmap, node) &&
	       (!required || bit_test((bitstr_t *)required, node)) &&
	       !(excluded && bit_test((bitstr_t *)excluded, node));
}

/*
 * Of a job that wants nodes of its own: how many have jobs and could be these.
 * By features and reservations nodes differ in more than their units.
 */
static uint32_t count_busy_nodes(const struct tb_test *test,
				 const struct tb_request *request,
				 const bitstr_t *offered)
{
	const job_record_t *job = test->job;
	struct tally tally = { .enough = 0 };
	struct look look = { .test = test, .request = request };
	bitstr_t *nodes;

	if (!tb_wants_whole_nodes(job) || !job->part_ptr ||
	    !job->part_ptr->node_bitmap || job->details->features ||
	    job->resv_ptr)
		return 0;
	nodes = bit_alloc(tb_node_count());
	for (uint32_t node = 0; node < tb_node_count(); node++)
		if (could_be_its_own(node, test, offered))
			bit_set(nodes, node);
	tally_nodes(&tally, &look, nodes);
	FREE_NULL_BITMAP(nodes);
	return tally.enough;
}

char *tb_explain_wait(const struct tb_test *test,
		      const struct tb_request *request,
		      const struct tb_view *view, enum tb_refusal *kind)
{
	struct tally tally = { .enough = 0 };
	struct look look = { .test = test, .request = request, .view = view };
	bitstr_t *required = test->job->details->req_node_bitmap;
	char *text = tb_explain_devices(test, request, view);
	bitstr_t *nodes;
	uint32_t busy;

	if (text) {
		*kind = TB_REFUSED_GRES;
		return text;
	}
	nodes = leave_out_busy(required ? required : test->nodes, test, request,
			       view);
	tally_nodes(&tally, &look, nodes);
	*kind = tally.fragmented ? TB_REFUSED_FRAGMENTED : TB_REFUSED_UNITS;
	if (tally.enough)
		text = print_slots(test, request, view, required, kind);
	else if (request->cpus)
		text = print_cpus(&tally, request, required);
	else
		text = print_tally(&tally, request, required);
	busy = text && !test->share && !test->share_nodes
		       ? count_busy_nodes(test, request, nodes)
		       : 0;
	FREE_NULL_BITMAP(nodes);
	if (busy)
		xstrfmtcat(text,
			   "; %u more %s, but %s jobs and it wants nodes of its own",
			   busy,
			   tb_count_word(busy, "node could", "nodes could"),
			   tb_count_word(busy, "has", "have"));
	if (text && tally.overloaded)
		xstrfmtcat(text, "; %u %s more load than MaxLoad allows",
			   tally.overloaded,
			   tb_count_word(tally.overloaded, "node has",
					 "nodes have"));
	if (text && tally.gpus_unknown)
		xstrfmtcat(text,
			   "; of %u %s it is not known which memory is that of GPUs",
			   tally.gpus_unknown,
			   tb_count_word(tally.gpus_unknown, "node", "nodes"));
	if (text && tally.cannot_isolate)
		xstrfmtcat(text, "; %u %s cannot isolate CPUs",
			   tally.cannot_isolate,
			   tb_count_word(tally.cannot_isolate, "node",
					 "nodes"));
	if (text && test->share)
		xstrfmtcat(text, "; a unit is free until %u jobs share it",
			   test->share);
	if (text && test->share_nodes)
		xstrfmtcat(text, "; a node is free until %u jobs share it",
			   test->share_nodes);
	return text;
}
